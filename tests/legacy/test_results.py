"""Torch's operations that give new tensors, in every form of call, against formulas by NumPy."""

import numpy as np
import pytest

from functorch7.legacy import nn, torch
from functorch7.legacy.tensors import results

from .helpers import same

KINDS = ["Byte", "Char", "Short", "Int", "Long", "Float", "Double"]
LAYOUTS = ["whole", "transposed", "every other"]
X = np.array([[3, 1, 2, 2], [5, 4, 5, 1], [0, 2, 2, 7]])
OTHER = np.array([[3, 2, 2, 0], [1, 4, 6, 1], [0, 3, 1, 7]])
AT = np.array([[3, 1], [2, 2], [1, 3]])
FLOATING_ONLY = ("mean", "std", "var", "norm", "dist")


def place(values, kind, layout):
    """A tensor of these elements, and where they lie: whole, transposed, or every other column of a larger one."""
    make = getattr(torch, f"{kind}Tensor")
    if layout == "whole":
        return make(values)
    if layout == "transposed":
        return make(np.ascontiguousarray(values.T)).t()
    return make(np.stack([values, values * 0], -1)).select(3, 1)


def tensors(values, kind, layout):
    """The arguments of a call: matrices as tensors of a type, indices as LongTensors."""
    if values is AT:
        return torch.LongTensor(AT)
    if isinstance(values, list):
        return torch.LongTensor(values)
    return place(values, kind, layout) if isinstance(values, np.ndarray) else values


def sorted_by(descending, axis=1):
    def expected(x):
        order = np.argsort(-x if descending else x, axis, kind="stable")
        return np.take_along_axis(x, order, axis), order + 1

    return expected


def frequent(x):
    """The most frequent element of each row, the smallest of such."""
    values = [min(set(row), key=lambda v: (-row.count(v), v)) for row in x.tolist()]
    return np.array(values)[:, None]


CALLS = {  # the arguments after x, and the results
    "eq": [((2,), lambda x: x == 2), ((OTHER,), lambda x: x == OTHER)],
    "ne": [((2,), lambda x: x != 2), ((OTHER,), lambda x: x != OTHER)],
    "lt": [((2,), lambda x: x < 2), ((OTHER,), lambda x: x < OTHER)],
    "le": [((2,), lambda x: x <= 2), ((OTHER,), lambda x: x <= OTHER)],
    "gt": [((2,), lambda x: x > 2), ((OTHER,), lambda x: x > OTHER)],
    "ge": [((2,), lambda x: x >= 2), ((OTHER,), lambda x: x >= OTHER)],
    "sum": [((), lambda x: x.sum()), ((1,), lambda x: x.sum(0)[None]), ((2,), lambda x: x.sum(1)[:, None])],
    "prod": [((), lambda x: x.prod()), ((1,), lambda x: (x[0] * x[1] * x[2])[None])],
    "mean": [((), lambda x: x.sum() / 12), ((2,), lambda x: x.sum(1)[:, None] / 4)],
    "std": [
        ((), lambda x: x.std(ddof=1)), ((True,), lambda x: x.std()), ((1,), lambda x: x.std(0, ddof=1)[None]),
        ((1, True), lambda x: x.std(0)[None]),
    ],
    "var": [((), lambda x: x.var(ddof=1)), ((2,), lambda x: x.var(1, ddof=1)[:, None]), ((True,), lambda x: x.var())],
    "norm": [
        ((), lambda x: (x**2).sum() ** 0.5), ((1,), lambda x: x.sum()), ((0,), lambda x: (x != 0).sum()),
        ((3, 2), lambda x: (x**3).sum(1, keepdims=True) ** (1 / 3)),
    ],
    "dist": [((OTHER,), lambda x: ((x - OTHER) ** 2).sum() ** 0.5), ((OTHER, 1), lambda x: abs(x - OTHER).sum())],
    "dot": [((OTHER,), lambda x: (x * OTHER).sum())],
    "trace": [((), lambda x: x[0, 0] + x[1, 1] + x[2, 2])],
    "min": [((), lambda x: 0), ((1,), lambda x: ([[0, 1, 2, 1]], [[3, 1, 1, 2]]))],
    "max": [((), lambda x: 7), ((2,), lambda x: ([[3], [5], [7]], [[1], [1], [4]]))],
    "cumsum": [((), lambda x: x.cumsum(0)), ((2,), lambda x: x.cumsum(1))],
    "cumprod": [((), lambda x: x.cumprod(0)), ((2,), lambda x: x.cumprod(1))],
    "sort": [
        ((), sorted_by(False)), ((1,), sorted_by(False, 0)), ((True,), sorted_by(True)), ((2, True), sorted_by(True)),
    ],
    "topk": [
        ((2,), lambda x: tuple(each[:, :2] for each in sorted_by(False)(x))),
        ((2, 1, True), lambda x: tuple(each[:2] for each in sorted_by(True, 0)(x))),
        ((), lambda x: tuple(each[:, :1] for each in sorted_by(False)(x))),
    ],
    "kthvalue": [((3,), lambda x: tuple(each[:, 2:3] for each in sorted_by(False)(x)))],
    "median": [((), lambda x: tuple(each[:, 1:2] for each in sorted_by(False)(x)))],
    "mode": [((), lambda x: (frequent(x), [[4], [3], [3]]))],
    "index": [((2, [4, 1, 4]), lambda x: x[:, [3, 0, 3]]), ((1, [2]), lambda x: x[[1]])],
    "gather": [((2, AT), lambda x: np.array([[x[i, j - 1] for j in row] for i, row in enumerate(AT)]))],
    "nonzero": [((), lambda x: [[i + 1, j + 1] for i in range(3) for j in range(4) if x[i, j]])],
    "tril": [((), lambda x: x * (np.arange(4) <= np.arange(3)[:, None])), ((-1,), lambda x: np.tril(x, -1))],
    "triu": [((), lambda x: x * (np.arange(4) >= np.arange(3)[:, None])), ((1,), lambda x: np.triu(x, 1))],
    "diag": [((), lambda x: [3, 4, 2]), ((1,), lambda x: [1, 5, 7])],
    "histc": [((7,), lambda x: [1, 2, 4, 1, 1, 2, 1]), ((2, 1, 3), lambda x: [2, 5])],
    "bhistc": [((4, 1, 5), lambda x: [[1, 2, 1, 0], [1, 0, 0, 3], [0, 2, 0, 0]])],
    "cross": [((OTHER, 1), lambda x: np.cross(x, OTHER, axis=0)), ((OTHER,), lambda x: np.cross(x, OTHER, axis=0))],
}  # fmt: skip
ROWS = [(name, arguments, expected) for name, calls in CALLS.items() for arguments, expected in calls]
BYTE = ("eq", "ne", "lt", "le", "gt", "ge")


