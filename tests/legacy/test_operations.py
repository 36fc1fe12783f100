"""Torch's operations on tensors, as methods, functions and operators; beside NumPy, and as in torch7/doc/maths.md."""

import operator

import numpy as np
import pytest

from functorch7.legacy import nn, torch

from .helpers import same, values

ones = torch.ones

A, B = (np.abs(values(2, 3, seed=seed)) + 0.5 for seed in (1, 2))
M, N, P = values(2, 3, seed=4), values(3, 4, seed=5), values(2, 4, seed=6)
V, U = values(3, seed=7), values(2, seed=9)


def tensors(args):
    return [torch.DoubleTensor(arg) if isinstance(arg, np.ndarray) else arg for arg in args]


def test_scaled_products_as_methods():
    """`M:addmv(s, A, v)` is M + s A v, `M:addmm(a, b, A, B)` is a M + b A B."""
    same(torch.DoubleTensor(U).addmv(3, *tensors([M, V])), U + 3 * M @ V)
    same(torch.DoubleTensor(P).addmm(2, 3, *tensors([M, N])), 2 * P + 3 * M @ N)
    same(torch.DoubleTensor(P).addmm(*tensors([P, 3, M, N])), P + 3 * M @ N)


def test_the_examples_of_the_chapter_on_maths():
    """Tensors of as many elements are combined in order, whatever their sizes; the result has the first's."""

    def two():
        return torch.Tensor(2, 2).fill(2)

    three = torch.Tensor(4).fill(3)
    for made, expected in {
        "add": (two().add(three), 5), "scaled": (two().add(2, three), 8), "csub": (two().csub(three), -1),
        "cmul": (two().cmul(three), 6), "cpow": (two().cpow(three), 8),
        "addcmul": (two().addcmul(2, three, torch.Tensor(2, 2).fill(5)), 32), "+": (two() + three, 5),
    }.values():  # fmt: skip
        same(made, np.full((2, 2), expected))
    same(torch.Tensor(2, 2).fill(1).cdiv(torch.range(1, 4)), [[1, 1 / 2], [1 / 3, 1 / 4]])
    same(three - two(), [1, 1, 1, 1])
    assert two().dot(three) == torch.dot(two(), three) == 24
    same(torch.Tensor([[1, 2], [3, 4]]) % 3, [[1, 2], [0, 1]])
    same(torch.addr(torch.Tensor(3, 2), torch.range(1, 3), torch.range(1, 2)), [[1, 2], [2, 4], [3, 6]])
    same(torch.fmod(torch.Tensor([-3, 3]), 2), [-1, 1])
    same(torch.remainder(torch.Tensor([-3, 3]), -2), [-1, -1])


def test_a_column_and_a_vector_are_combined_by_elements():
    column, vector = torch.DoubleTensor(values(4, 1)), torch.DoubleTensor(values(4, seed=1))
    for made, expected in [
        (column - vector, np.asarray(column) - np.asarray(vector)[:, None]),
        (vector - column, np.asarray(vector) - np.asarray(column)[:, 0]),
        (column / vector, np.asarray(column) / np.asarray(vector)[:, None]),
        (column + np.asarray(vector), np.asarray(column) + np.asarray(vector)[:, None]),
        (np.asarray(vector) + column, np.asarray(vector) + np.asarray(column)[:, 0]),
    ]:
        same(made, expected)
    same(column < vector, np.asarray(column) < np.asarray(vector)[:, None])
    same(torch.eq(column, torch.DoubleTensor(np.asarray(column)[:, 0])), np.ones((4, 1)))
    same(torch.eq(column, 3), np.zeros((4, 1)))


def test_times_is_the_product_of_matrices_and_vectors():
    same(torch.Tensor(2, 2).fill(2) * torch.Tensor(2, 4).fill(3), np.full((2, 4), 12))
    same(torch.Tensor(2, 2).fill(2) * torch.Tensor(2).fill(4), [16, 16])
    assert torch.Tensor(2).fill(4) * torch.Tensor(2).fill(5) == 40
    m, n, v = tensors([M, N, V])
    same(m * n, M @ N)
    same(m * v, M @ V)
    same(m * N, M @ N)
    same(M * n, M @ N)
    same(m * 3 + 3 * m, 6 * M)
    same(m * np.float32(2), 2 * M)
    assert isinstance(v * v, float) and v * v == pytest.approx((V**2).sum())


