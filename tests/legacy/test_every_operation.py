"""Every operation, for every type that has it, wherever elements lie, in every form of call: one test over a table."""

import jax
import numpy as np
import pytest

from functorch7.legacy import torch
from functorch7.legacy.tensors import convolutions, operations, results
from functorch7.legacy.tensors.devices import gpu, precision

from .helpers import same
from .operation_table import (
    CONVOLUTIONS,
    FLOATING,
    INDICES,
    OPERANDS,
    POINTWISE,
    PRODUCTS,
    RESULTS,
    TABLE,
    kinds_of,
    wide,
)

LAYOUTS = ("whole", "transposed", "apart")
COMPUTED = "computed"  # an array of JAX's, as networks leave them in tensors
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
NAN = np.nan
CLOSE = {"BFloat16": 6e-2, "Half": 2e-2, "Float": 1e-5, "Double": 1e-11}


def test_every_operation_is_in_the_table():
    assert set(POINTWISE | PRODUCTS) == set(operations.OPERATIONS)
    assert set(RESULTS) == set(results.ROWS) and set(CONVOLUTIONS) == set(convolutions.CONVOLUTIONS)


def placed(array, kind, layout):
    """A tensor of these elements: lying one after the other, transposed, or each beside one that is not its own."""
    make = getattr(torch, f"{kind}Tensor")
    if layout == "transposed" and array.ndim > 1:
        return make(np.ascontiguousarray(array.swapaxes(0, 1))).transpose(1, 2)
    if layout == "apart":
        return make(np.stack([array, array * 0], -1)).select(array.ndim + 1, 1)
    if layout == COMPUTED:
        with precision(make.dtype):
            return make.of(jax.device_put(make(array).numpy()))
    return make(array)


def moved(value):
    """A tensor that lies as this one, on the accelerator; anything else as it is."""
    if not isinstance(value, torch.Tensor):
        return value
    kind = kind_of(value)
    found = torch.Tensor.viewing(
        value.storage().cast(value.dtype, gpu(kind)), value.storageOffset() - 1, value.shape, value.strides_
    )
    assert found.storage().place
    return found


def given(each, kind, layout):
    """An argument of a call, and what the formula gets for it."""
    if isinstance(each, str) and each in INDICES:
        return torch.LongTensor(INDICES[each]), INDICES[each]
    if isinstance(each, str) and each in OPERANDS:
        return placed(wide(each, kind), kind, layout), wide(each, kind)
    if isinstance(each, (int, float)) and not isinstance(each, bool) and kind not in FLOATING:
        whole = int(each)
        return each, whole if whole < 0 and kind != "Byte" else int(np.array(whole).astype(dtype_of(kind)))
    return each, each


def dtype_of(kind):
    return getattr(torch, f"{kind}Tensor").dtype


def wanted(name, formula, numbers, kind):
    """What the results have to be, in the types that they have to have."""
    with np.errstate(all="ignore"):
        found = formula(*numbers, dtype_of(kind)) if name == "rshift" else formula(*numbers)
    found = found if isinstance(found, tuple) else (found,)
    if not np.ndim(found[0]):
        return [found[0]]
    types = ["Byte" if name in COMPARISONS else "Long" if name == "nonzero" else kind, "Long"]
    return [np.asarray(each).astype(dtype_of(of)) for each, of in zip(found, types[: len(found)], strict=True)]


def check(found, expected, kind):
    found = found if isinstance(found, tuple) else (found,)
    assert len(found) == len(expected)
    for got, right in zip(found, expected, strict=True):
        if isinstance(right, np.ndarray):
            assert got.dtype == right.dtype
            got = np.asarray(got)
            assert got.shape == right.shape
        if kind in FLOATING:
            np.testing.assert_allclose(np.float64(got), np.float64(right), CLOSE[kind], CLOSE[kind])
        else:
            assert np.array_equal(got, right)


def empty(expected):
    """Tensors for results, of another size."""
    return [torch.Tensor.of(np.zeros(2, each.dtype)) for each in expected]


@pytest.mark.parametrize("name", TABLE)
def test_operation(name):
    function = getattr(torch, name)
    for args, formula in TABLE[name]:
        for kind in kinds_of(name):
            for layout in (*LAYOUTS, COMPUTED):
                made = [given(each, kind, layout) for each in args]
                expected = wanted(name, formula, [each for _, each in made], kind)
                everywhere(function, name, [each for each, _ in made], expected, kind, layout)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", TABLE)
def test_operation_on_an_accelerator(name, accelerator):
    """As on the host, noted; results that the call makes lie there, too."""
    function = getattr(torch, name)
    kind = "Float" if "Float" in kinds_of(name) else "Long"
    for layout, (args, formula) in zip(LAYOUTS[1:], TABLE[name], strict=False):
        made = [given(each, kind, layout) for each in args]
        expected = wanted(name, formula, [each for _, each in made], kind)
        everywhere(function, name, [moved(each) for each, _ in made], expected, kind, layout)
        found = function(*[moved(each) for each, _ in made])
        for each in found if isinstance(found, tuple) else (found,):
            assert not isinstance(each, torch.Tensor) or each.storage().place