def named(each):
    return "" if callable(each) else str(each)


def test_every_row_has_calls_here():
    assert set(results.ROWS) == set(CALLS)


def compared(found, expected, name, kind):
    """Compares results; those of small whole numbers overflow as C's do."""
    expected = expected if isinstance(expected, tuple) else (expected,)
    found = found if isinstance(found, tuple) else (found,)
    for at, (got, wanted) in enumerate(zip(found, expected, strict=True)):
        wanted = np.asarray(wanted)
        if wanted.ndim:
            of_type = "Byte" if name in BYTE else "Long" if at or name == "nonzero" else kind
            assert got.type() == f"torch.{of_type}Tensor"
            wanted = wanted.astype(got.dtype)
        same(got, wanted, rtol=1e-6)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "arguments", "expected"), ROWS, ids=lambda each: None if callable(each) else str(each)
)
def test_forms(name, arguments, expected, kind, layout):
    if kind not in ("Float", "Double") and name in FLOATING_ONLY:
        return
    wanted = expected(X.astype(float if name in FLOATING_ONLY else int))
    function = getattr(torch, name)
    x, *rest = (tensors(each, kind, layout) for each in (X, *arguments))
    compared(function(x, *rest), wanted, name, kind)
    compared(getattr(x, name)(*rest), wanted, name, kind)
    same(x, X)
    if isinstance(wanted, tuple) or np.ndim(wanted):
        of_value = "Byte" if name in BYTE else "Long" if name == "nonzero" else kind
        into = [getattr(torch, f"{of_value}Tensor")(2), torch.LongTensor()][
            : len(wanted) if isinstance(wanted, tuple) else 1
        ]
        first, *_ = into
        for found in (function(*into, x, *rest), getattr(first, name)(*into[1:], x, *rest)):
            assert (found[0] if isinstance(found, tuple) else found) is first
            compared(found, wanted, name, kind)
        if of_value == kind:  # over x itself
            compared(function(x, *into[1:], x, *rest), wanted, name, kind)