@pytest.mark.parametrize("call, sizes", [
    (lambda: ones(2, 3) + ones(3), "2x3 and 3"),
    (lambda: ones(4) - ones(1), "4 and 1"),
    (lambda: ones(2, 3) / ones(2), "2x3 and 2"),
    (lambda: ones(2) ** ones(3), "2 and 3"),
    (lambda: ones(2) < ones(3), "2 and 3"),
    (lambda: ones(2) + np.ones(3), "2 and 3"),
    (lambda: torch.eq(ones(2, 1), ones(2, 3)), "2x1 and 2x3"),
    (lambda: np.ones(3) - ones(2), "3 and 2"),
    (lambda: ones(2, 1).add(ones(2, 3)), "2x1 and 2x3"),
    (lambda: ones(2).cmul(ones(1)), "2 and 1"),
    (lambda: ones(2).csub(ones(3)), "2 and 3"),
    (lambda: ones(2).cmax(ones(3)), "2 and 3"),
    (lambda: ones(2).dot(ones(3)), "2 and 3"),
    (lambda: ones(2, 3).addcmul(ones(6), ones(5)), "2x3 and 5"),
    (lambda: ones(2, 3) * ones(2, 3), "2x3 and 2x3"),
    (lambda: ones(2, 3) * ones(2), "2x3 and 2"),
    (lambda: ones(2) * ones(3), "2 and 3"),
    (lambda: torch.mm(ones(2), ones(2, 2)), "2 and 2x2"),
    (lambda: ones(2, 2).addmm(ones(2, 3), ones(3, 4)), "2x2 and 2x3 and 3x4"),
    (lambda: ones(2) * ones(2, 3), "2.* 2x3"),
    (lambda: ones(2, 3).copy(ones(2)), "2x3, got size 2"),
    (lambda: ones(2, 2, 2) * ones(2), "2x2x2.* 2"),
    (lambda: ones(2, 3).__setitem__(1, ones(2)), "3, got 2"),
    (lambda: ones(2, 3).expand(3, 3), "2x3, got 3x3"),
])  # fmt: skip
def test_sizes_that_do_not_fit_are_an_error_that_names_both(call, sizes):
    with pytest.raises(ValueError, match=sizes):
        call()


@pytest.mark.parametrize("call", [
    lambda t: t.add(), lambda t: t.add("3"), lambda t: t.add(2, 3), lambda t: t.mul(t), lambda t: t.cmul(3),
    lambda t: t.exp(3), lambda t: t.mm(t), lambda t: torch.exp("3"), lambda t: torch.dot(t, t, t), lambda t: t.pow(t),
])  # fmt: skip
def test_arguments_that_no_form_takes_are_an_error_with_the_forms(call):
    with pytest.raises(TypeError, match=r"torch\.\w+: expected \(.*, got \("):
        call(torch.Tensor(2, 2))


def test_numbers_without_dimensions_combine_with_any_size():
    t = torch.Tensor([1, 2])
    scalar = torch.Tensor.of(np.float32(3).reshape(()))
    for made in (t + scalar, scalar + t, t + np.float64(3), t + np.array(3)):
        same(made, [4, 5])
        assert made.dtype == np.float32
    same(t * scalar, [3, 6])
    same(t.add(scalar), [4, 5])


def test_undefined_and_infinite_results_are_no_error():
    same(torch.Tensor([-1, 0]).log(), [np.nan, -np.inf])
    same(torch.Tensor([1, 0]) / 0, [np.inf, np.nan])


def test_equality_of_tensors_is_identity():
    t = torch.Tensor(2)
    assert t == t and t != torch.Tensor(2)


def test_norms():
    t = torch.DoubleTensor([[3, 0], [0, -4]])
    assert (t.norm(), t.norm(1), torch.norm(t)) == (5, 7, 5)


def test_a_result_may_be_an_argument():
    x = torch.DoubleTensor(A)
    assert torch.log(x, x) is x
    same(x, np.log(A))
    m = torch.DoubleTensor(M)
    same(torch.mm(m, m, torch.DoubleTensor(N)), M @ N)