def everywhere(function, name, args, expected, kind, layout):
    """The call in all its forms: new results, results that are given, results that are arguments, and methods."""
    tensors = [each for each in args if isinstance(each, torch.Tensor)]
    before = [np.array(each) for each in tensors]
    found = function(*args)
    check(found, expected, kind)
    for each in found if isinstance(found, tuple) else (found,):
        assert not any(np.may_share_memory(np.asarray(each), np.asarray(tensor)) for tensor in tensors)
    if isinstance(expected[0], np.ndarray):
        apart = [placed(np.zeros(each.shape, each.dtype), kind_of(each), layout) for each in expected]
        for into in (empty(expected), apart):
            assert first(function(*into, *args)) is into[0]
            check(tuple(into), expected, kind)
        into = empty(expected)
        assert first(getattr(into[0], name)(*into[1:], *args)) is into[0]
        check(tuple(into), expected, kind)
        assert all(np.array_equal(each, values) for each, values in zip(tensors, before, strict=True))
        for into in [
            view for each in tensors if each.dtype == expected[0].dtype for view in views(name, each, expected[0])
        ]:
            if name in ("addcmul", "addcdiv") and any(into is each for each in args[1:]):
                continue  # it counts as x there: test_operations.py
            check(function(into, *empty(expected)[1:], *args), expected, kind)
            for each, values in zip(tensors, before, strict=True):
                each.resize(*values.shape).copy(values)
    if isinstance(args[0], torch.Tensor) and name not in ("mm", "mv", "ger", "bmm"):
        found = getattr(args[0], name)(*args[1:])
        check(found, expected, kind)
        assert (first(found) is args[0]) == (name in operations.OPERATIONS)


def views(name, tensor, expected):
    """An argument as the result: itself, and turned round where it has the result's size then.

    That is another order of loops that go element by element (test_in_turns.py).
    """
    is_square = tensor.dim() == 2 and tensor.shape == expected.shape[::-1]
    return [tensor, tensor.t()] if is_square and name not in POINTWISE else [tensor]


def kind_of(array):
    return torch.Tensor.of(array).type().removeprefix("torch.").removesuffix("Tensor")


def first(found):
    return found[0] if isinstance(found, tuple) else found


def cast(make):
    """Fractions that come into tensors of small whole numbers, and what C makes of them: its ints' last bits."""
    x = np.array([-3.7, 300.2, 5, -1, -0.5, 127.9])
    for kind in ("Byte", "Char", "Short"):
        given = make(placed(x, "Float", "whole"))
        expected = np.trunc(x).astype(np.int64).astype(dtype_of(kind))
        whole = getattr(torch, f"{kind}Tensor")
        made, assigned, part, at = (make(whole(size)) for size in (6, 6, 8, 6))
        made.copy(given)
        part.narrow(1, 2, 6).copy(given)
        assigned[[1, 6],] = given
        at[make(torch.ByteTensor([1] * 6))] = given
        for each in (made, part.narrow(1, 2, 6), assigned, at, given.type(whole.name)):
            assert each.dtype == whole.dtype and np.array_equal(np.asarray(each), expected)


def test_fractions_become_whole_numbers_as_in_c():
    cast(lambda x: x)
    cast(lambda x: placed(x.numpy(), kind_of(x), COMPUTED))


def test_fractions_become_whole_numbers_as_in_c_on_an_accelerator(accelerator):
    cast(moved)


def test_what_is_added_up_in_16_bits_has_room():
    """Sums beyond what a HalfTensor holds, or beyond 2048, after which it does not hold every whole number."""
    many, far = torch.HalfTensor(5000, 2).fill(1), torch.HalfTensor([-300, 300])
    assert many.sum(1).totable() == [[5000, 5000]] and many.cumsum(1)[5000].totable() == [5000, 5000]
    columns, rows = torch.HalfTensor(3000, 2, 1).fill(1), torch.HalfTensor(3000, 1, 2).fill(1)
    assert torch.addbmm(torch.HalfTensor(2, 2).zero(), columns, rows).totable() == [[3000, 3000], [3000, 3000]]
    assert far.dot(far) == 180000 and far.dist(far.clone().zero()) == pytest.approx(np.sqrt(180000))
    assert far.norm(2, 1)[1] == far.std(1)[1] == np.float16(np.sqrt(180000))
    limited = far.view(1, 2).clone().renorm(2, 1, 5).numpy()
    np.testing.assert_allclose(limited, [[-np.sqrt(12.5), np.sqrt(12.5)]], 1e-3)
    assert torch.histc(torch.HalfTensor([-60000, 60000]), 2).totable() == [1, 1]
    most = torch.BFloat16Tensor(5000, 2).fill(1)  # which holds no whole number between 256 and 258
    assert most.sum() == 10000 and most.mean() == 1 and most.std() == 0
    assert most.mean(1).totable() == [[1, 1]] and most.sum(1).totable() == [[4992, 4992]]
    assert torch.HalfTensor(60, 60).fill(1).xcorr2(torch.HalfTensor(50, 50).fill(1))[1][1] == 2500


def test_norms_of_whole_numbers_have_room():
    assert torch.CharTensor([-128]).norm() == 128 and torch.ByteTensor([200, 200]).norm(1) == 400
    assert torch.CharTensor([-100]).dist(torch.CharTensor([100])) == 200
    with pytest.raises(TypeError, match="torch.histc: expected a tensor of a floating-point type"):
        torch.ByteTensor(1000).fill(5).histc(2)  # whose counts a ByteTensor has no room for


@pytest.mark.parametrize("kind", FLOATING)
def test_the_larger_and_the_smaller_are_the_other_where_one_is_not_a_number(kind):
    """As Torch7's code has it, `x > y ? x : y`: so `cmax(0)` takes NaN for 0."""
    x, y = (torch.Tensor(numbers).type(f"torch.{kind}Tensor") for numbers in ([NAN, 1, NAN, 2, 4], [3, NAN, NAN, 5, 1]))
    same(torch.cmax(x, 0).double(), [0, 1, 0, 2, 4])
    same(torch.cmax(x, y).double(), [3, NAN, NAN, 5, 4])
    same(torch.cmin(x, y).double(), [3, NAN, NAN, 2, 1])
    same(torch.cmin(x, NAN).double(), [NAN] * 5)