ERRORS = [
    (lambda x: x.sum(3), IndexError, "torch.sum: dimension 3 out of range of a tensor of size 3x4"),
    (lambda x: x.sort(0), IndexError, "torch.sort: dimension 0 out of range"),
    (lambda x: x.index(1, torch.LongTensor([4])), IndexError, "torch.index: expected indices from 1 to 3, got 4 to 4"),
    (lambda x: x.index(1, torch.LongTensor([0])), IndexError, "torch.index: expected indices from 1 to 3"),
    (lambda x: x.topk(5), ValueError, "torch.topk: expected k from 1 to 4, got 5"),
    (lambda x: x.kthvalue(0), ValueError, "torch.kthvalue: expected k from 1 to 4, got 0"),
    (lambda x: x.eq(torch.ones(5)), ValueError, "torch.eq: expected tensors of as many elements"),
    (lambda x: x.kthvalue(), TypeError, r"torch.kthvalue: expected \(tensor, whole number, \[dimension\]\)"),
    (lambda x: torch.max("x"), TypeError, r"torch.max: expected \(tensor\) or \(tensor, dimension\)"),
    (lambda x: torch.sum(x, 1, 2, 3), TypeError, "got \\(a tensor of size 3x4, 1, 2, 3\\)"),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS)
def test_calls_of_no_form(call, error, message):
    with pytest.raises(error, match=message):
        call(torch.Tensor(X))


# At places ------------------------------------------------------------------------------------------------------------

MASK, PLACES = X % 2 == 1, np.array([[3, 1], [2, 4], [1, 3]])


def changed(change):
    """X after a change of a copy."""
    copy = X.copy()
    change(copy)
    return copy


def written(copy):
    copy[[2, 0]] = OTHER[:2]


def added(copy):
    np.add.at(copy, (slice(None), [3, 0, 3]), OTHER[:, :3])


def masked(copy):
    copy[MASK] = OTHER.reshape(-1)[: MASK.sum()]


