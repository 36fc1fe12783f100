"""What tensors do at places and as views, wrong calls of operations, and the default type."""

import numpy as np
import pytest

from functorch7.legacy import nn, torch
from functorch7.legacy.tensors import devices

from .helpers import same

KINDS = ["Byte", "Char", "Short", "Int", "Long", "Half", "Float", "Double"]
LAYOUTS = ["whole", "transposed", "every other"]
X = np.array([[3, 1, 2, 2], [5, 4, 5, 1], [0, 2, 2, 7]])
OTHER = np.array([[3, 2, 2, 0], [1, 4, 6, 1], [0, 3, 1, 7]])


def place(values, kind, layout):
    """A tensor of these elements, and where they lie: whole, transposed, or every other column of a larger one."""
    make = getattr(torch, f"{kind}Tensor")
    if layout == "whole":
        return make(values)
    if layout == "transposed":
        return make(np.ascontiguousarray(values.T)).t()
    return make(np.stack([values, values * 0], -1)).select(3, 1)


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
    (lambda x: x.topk(0), ValueError, "torch.topk: expected k from 1 to 4, got 0"),
    (lambda x: x[1].trace(), ValueError, "torch.trace: expected a matrix, got size 4"),
    (lambda x: x[1].tril(), ValueError, "torch.tril: expected a matrix, got size 4"),
    (lambda x: x.view(3, 2, 2).triu(), ValueError, "torch.triu: expected a matrix, got size 3x2x2"),
    (lambda x: x.view(3, 2, 2).diag(), ValueError, "torch.diag: expected a vector or a matrix, got size 3x2x2"),
    (lambda x: x.diag(4), ValueError, "torch.diag: expected a matrix with a diagonal 4, got size 3x4"),
    (lambda x: x.diag(-3), ValueError, "torch.diag: expected a matrix with a diagonal -3, got size 3x4"),
    (lambda x: x[1].bhistc(), ValueError, "torch.bhistc: expected a matrix, got size 4"),
    (lambda x: x[1].cross(x[2]), ValueError, "torch.cross: expected a dimension of size 3, got size 4"),
    (lambda x: x.cross(x, 2), ValueError, "torch.cross: expected a dimension of size 3, got size 3x4"),
    (lambda x: x.cross(x.t()), ValueError, "torch.cross: expected the first tensor's size, 3x4, got size 4x3"),
    (lambda x: x[1].renorm(2, 1, 1), ValueError, "torch.renorm: expected two dimensions or more, got size 4"),
    (lambda x: x.renorm(0, 1, 1), ValueError, "torch.renorm: expected a norm's p above 0, got 0"),
    (lambda x: torch.Tensor().sum(1), ValueError, "torch.sum: expected a tensor with dimensions, got an empty one"),
    (lambda x: torch.Tensor().sort(), ValueError, "torch.sort: expected a tensor with dimensions, got an empty one"),
    *[
        (lambda x, name=name: getattr(torch.Tensor(), name)(), ValueError, f"torch.{name}: expected a tensor with elem")
        for name in ("min", "max", "mean", "std", "var")
    ],
    (lambda x: x.scatter(1, torch.LongTensor([[1, 2]]), 1), ValueError, "torch.scatter: expected indices of size nx4"),
    (
        lambda x: x.scatter(1, torch.LongTensor([[1] * 4]), torch.ones(1, 3)),
        ValueError,
        "torch.scatter: expected a source of size nx4, got size 1x3",
    ),
    (
        lambda x: x.scatter(1, torch.LongTensor([[1] * 4, [2] * 4]), torch.ones(1, 4)),
        ValueError,
        "torch.scatter: expected 2 numbers or more along dimension 1, got size 1x4",
    ),
    (lambda x: x.gather(2, torch.LongTensor([[1]])), ValueError, "torch.gather: expected indices of size 3xn, got"),
    (lambda x: x.fill(None), TypeError, "torch.fill: expected a number, got None"),
    (lambda x: x.maskedFill(x.gt(1), None), TypeError, "torch.maskedFill: expected a number, .* got None"),
    (lambda x: x.indexFill(1, torch.LongTensor([1]), "a"), TypeError, "torch.indexFill: expected a number, .* got 'a'"),
    (lambda x: torch.Tensor([1, None]), ValueError, r"torch.Tensor: expected numbers, .* got \[1, None\]"),
    (lambda x: x.apply(lambda each: "b"), ValueError, "torch.apply: expected numbers"),
    (lambda x: x.resizeAs(1), TypeError, "torch.resizeAs: expected a tensor, got 1"),
    (lambda x: torch.Tensor().histc(), ValueError, "torch.histc: expected a tensor with elements, got size 0"),
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


@pytest.mark.parametrize("kind", KINDS)
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