def test_mean_squared_error_of_a_column_and_a_vector_is_that_of_pairs():
    """The N x 1 output of a network beside N targets: once 4 x 4 without a word."""
    output, target = torch.DoubleTensor(values(4, 1)), torch.DoubleTensor(values(4, seed=1))
    difference = output - target
    pairs = zip(np.asarray(output).ravel(), np.asarray(target), strict=True)
    assert (difference.norm() ** 2) / 4 == pytest.approx(np.mean([(a - b) ** 2 for a, b in pairs]))
    assert difference.size() == [4, 1]


class Broadcasting(nn.Module):
    """PyTorch's operators."""

    def forward(self, x, row):
        return (x * x + row) / row


class ByHand(nn.Module):
    """Torch7's operators, also inside a module in PyTorch's style."""

    def updateOutput(self, input):
        self.output = input * input.t() * torch.DoubleTensor([1, 2])
        return self.output

    def updateGradInput(self, input, gradOutput):
        self.gradInput = gradOutput
        return self.gradInput


class Around(nn.Module):
    """Both."""

    def __init__(self):
        super().__init__()
        self.inner = ByHand()

    def forward(self, x):
        return self.inner(x * x) * torch.DoubleTensor([10.0, 100.0])


def test_in_forward_and_in_hooks_operators_are_those_of_pytorch():
    m, row = values(2, 3), np.abs(values(1, 3, seed=1)) + 1
    net = Broadcasting().double()
    same(net(torch.DoubleTensor(m), torch.DoubleTensor(row)), (m * m + row) / row)
    linear, factor = nn.Linear(3, 3).double(), torch.DoubleTensor(row)
    plain = np.array(linear.forward(m))
    linear.register_forward_hook(lambda module, input, output: output * factor)
    same(linear.forward(m), plain * row)
    same(linear.forward(m), plain * row)
    square = values(2, 2, seed=2)
    inner = (square**2) @ (square**2).T @ [1, 2]
    same(Around().double().forward(torch.DoubleTensor(square)), inner * [10, 100])
    assert torch.Tensor(2).fill(1) * torch.Tensor(2).fill(1) == 2


@pytest.mark.parametrize("kind", ["Byte", "Char", "Short", "Int", "Long"])
@pytest.mark.parametrize("name", ["bitand", "bitor", "bitxor", "lshift", "rshift"])
def test_bits_of_whole_numbers(name, kind):
    operator = {"bitand": "__and__", "bitor": "__or__", "bitxor": "__xor__", "lshift": "__lshift__"}
    x, y = [12, 5, 7, 1], [3, 1, 2, 0]
    make, of_ints = getattr(torch, f"{kind}Tensor"), operator.get(name, "__rshift__")
    same(getattr(torch, name)(make(x), 2), [getattr(a, of_ints)(2) for a in x])
    same(getattr(make(x), f"c{name}")(make(y)), [getattr(a, of_ints)(b) for a, b in zip(x, y, strict=True)])


def test_bits_of_other_numbers_are_an_error():
    with pytest.raises(TypeError, match="expected a tensor of whole numbers, got float32"):
        torch.bitand(ones(3), 1)


MADE = {
    "zeros": ((2, 3), np.zeros((2, 3))),
    "ones": ((2, 3), np.ones((2, 3))),
    "eye": ((2, 3), [[1, 0, 0], [0, 1, 0]]),
    "range": ((2, 7, 2), [2, 4, 6]),
    "linspace": ((1, 2, 5), [1, 1.25, 1.5, 1.75, 2]),
    "logspace": ((0, 2, 3), [1, 10, 100]),
}


@pytest.mark.parametrize("kind", ["Byte", "Int", "Long", "Float", "Double"])
@pytest.mark.parametrize("name", MADE)
def test_tensors_of_numbers_alone(name, kind):
    args, expected = MADE[name]
    made, result = getattr(torch, name)(*args), getattr(torch, f"{kind}Tensor")(7)
    assert made.type() == "torch.FloatTensor"
    same(made, expected)
    assert getattr(torch, name)(result, *args) is result and result.type() == f"torch.{kind}Tensor"
    same(result, np.asarray(expected).astype(result.dtype))
    same(getattr(torch.DoubleTensor(2, 2).t(), name)(*args), expected)