IN_PLACE = {
    "indexCopy": ((1, [3, 1], OTHER[:2]), changed(written)),
    "indexAdd": ((2, [4, 1, 4], OTHER[:, :3]), changed(added)),
    "indexFill": ((2, [4, 1], 9), np.where(np.isin(np.arange(4), [0, 3]), 9, X)),
    "maskedFill": ((MASK.astype(int), 9), np.where(MASK, 9, X)),
    "maskedCopy": ((MASK.astype(int), OTHER), changed(masked)),
    "scatter": ((2, torch.LongTensor(PLACES), 9), changed(lambda copy: np.put_along_axis(copy, PLACES - 1, 9, 1))),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", IN_PLACE)
def test_writing_at_places(name, kind, layout):
    arguments, expected = IN_PLACE[name]
    x = place(X, kind, layout)
    storage = x.storage()
    given = [torch.LongTensor(each) if isinstance(each, list) else each for each in arguments]
    assert getattr(x, name)(*given) is x and x.storage() is storage
    same(x, expected)


@pytest.mark.parametrize("kind", KINDS)
def test_scatter_copies_elements_of_a_tensor(kind):
    expected = changed(lambda copy: np.put_along_axis(copy, PLACES - 1, OTHER[:, :2], 1))
    same(place(X, kind, "transposed").scatter(2, torch.LongTensor(PLACES), place(OTHER, kind, "whole")), expected)


def test_elements_where_a_mask_is_set():
    x, mask = torch.Tensor(X), torch.ByteTensor(MASK)
    same(x.maskedSelect(mask), X[MASK])
    result = torch.Tensor()
    assert result.maskedSelect(x, mask) is result
    same(result, X[MASK])
    with pytest.raises(
        ValueError, match="torch.maskedFill: expected a mask of as many elements as size 3x4, got size 2"
    ):
        x.maskedFill(torch.ByteTensor(2), 1)
    with pytest.raises(ValueError, match="torch.maskedCopy: expected 6 elements or more, got 1"):
        x.maskedCopy(mask, torch.ones(1))
    with pytest.raises(ValueError, match="torch.indexCopy: expected a tensor of size 2x4, got 3"):
        x.indexCopy(1, torch.LongTensor([1, 2]), torch.ones(3))


# Views ----------------------------------------------------------------------------------------------------------------


def numbered(*sizes):
    return torch.range(1, int(np.prod(sizes))).resize(*sizes)


VIEWS = {
    "squeeze": (lambda x: x.view(2, 1, 3, 1, 4).squeeze(), lambda a: a),
    "squeeze of one": (lambda x: x.view(2, 1, 3, 1, 4).squeeze(2), lambda a: a.reshape(2, 3, 1, 4)),
    "squeeze of none": (lambda x: x.squeeze(2), lambda a: a),
    "squeeze to one": (lambda x: x.narrow(1, 1, 1).narrow(2, 1, 1).narrow(3, 1, 1).squeeze(), lambda a: a[0, 0, :1]),
    "permute": (lambda x: x.permute(3, 1, 2), lambda a: a.transpose(2, 0, 1)),
    "unfold": (lambda x: x.unfold(3, 2, 2), lambda a: np.stack([a[..., :2], a[..., 2:]], -2)),
    "overlapping": (lambda x: x.unfold(2, 2, 1), lambda a: np.stack([a[:, :2], a[:, 1:]], 1).swapaxes(2, 3)),
    "split": (lambda x: x.split(2, 2)[1], lambda a: a[:, 2:]),
    "chunk": (lambda x: x.chunk(3, 3)[1], lambda a: a[..., 2:]),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_share_their_elements(name):
    view_of, expected = VIEWS[name]
    x = numbered(2, 3, 4)
    view, numbers = view_of(x), np.arange(1.0, 25).reshape(2, 3, 4)
    same(view, expected(numbers))
    assert view.storage() is x.storage()
    x.mul(2)
    same(view, expected(numbers) * 2)


def test_parts_are_all_of_a_dimension():
    x = numbered(5, 2)
    assert [part.size() for part in x.split(2)] == [[2, 2], [2, 2], [1, 2]]
    assert [part.size() for part in x.chunk(2)] == [[3, 2], [2, 2]]
    for wrong in (lambda: x.split(0), lambda: x.unfold(1, 6, 1), lambda: x.permute(1, 1), lambda: x.repeatTensor(2)):
        with pytest.raises(ValueError, match=r"torch.\w+: expected"):
            wrong()


def test_repeated_tensors():
    x = torch.Tensor([[1, 2], [3, 4]])
    for sizes in ((2, 3), (2, 1, 2), (torch.LongStorage([2, 1, 2]),)):
        times = tuple(sizes[0]) if len(sizes) == 1 else sizes
        same(x.repeatTensor(*sizes), np.tile([[1, 2], [3, 4]], times))
    result = torch.Tensor()
    assert result.repeatTensor(x, 2, 3) is result and result.size() == [4, 6]


@pytest.mark.parametrize("kind", [*KINDS, "Half"])
def test_casts(kind):
    x = torch.DoubleTensor([[1.7, 250.2], [3, 4]])
    cast = getattr(x, kind.lower())()
    assert cast.type() == f"torch.{kind}Tensor" and getattr(cast, kind.lower())() is cast
    if kind != "Char":
        same(cast, x.numpy().astype(cast.dtype))


def test_functions_of_elements():
    x, y = torch.Tensor([1, 2, 3]), torch.Tensor([4, 5, 6])
    assert x.map(y, lambda a, b: a * b if b > 4 else None) is x
    same(x, [1, 10, 18])
    same(x.map2(y, y, lambda a, b, c: a + b + c), [9, 20, 30])


def test_questions():
    x = torch.Tensor(X)
    assert x.equal(x.clone()) and not x.equal(x + 1) and not x.equal(x.view(4, 3)) and x.equal(x, x)
    assert x.any() and not x.all() and (x + 1).all() and not torch.zeros(3).any()
    assert x.isSize(torch.LongStorage([3, 4])) and not x.isSize([4, 3])
    assert x.isTensor(x) and not x.isTensor(3)


# Whole numbers, and the default type ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["Char", "Short", "Int", "Long"])
def test_quotients_of_whole_numbers_have_no_fraction(kind):
    values = np.array([7, -7, 6, -1])
    x, y = (getattr(torch, f"{kind}Tensor")(each) for each in (values, [2, 2, -4, 5]))
    expected = [3, -3, -1, 0]
    for found in (x / y, x.clone().cdiv(y), torch.cdiv(x, y)):
        assert found.type() == f"torch.{kind}Tensor"
        same(found, expected)
    for found in (x / 2, x.clone().div(2), torch.div(x, 2)):
        same(found, [3, -3, 3, 0])


def test_the_default_type():
    assert torch.getdefaulttensortype() == "torch.FloatTensor"
    before = nn.Linear(2, 2)
    torch.setdefaulttensortype("torch.DoubleTensor")
    assert torch.getdefaulttensortype() == "torch.DoubleTensor"
    made = [torch.Tensor(2), torch.Tensor([1, 2]), torch.rand(2), torch.randn(2), torch.zeros(2), torch.ones(2)]
    made += [torch.range(1, 3), torch.linspace(0, 1, 3), torch.randperm(3)]
    network = nn.Sequential().add(nn.Linear(2, 3)).add(nn.BatchNormalization(3)).add(nn.LSTM(3, 2))
    made += [*network.parameters()[0], *network.parameters()[1], network.get(2).running_mean]
    made += [network.forward(torch.randn(4, 2)), network.backward(torch.ones(4, 2), torch.ones(4, 2))]
    assert {each.type() for each in made} == {network.type()} == {"torch.DoubleTensor"}
    assert before.type() == before.weight.type() == "torch.FloatTensor"
    for wrong, error in (("torch.LongTensor", TypeError), ("torch.StrangeTensor", ValueError)):
        with pytest.raises(error):
            torch.setdefaulttensortype(wrong)