@pytest.mark.parametrize("name", ["torch.DoubleTensor", "torch.CudaTensor"])
def test_the_default_type(name, request):
    if name == "torch.CudaTensor":
        request.getfixturevalue("accelerator")
    assert torch.getdefaulttensortype() == "torch.FloatTensor"
    before = nn.Linear(2, 2)
    torch.setdefaulttensortype(name)
    assert torch.getdefaulttensortype() == name
    made = [torch.Tensor(2), torch.Tensor([1, 2]), torch.Tensor(torch.rand(2)), torch.rand(2), torch.randn(2)]
    made += [torch.zeros(2), torch.ones(2), torch.eye(2), torch.ByteTensor(2).real(), torch.Tensor(2).new(3)]
    made += [torch.range(1, 3), torch.linspace(0, 1, 3), torch.randperm(3)]
    network = nn.Sequential().add(nn.Linear(2, 3)).add(nn.BatchNormalization(3)).add(nn.LSTM(3, 2))
    made += [*network.parameters()[0], *network.parameters()[1], network.get(2).running_mean, network.output]
    made += [network.forward(torch.randn(4, 2)), network.backward(torch.ones(4, 2), torch.ones(4, 2))]
    made += [network.clearState().output, nn.ClassNLLCriterion(torch.ones(2)).weights]
    assert {each.type() for each in made} == {network.type()} == {name}
    assert torch.Storage(2).type() == name.replace("Tensor", "Storage")
    assert before.type() == before.weight.type() == "torch.FloatTensor"


def test_default_types_that_are_refused_and_whole_numbers():
    for wrong, error in (("torch.CudaTensor", RuntimeError), ("torch.StrangeTensor", ValueError)):
        with pytest.raises(error):
            torch.setdefaulttensortype(wrong)
    torch.setdefaulttensortype("torch.IntTensor")
    made = [torch.Tensor([1.7, -1.7]), torch.zeros(2), torch.range(1, 3), torch.randperm(3), torch.eye(2)]
    assert {each.type() for each in made} == {"torch.IntTensor"}
    assert made[0].totable() == [1, -1]
    with pytest.raises(TypeError, match="modules need a default tensor type of floating-point numbers, .*IntTensor"):
        nn.ReLU()
    with pytest.raises(TypeError, match="torch.rand: expected a floating-point type, got int32"):
        torch.rand(2)


def test_fields_are_tables_from_the_beginning_where_they_will_be():
    assert nn.CAddTable().gradInput == nn.ConcatTable().output == [] and nn.SplitTable(1).output.dim() == 0
    chain = nn.Sequential().add(nn.ParallelTable()).add(nn.Linear(2, 2)).add(nn.ConcatTable())
    both_ways = nn.BiSequencer(nn.LSTM(2, 2))
    assert chain.output == chain.gradInput == both_ways.output == both_ways.gradInput == []
    assert nn.CAddTable().output.nElement() == nn.Linear(2, 2).gradInput.nElement() == 0
    assert nn.ReinforceNormal(0.1).gradInput.nElement() == 0  # of two parameters it gets one
    pairs = (nn.MM(), nn.MV(), nn.DotProduct(), nn.CosineDistance(), nn.Bilinear(2, 2, 2), nn.Index(1))
    for layer in (*pairs, nn.ReinforceNormal(), nn.ReinforceGamma()):
        assert [each.nElement() for each in layer.double().gradInput] == [0, 0]
        assert {each.type() for each in layer.gradInput} == {"torch.DoubleTensor"}


@pytest.mark.parametrize("kind", [nn.Linear, nn.MSECriterion])
def test_what_fields_hold_before_a_call_is_kept_and_cast(kind):
    """Users' methods write into `self.output` and `self.gradInput` before any call has made them."""
    object = kind(2, 3) if kind is nn.Linear else kind()
    kept = object.gradInput
    assert kept is object.gradInput and kept.type() == "torch.FloatTensor"
    kept.resize(2).fill(3)
    object.double()
    assert object.gradInput.type() == "torch.DoubleTensor" and object.gradInput.totable() == [3, 3]
    assert kept.type() == "torch.FloatTensor"


def test_a_criterion_may_find_its_gradient_with_its_loss():
    class OneStep(nn.Criterion):
        def updateOutput(self, input, target):
            self.gradInput.resizeAs(input).zero()
            self.gradInput[1] = -1
            return -input[1]

        def updateGradInput(self, input, target):
            return self.gradInput

    criterion, x = OneStep(), torch.Tensor([0.5, 2])
    assert criterion.forward(x, x) == -0.5 and criterion.backward(x, x).totable() == [-1, 0]


