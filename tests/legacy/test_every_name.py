"""Every documented name of Torch is here, and every function of arrays is held against NumPy in all ways to call it."""

import importlib
import io

import numpy as np
import pytest

from functorch7.legacy import torch
from functorch7.legacy.tensors import operations

from .helpers import same
from .test_operations import BELOW_1, FORMS, RESULT_FIRST
from .torch_names import NAMES

OBJECTS = {
    "torch CmdLine method": torch.CmdLine, "torch File method": lambda: torch.MemoryFile(), "torch Tester method":
    torch.Tester, "torch TestSuite method": torch.TestSuite, "torch Timer method": torch.Timer,
    "torch Storage method": lambda: torch.CharStorage(2), "torch Tensor method": lambda: torch.Tensor(2),
}  # fmt: skip
"""What has the methods; those of a Generator are functions of torch, whose first argument it is."""


@pytest.mark.parametrize("kind", NAMES)
def test_every_documented_name_is_here(kind):
    package, _, what = kind.partition(" ")
    holder = OBJECTS[kind]() if kind in OBJECTS else importlib.import_module(f"functorch7.legacy.{package}")
    missing = [name for name in NAMES[kind].split() if not hasattr(holder, name)]
    assert not missing, what


WHOLE = "Byte Char Short Int Long".split()
FLOATING = ("Float", "Double", "Half")
OF_WHOLE = (
    "add csub mul div fmod remainder clamp cmul cdiv cmax cmin addcmul mod cfmod cmod cremainder lshift rshift clshift "
    "crshift addmm addmv addr baddbmm addbmm abs sign neg mm mv ger bmm pow"
).split()
"""Operations that Torch has for whole numbers, too."""


def laid_out(array, kind, layout):
    """A tensor with an array's numbers: contiguous, transposed, or every other number of a larger one."""
    make = getattr(torch, f"{kind}Tensor")
    if layout == "transposed" and array.ndim > 1:
        return make(np.ascontiguousarray(array.swapaxes(0, 1))).transpose(1, 2)
    if layout == "apart":
        return make(np.stack([array, array], -1)).select(array.ndim + 1, 1)
    return make(array)


def whole(value):
    """Small numbers greater than 0 in an array's place, with which no type overflows."""
    return np.arange(value.size).reshape(value.shape) % 3 + 1 if isinstance(value, np.ndarray) else max(int(value), 2)


def computed(name, args):
    """The formula, of NumPy's arrays."""
    operation = operations.OPERATIONS[name]
    form, given = operation.without_result(tuple(args))
    return operation.forms[form](np, *given)


@pytest.mark.parametrize("layout", ["whole", "transposed", "apart"])
@pytest.mark.parametrize("name", [*FORMS, *RESULT_FIRST])
def test_every_type_and_layout(name, layout):
    """Results, and arguments as they were before; the result may be one of the arguments, or lie apart itself.

    Of doubles the numbers are those of the tables; single precision and whole numbers follow the same formulas.
    """
    function, args, expected = (FORMS | RESULT_FIRST)[name]
    for kind in (*FLOATING, *(WHOLE if function in OF_WHOLE else ())):
        arrays = [whole(each) if kind in WHOLE else each for each in args]
        wanted = computed(function, arrays) if kind in WHOLE else np.asarray(expected)
        if kind in WHOLE:
            wanted = wanted.astype(getattr(torch, f"{kind}Tensor").dtype)  # bytes have no sign
        given = [laid_out(each, kind, layout) if isinstance(each, np.ndarray) else each for each in arrays]
        close = {"Half": 3e-2, "Float": 1e-4}.get(kind, 1e-6)
        found = getattr(torch, function)(*given)
        assert found.type() == f"torch.{kind}Tensor"
        same(found, wanted, rtol=close, atol=close)
        kept = [np.array(each) for each in given if isinstance(each, torch.Tensor)]
        result = laid_out(np.zeros(wanted.shape), kind, layout)
        assert getattr(torch, function)(result, *given) is result
        same(result, wanted, rtol=close, atol=close)
        same([each for each in given if isinstance(each, torch.Tensor)], kept)
        aliased = next(each for each in given if isinstance(each, torch.Tensor))
        same(getattr(torch, function)(aliased, *given), wanted, rtol=close, atol=close)


def test_angles_have_their_formulas():
    """The table's own: arcs by the arc tangent."""
    same(np.arcsin(BELOW_1) + np.arccos(BELOW_1), np.full(BELOW_1.shape, np.pi / 2))


X, Y = torch.DoubleTensor([[1, 2], [3, 4]]), torch.FloatTensor([[1, 2], [3, 4]])
MIXED = {
    "add": [lambda: X.clone().add(Y), lambda: torch.add(X, Y), lambda: X + Y, lambda: torch.FloatTensor().add(X, 1)],
    "cmul": [lambda: X.clone().cmul(Y), lambda: torch.cmul(X, Y), lambda: torch.Tensor().cmul(X, X)],
    "sub": [lambda: X - Y], "truediv": [lambda: Y / X], "lt": [lambda: X < Y], "eq": [lambda: torch.eq(X, Y)],
    "mm": [lambda: X * Y, lambda: torch.mm(X, Y), lambda: torch.mm(torch.FloatTensor(), X, X)],
    "addmm": [lambda: X.clone().addmm(2, 3, X, Y)], "mv": [lambda: X * Y[1]], "dot": [lambda: X.dot(Y)],
    "addcmul": [lambda: X.clone().addcmul(2, X, Y)], "cat": [lambda: torch.cat(X, Y), lambda: torch.cat(Y, X, X)],
    "dist": [lambda: X.dist(Y)], "gesv": [lambda: torch.gesv(X, Y)], "conv2": [lambda: torch.conv2(X, Y)],
    "sum": [lambda: torch.sum(torch.FloatTensor(), X, 1)], "cumsum": [lambda: torch.IntTensor().cumsum(X)],
    "max": [lambda: torch.max(torch.DoubleTensor(), torch.IntTensor(), X, 1)],
    "sort": [lambda: torch.sort(torch.FloatTensor(), torch.LongTensor(), X)],
    "nonzero": [lambda: torch.ByteTensor().nonzero(X)], "set": [lambda: torch.DoubleTensor().set(Y)],
    "ge": [lambda: torch.ge(torch.IntTensor(), X, 2)],
}  # fmt: skip


@pytest.mark.parametrize("name", MIXED)
def test_tensors_of_different_types_are_an_error_that_names_the_call(name):
    for call in MIXED[name]:
        with pytest.raises(TypeError, match=rf"^torch\.{name}: expected a torch.\w+Tensor.*, got a? ?torch.\w+Tensor"):
            call()


def test_what_takes_tensors_of_any_type():
    same(torch.FloatTensor(2, 2).copy(X), X)
    assert torch.eq(torch.DoubleTensor(), X, 2).type() == "torch.DoubleTensor"  # a comparison's result is also of x's
    same(X + np.float32([[1, 1], [1, 1]]), [[2, 3], [4, 5]])  # arrays
    same(X.index(1, torch.LongTensor([2])), [[3, 4]])
    same(X.maskedSelect(torch.ByteTensor([[1, 0], [0, 1]])), [1, 4])
    same(torch.DoubleTensor().resize(2, 2).typeAs(Y) + Y, Y)
    with io.StringIO() as text:
        print(X.float() + Y, file=text)
        assert "torch.FloatTensor of size 2x2" in text.getvalue()