def test_documented_defaults_of_tensors_of_numbers():
    same(torch.eye(2), [[1, 0], [0, 1]])
    same(torch.linspace(1, 100), np.arange(1, 101))
    same(torch.range(3, 1, -1), [3, 2, 1])
    same(torch.ones(torch.LongStorage([2, 1])), [[1], [1]])
    with pytest.raises(ValueError, match="torch.range: expected a step from 1 towards 3, got -1"):
        torch.range(1, 3, -1)


def test_tensors_one_after_the_other():
    x, y, result = torch.DoubleTensor(A), torch.DoubleTensor(B), torch.DoubleTensor()
    for dim, axis in (((), -1), ((1,), 0), ((2,), 1)):
        expected = np.concatenate([A, B], axis)
        for made in (torch.cat(x, y, *dim), torch.cat([x, y], *dim), torch.cat(result, x, y, *dim),
                     torch.cat(result, [x, y], *dim), torch.DoubleTensor().cat(x, y, *dim)):  # fmt: skip
            same(made, expected)
    same(torch.cat([x, y, x], 1), np.concatenate([A, B, A]))
    same(torch.DoubleTensor.cat([x, y], 2), np.concatenate([A, B], 1))
    # Dimensions that a tensor lacks have size 1, as in TH's catArray.
    same(torch.cat(x, y, 3), np.stack([A, B], 2))
    same(torch.cat([x, torch.cat(y, y, 3)], 3), np.stack([A, B, B], 2))
    empty = torch.DoubleTensor()
    assert all(torch.cat(empty, empty, dim).dim() == 0 for dim in (1, 2, 3))
    same(torch.cat([empty, x, empty], 2), A)
    for wrong in (lambda: torch.cat(x), lambda: torch.cat(3), lambda: torch.cat(x, 1), lambda: torch.cat([])):
        with pytest.raises(TypeError, match="torch.cat: expected"):
            wrong()
    with pytest.raises(
        ValueError, match="torch.cat: expected tensors of the same sizes but for one dimension, got 2x3, 3"
    ):
        torch.cat([x, torch.DoubleTensor(3)], 1)


def test_methods_are_functions_too():
    x, result = torch.DoubleTensor(A), torch.DoubleTensor(1)
    same(torch.reshape(x, 3, 2), A.reshape(3, 2))
    assert torch.reshape(result, x, torch.LongStorage([6])) is result
    same(result, A.reshape(6))
    assert torch.numel(x) == torch.nElement(x) == 6 and torch.equal(x, torch.clone(x))
    same(torch.squeeze(torch.ones(1, 2, 1)), [1, 1])
    result = torch.Tensor(3)
    assert torch.squeeze(result, torch.Tensor([[4]])) == 4 and result.totable() == [4]
    assert [part.size() for part in torch.split(x, 2, 2)] == [[2, 2], [2, 1]]


CHANGING = {
    "+=": operator.iadd, "-=": operator.isub, "*=": operator.imul, "/=": operator.itruediv, "%=": operator.imod,
    "**=": operator.ipow,
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGING)
@pytest.mark.parametrize("kind", ["Float", "Double", "Int", "Byte"])
def test_operators_with_an_equals_sign_change_the_tensor_itself(name, kind):
    make, change = getattr(torch, f"{kind}Tensor"), CHANGING[name]
    plain = getattr(operator, change.__name__.removeprefix("i"))
    numbers = np.arange(1, 13).reshape(3, 4)
    others = [2] if name == "*=" else [2, make((numbers % 5 + 1).tolist())]
    for view in (lambda t: t, lambda t: t.narrow(2, 2, 2), lambda t: t.t(), lambda t: t.select(1, 2)):
        for given in others:
            whole = make(numbers.tolist())
            part = view(whole)
            other = given if given == 2 else view(given)
            wanted = plain(part.clone(), other if given == 2 else other.clone()).numpy()
            changed = change(part, other)
            assert changed is part
            same(part, wanted)
            same(view(whole), wanted)
            assert (whole.numpy() == numbers).sum() >= numbers.size - part.nElement()