OF_ALL = {
    "sum": (lambda x: x.sum(), np.sum),
    "mean": (lambda x: x.mean(), np.mean),
    "prod": (lambda x: torch.prod(x / 4), lambda x: np.prod(x / 4)),
    "std": (lambda x: x.std(), lambda x: np.std(x, ddof=1)),
    "biased variance": (lambda x: x.var(True), np.var),
    "norm": (lambda x: x.norm(), np.linalg.norm),
    "norm, p = 1": (lambda x: torch.norm(x, 1), lambda x: np.abs(x).sum()),
    "norm, p = 3": (lambda x: x.norm(3), lambda x: (np.abs(x) ** 3).sum() ** (1 / 3)),
    "distance": (lambda x: x.dist(x * 0), np.linalg.norm),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", OF_ALL)
def test_numbers_of_all_elements_are_doubles_as_in_c(name, layout):
    """Of floats, too: a mean of 0.1 is exactly what 11 / 110 is, and large sums lose nothing."""
    of_tensor, of_numpy = OF_ALL[name]
    values = np.float32(np.random.default_rng(0).normal(size=(9, 7)))
    x = place(values, "Float", layout)
    assert of_tensor(x) == pytest.approx(of_numpy(values.astype(np.float64)), rel=1e-14)


def test_values_that_no_formula_gives_are_those_of_c():
    """By torch7's THTensorMath.c: what is undefined, on an edge, or asked for the other way round."""
    one, x = torch.DoubleTensor([[2, 5]]), torch.DoubleTensor([-2, 0, 4])
    same([one.std(1), one.var(1), one.var(1, True)], [[[np.nan] * 2], [[np.nan] * 2], [[0, 0]]])
    assert np.isnan(torch.DoubleTensor([3]).std()) and torch.DoubleTensor([3]).var(True) == 0
    same(torch.clamp(x, 3, -1), [3, 3, -1])  # below 3 is 3, and what is not is above -1
    same(torch.DoubleTensor([np.nan, -2, 0]).sign(), [0, -1, 0])
    seven, tenth = torch.DoubleTensor([7, -7, 0.3]), torch.DoubleTensor([0.1, 0.1, np.inf])  # 7 / 0.1 is rounded to 70
    same([torch.remainder(seven, 0.1), seven % 0.1, seven % tenth], [[0, 0, 0.3 - 0.2]] * 2 + [[0, 0, np.nan]])
    same(torch.FloatTensor([0.7, 2, -1, 1]).histc(10, 0, 1), np.eye(10)[7] + np.eye(10)[9])
    same(torch.FloatTensor([0.175]).histc(10), np.eye(10)[5])  # in the middle, on an edge
    assert torch.Tensor().sum() == 0 and torch.Tensor().prod() == 1
    assert torch.Tensor().apply(lambda each: 1).dim() == torch.Tensor(3).resize().dim() == 0
    whole = torch.IntTensor([2, -1, 1, 3])  # without the fraction, as pow(3) keeps none of an int's
    same(torch.cpow(whole, torch.IntTensor([-1, -3, -2, 2])), [0, -1, 1, 9])
    undefined = torch.Tensor([np.nan, 1])  # as a whole number it is any, of which nobody warns
    for made in (undefined.int(), torch.IntTensor(2).copy(undefined), torch.IntTensor([np.nan, 1])):
        assert made[2] == 1


@pytest.mark.parametrize("name, args", [
    ("max", (1,)), ("min", (2,)), ("sort", ()), ("sort", (1, True)), ("topk", (2,)), ("kthvalue", (2, 1)),
    ("median", ()), ("mode", (2,)),
])  # fmt: skip
def test_elements_or_their_places_alone_may_have_a_tensor(name, args):
    """As in `state.u:max(state.max, 1)` of optim's adamax: what is left out is made."""
    x = torch.Tensor(X)
    expected = getattr(torch, name)(x, *args)
    for at, result in enumerate((torch.Tensor(5), torch.LongTensor())):
        found = getattr(torch, name)(result, x, *args)
        assert found[at] is result and getattr(result.clone(), name)(x, *args)[at].equal(result)
        same(found, [each.numpy() for each in expected])
    longs = torch.LongTensor(X)  # of this type are both: elements come first
    result = torch.LongTensor()
    assert getattr(torch, name)(result, longs, *args)[0] is result
    same(result, expected[0].numpy())


def test_means_and_large_sums():
    x = torch.FloatTensor(100).zero()
    x.narrow(1, 1, 11).fill(1)
    assert x.mean() == 0.11
    assert torch.FloatTensor(3).fill(2**24 + 2).sum() == 3 * (2**24 + 2)


def test_indices_are_compared_with_classes_where_there_is_a_gpu(monkeypatch):
    """cutorch's were floats until 2016; on the CPU tensors of different types are refused, as ever."""
    x, classes = torch.FloatTensor([[1, 3], [5, 2]]), torch.FloatTensor([2, 2]).view(2, 1)
    _, found = x.max(2)
    with pytest.raises(TypeError, match="expected a torch.LongTensor"):
        found.eq(classes)
    monkeypatch.setattr(devices.CurrentDevice, "is_stand_in", True)
    same(found.eq(classes), [[1], [0]])
    same(classes.ge(found), [[1], [1]])
    with pytest.raises(TypeError, match="expected a torch.LongTensor"):
        found.cmul(classes)
    with pytest.raises(TypeError, match="expected a torch.DoubleTensor"):
        x.double().eq(x)