def test_parameters_learn_by_operators_with_an_equals_sign():
    net = nn.Linear(3, 2)
    parameters, gradients = net.getParameters()
    x, before = values(4, 3), parameters.numpy().copy()
    net.forward(x)
    net.backward(x, np.ones((4, 2)))
    parameters -= 0.1 * gradients
    same(net.bias, before[6:] - 0.4, 1e-6)
    for _, parameter in net.named_parameters():
        parameter -= 0.1 * parameter.grad
    same(net.bias, before[6:] - 0.8, 1e-6)
    matrix = kept = torch.Tensor([[1, 2], [3, 4]])
    matrix *= torch.Tensor([1, 10])  # the product, of another size
    assert matrix.totable() == [21, 43] and kept.totable() == [[1, 2], [3, 4]]
    with pytest.raises(ValueError, match="torch.add: expected tensors of as many elements, got sizes 2x2 and 3"):
        kept += torch.ones(3)


def test_a_result_that_is_given_as_a_tensor_too_has_the_elements_of_x_first():
    """Torch7's numbers: its C copies x into the result before it reads the others."""
    x, a = torch.Tensor([1, 2]), torch.Tensor([3, 5])

    def found(call):
        y = torch.Tensor([10, 20])
        return call(y).totable()

    assert found(lambda y: y.addcmul(x, -1, a, y)) == [-2, -8]
    assert found(lambda y: torch.addcmul(y, x, 2, y, a)) == [7, 22]
    assert found(lambda y: y.addcdiv(x, -1, a, y)) == [-2, -0.5]
    assert found(lambda y: y.addcdiv(x, y, y)) == [2, 3]
    assert found(lambda y: y.addcmul(a, y)) == [40, 120]
    assert found(lambda y: y.addcmul(y, 3, y, a)) == [100, 320]


def test_an_expanded_tensor_is_changed_once_for_each_place():
    """As by the loops of Torch7's C: what is added to the places of an element adds up."""
    x = np.arange(1.0, 7).reshape(2, 3)
    for change, expected in [
        (lambda y: y.add(2, torch.Tensor(x)), 1 + 2 * x.sum(1)),
        (lambda y: y.add(1), np.full(2, 4.0)),
        (lambda y: y.mul(2), np.full(2, 8.0)),
        (lambda y: y.cmul(torch.Tensor(x)), x.prod(1)),
        (lambda y: y.addcmul(3, torch.Tensor(x), torch.Tensor(x)), 1 + 3 * (x * x).sum(1)),
        (lambda y: y.add(torch.Tensor(x), 2, torch.ones(2, 3)), x[:, -1] + 2),  # which reads no element of its own
    ]:
        elements = torch.ones(2, 1)
        change(elements.expand(2, 3))
        same(elements, expected[:, None], 1e-6)
    every = torch.zeros(1, 1)
    every.expand(2, 3).add(torch.Tensor(x))
    assert every.totable() == [[x.sum()]]
    doubled = torch.ones(1).expand(5)
    assert doubled.add(doubled)[1] == 2**5  # which reads what it has written


@pytest.mark.parametrize("kind", [torch.FloatTensor, torch.DoubleTensor, torch.IntTensor, torch.ByteTensor])
@pytest.mark.parametrize("sizes", [(1, 4, 5), (3, 1, 5), (1, 1, 5), (1, 4, 1)])
def test_an_expanded_tensor_is_changed_as_place_by_place(kind, sizes):
    """To the last digit, as each of C's steps rounds."""
    random = np.random.default_rng(1)
    start, y, z = (kind(9 * random.random(shape) + 1) for shape in (sizes, (3, 4, 5), (3, 4, 5)))
    for name, *given in [
        ("add", 1.7), ("add", y), ("add", 0.3, y), ("add", y, 2, z), ("csub", y), ("mul", 0.9), ("cmul", z),
        ("div", 1.3), ("cdiv", z), ("addcmul", 0.1, y, z), ("cmax", y), ("clamp", 2, 5),
        ("add", y.transpose(1, 3).clone().transpose(1, 3)),
    ]:  # fmt: skip
        found, expected = start.clone(), start.clone()
        getattr(found.expand(3, 4, 5), name)(*given)
        for place in np.ndindex(3, 4, 5):
            own = tuple(1 if size == 1 else at + 1 for at, size in zip(place, sizes, strict=True))
            here = tuple(at + 1 for at in place)
            others = [kind(1).fill(each[here]) if isinstance(each, torch.Tensor) else each for each in given]
            expected[own] = getattr(kind(1).fill(expected[own]), name)(*others)[1]
        assert found.totable() == expected.totable(), name
