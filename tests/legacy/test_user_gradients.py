"""What users' updateGradInput may give for tables, and what backward may be given for them."""

import math

import numpy as np
import pytest

from functorch7.legacy import nn, torch

from .helpers import same


@pytest.mark.parametrize("given", [lambda g: [g], lambda g: [g, None]])
@pytest.mark.parametrize("is_traced", [True, False])
def test_what_a_gradient_of_a_table_leaves_out_is_zero(given, is_traced):
    class First(nn.Module):
        def updateOutput(self, input):
            if not is_traced:
                input[0].sum()  # a look
            self.output = input[0] * 3
            return self.output

        def updateGradInput(self, input, gradOutput):
            self.gradInput = given(gradOutput * 3)
            return self.gradInput

    net = nn.Sequential().add(nn.ParallelTable().add(nn.MulConstant(2)).add(nn.Identity())).add(First())
    x = [torch.Tensor([1, 2]), torch.Tensor([3])]
    net.forward(x)
    first, second = net.backward(x, torch.Tensor([1, 10]))
    assert first.totable() == [6, 60] and second.totable() == [0]


def test_a_gradient_that_does_not_fit_a_table_is_refused():
    class Both(nn.Module):
        def updateOutput(self, input):
            return input[0] + input[1]

        def updateGradInput(self, input, gradOutput):
            return gradOutput

    net = nn.Sequential().add(nn.ParallelTable().add(nn.MulConstant(2)).add(nn.Identity())).add(Both())
    x = [torch.Tensor([1, 2]), torch.Tensor([3, 4])]
    net.forward(x)
    with pytest.raises(ValueError, match=r"nn.Both: updateGradInput gave \(2,\) for an input of"):
        net.backward(x, torch.Tensor([1, 10]))


def test_gradients_beyond_the_outputs_are_left_out_as_table_layers_do():
    net = nn.Sequential().add(nn.ParallelTable().add(nn.MulConstant(2)).add(nn.Tanh()))
    x = [torch.Tensor([1, 2]), torch.Tensor([0])]
    net.forward(x)
    first, second = net.backward(x, [torch.Tensor([1, 10]), torch.Tensor([5]), torch.Tensor(7)])
    assert first.totable() == [2, 20] and second.totable() == [5]
    with pytest.raises(ValueError, match="expected a gradOutput of shape"):
        net.backward(x, [torch.Tensor([1, 10])])


class OfTwo(nn.Module):
    """The sum of a table's two tensors, with a gradient that each test says."""

    gradient = None

    def updateOutput(self, input):
        return input[0] + input[1].sum()

    def updateGradInput(self, input, gradOutput):
        return type(self).gradient(gradOutput)


def of_two(gradient):
    OfTwo.gradient = staticmethod(gradient)
    net = nn.Sequential().add(nn.ParallelTable().add(nn.MulConstant(2)).add(nn.MulConstant(1))).add(OfTwo())
    x = [torch.Tensor([1, 2]), torch.Tensor([3, 4, 5])]
    net.forward(x)
    return net.backward(x, torch.Tensor([1, 10]))


@pytest.mark.parametrize(
    "gradient",
    [
        lambda given: [given],
        lambda given: [given, None],
        lambda given: [given, torch.Tensor([0])],
        lambda given: [given, torch.zeros(3), torch.ones(7)],
    ],
)
def test_entries_that_get_no_gradient_may_be_left_out_or_zeros_of_any_size(gradient):
    first, second = of_two(gradient)
    assert first.totable() == [2, 20] and second.totable() == [0, 0, 0]


def test_a_gradient_of_another_size_is_refused_by_name():
    with pytest.raises(ValueError, match=r"nn.OfTwo: updateGradInput gave \(1,\) for an input of \(3,\)"):
        of_two(lambda given: [given, torch.Tensor([5])])
    with pytest.raises(ValueError, match=r"nn.OfTwo: updateGradInput gave \[\(2,\)\] for an input of \(2,\)"):
        of_two(lambda given: [[given], None])


def test_a_table_of_numbers_may_get_gradients_of_its_first_ones_alone():
    class Report(nn.Module):
        """A loss beside numbers that are only reported, of which one asks for values."""

        def updateOutput(self, input):
            return [input.sum(), 7, float(input.max())]

        def updateGradInput(self, input, gradOutput):
            return input.new(input.size()).fill(gradOutput[1])

    class Traced(Report):
        def updateOutput(self, input):
            return [input.sum(), 7, input.max()]

    x = torch.Tensor([1, 3])
    for layer in (Report(), Traced()):
        net = nn.Sequential().add(nn.MulConstant(2)).add(layer)
        assert net.forward(x).totable() == [8, 7, 6]
        assert net.backward(x, torch.Tensor([5])).totable() == [10, 10]
        assert net.backward(x, torch.Tensor([6, 0, 0, 0])).totable() == [12, 12]  # more than that is the layer's affair
        net.add(nn.Identity())
        net.forward(x)
        with pytest.raises(ValueError, match=r"expected a gradOutput of shape \(3,\), as the output, got shape \(4,\)"):
            net.backward(x, torch.ones(4))


def test_a_tensor_needs_gradients_of_all_its_elements():
    net = nn.Sequential().add(nn.MulConstant(2))
    net.forward(torch.Tensor([1, 3]))
    with pytest.raises(ValueError, match="expected a gradOutput of shape"):
        net.backward(torch.Tensor([1, 3]), torch.Tensor([5]))


@pytest.mark.parametrize(
    ("kind", "target", "expected"),
    [(nn.MSECriterion, torch.Tensor([0, 0]), [2, 4]), (nn.ClassNLLCriterion, 1, [-2, 0])],
)
def test_a_criterion_that_asks_the_one_above_gets_the_gradient_of_its_loss(kind, target, expected):
    """As in Torch, where `parent.updateGradInput(self, ...)` knows nothing of what the class below computes."""

    class Doubled(kind):
        def updateOutput(self, input, target):
            self.output = 2 * super().updateOutput(input, target)
            return self.output

        def updateGradInput(self, input, target):
            self.gradInput = super().updateGradInput(input, target).clone().mul(2)
            return self.gradInput

    criterion = Doubled()
    criterion.forward(torch.Tensor([1, 2]), target)
    assert criterion.backward(torch.Tensor([1, 2]), target).totable() == expected


@pytest.mark.parametrize("asks", [True, False])
def test_a_layer_below_another_has_its_gradient_where_it_writes_but_the_parameters(asks):
    """The gradient at the input is then that of the class above, whose output nobody has asked for."""

    class Plain(nn.Linear):
        def updateOutput(self, input):
            self.output = input @ self.weight.t()
            return self.output

        def accGradParameters(self, input, gradOutput, scale=1):
            self.gradWeight.addmm(scale, gradOutput.t(), input)

    if asks:
        Plain.updateGradInput = lambda self, input, gradOutput: super(Plain, self).updateGradInput(input, gradOutput)
    layer = Plain(3, 2)
    layer.weight.fill(2)
    for net in (layer, nn.Sequential().add(layer)):
        net.zeroGradParameters()
        net.forward(torch.ones(4, 3))
        assert net.backward(torch.ones(4, 3), torch.ones(4, 2)).totable() == [[4, 4, 4]] * 4
        assert layer.gradWeight.totable() == [[4, 4, 4]] * 2 and layer.gradBias.totable() == [0, 0]


@pytest.mark.parametrize("apart", [False, True])
def test_a_layer_at_several_places_adds_the_gradient_of_each_once(apart):
    """y = w (w x + w 2 x): the derivative of the sum by w is 6 w times the sum of x."""

    class Scale(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight, self.gradWeight = torch.Tensor([3]), torch.zeros(1)

        def updateOutput(self, input):
            return input.clone().mul(self.weight[1])

        def updateGradInput(self, input, gradOutput):
            return gradOutput.clone().mul(self.weight[1])

        def accGradParameters(self, input, gradOutput, scale=1):
            self.gradWeight.add(scale * input.dot(gradOutput))

    scale = Scale()
    twice = nn.Sequential().add(nn.MulConstant(2)).add(scale)
    net = nn.Sequential().add(nn.ConcatTable().add(scale).add(twice)).add(nn.CAddTable()).add(scale)
    x, ones = torch.Tensor([1, 2]), torch.ones(2)
    for _ in range(2):
        assert net.forward(x).totable() == [27, 54]
        net.zeroGradParameters()
        if apart:
            assert net.updateGradInput(x, ones).totable() == [27, 27]
            net.accGradParameters(x, ones)
        else:
            assert net.backward(x, ones).totable() == [27, 27]
        assert scale.gradWeight.totable() == [54]


@pytest.mark.parametrize("frozen", ["the class", "the object"])
@pytest.mark.parametrize("inside", [False, True])
def test_who_says_the_gradients_of_parameters_alone_has_that_of_the_input_by_differentiation(frozen, inside):
    class Scaled(nn.Module):
        """w tanh(x)"""

        def __init__(self):
            super().__init__()
            self.weight, self.gradWeight = torch.Tensor([2, 3]), torch.zeros(2)

        def updateOutput(self, input):
            self.output = torch.cmul(torch.tanh(input), self.weight)
            return self.output

    def nothing(*_):
        """Torch's way to freeze a layer."""

    layer = Scaled()
    (Scaled if frozen == "the class" else layer).accGradParameters = nothing
    net = nn.Sequential().add(nn.MulConstant(1)).add(layer) if inside else layer
    net.forward(torch.Tensor([0, 1]))
    gradient = net.backward(torch.Tensor([0, 1]), torch.Tensor([1, 10])).numpy()
    assert gradient == pytest.approx([2, 10 * 3 * (1 - math.tanh(1) ** 2)])
    assert layer.gradWeight.totable() == [0, 0] and layer.output.totable()[0] == 0


def test_indices_get_zeros_where_the_gradients_of_parameters_alone_are_said():
    class Rows(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight, self.gradWeight = torch.ones(3, 2), torch.zeros(3, 2)

        def updateOutput(self, input):
            return self.weight.index(1, input)

        def accGradParameters(self, input, gradOutput, scale=1):
            self.gradWeight.indexAdd(1, input, gradOutput)

    rows, indices = Rows(), torch.LongTensor([3, 1])
    rows.forward(indices)
    assert rows.backward(indices, torch.ones(2, 2)).totable() == [0, 0]
    assert rows.gradWeight.totable() == [[1, 1], [0, 0], [1, 1]]


class CubedTwice(nn.Module):
    """input ** 3 * weight; accGradParameters reads what updateGradInput has left in fields."""

    def __init__(self):
        super().__init__()
        self.weight, self.gradWeight = torch.Tensor([2]), torch.zeros(1)

    def updateOutput(self, input):
        self.output = torch.pow(input, 3).mul(self.weight[1])
        return self.output

    def updateGradInput(self, input, gradOutput):
        self.gradInput = torch.cmul(torch.pow(input, 2), gradOutput).mul(3 * self.weight[1])
        return self.gradInput

    def accGradParameters(self, input, gradOutput, scale=1):
        self.gradWeight.add(scale * torch.cmul(self.gradInput, input).sum() / (3 * self.weight[1]))


@pytest.mark.parametrize("between", [None, nn.Identity, nn.Tanh])
def test_an_object_at_two_places_has_at_each_what_its_gradient_there_has_left(between):
    user = CubedTwice()
    net = nn.Sequential().add(user)
    net = (net if between is None else net.add(between())).add(user)
    x, g = np.array([0.5, -0.3]), np.array([1.0, 2.0])
    first = 2 * x**3
    middle = np.tanh(first) if between is nn.Tanh else first
    same(net.forward(x), 2 * middle**3, 1e-5)
    outer = 6 * middle**2 * g * (1 - middle**2 if between is nn.Tanh else 1)
    for time in (1, 2):
        same(net.backward(x, g), 6 * x**2 * outer, 1e-5)
        same(user.gradInput, net.gradInput)
        same(user.gradWeight, [time * ((middle**3 * g).sum() + (x**3 * outer).sum())], 1e-5)


class AddsByItself(nn.Module):
    """A Linear inside, whose parameters are its own, and whose `backward` its updateGradInput calls."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 1)
        for name in ("weight", "bias", "gradWeight", "gradBias"):
            setattr(self, name, getattr(self.inner, name))

    def updateOutput(self, input):
        self.output = self.inner.forward(input)
        return self.output

    def updateGradInput(self, input, gradOutput):
        self.gradInput = self.inner.backward(input, gradOutput)
        return self.gradInput


def test_what_an_updateGradInput_adds_to_gradients_stays():
    user, last = AddsByItself(), nn.MulConstant(3)
    net = nn.Sequential().add(user).add(nn.Linear(1, 1)).add(last)
    net.parameters()[0][2].fill(2)
    _, gradients = net.getParameters()
    for name in ("weight", "bias", "gradWeight", "gradBias"):  # which the flat tensors now have
        setattr(user.inner, name, getattr(user, name))
    gradients.zero()
    x = torch.Tensor([5, 7])
    for time in (1, 2):
        output = net.forward(x)
        net.backward(x, torch.ones(1))
        same(user.gradWeight, [[time * 6 * 5, time * 6 * 7]])
        same(user.gradBias, [time * 6])
        assert output.shape == (1,) and gradients[5] == time * 3


def test_the_gradient_of_the_class_above_leaves_what_a_module_has_written_in_place():
    class Twice(nn.Module):
        def updateOutput(self, input):
            self.output.resize(*input.size()).copy(input).mul(2)
            return self.output

        def updateGradInput(self, input, gradOutput):
            return super().updateGradInput(input, gradOutput)

    module, x = Twice(), torch.ones(2, 3)
    output = module.forward(x)
    assert module.backward(x, torch.ones(2, 3)).sum() == 12
    assert output.sum() == module.output.sum() == 12


class ByHand(nn.Module):
    """y = the first columns of x W, one more at each call, with gradients of its own.

    It looks at a number, so that it is called and not traced.
    """

    def __init__(self):
        super().__init__()
        self.weight, self.gradWeight, self.columns = torch.range(1, 48).view(4, 12).cos(), torch.zeros(4, 12), 0

    def updateOutput(self, input):
        self.columns += 1 if float(input.sum()) else 0
        return torch.mm(input, self.weight.narrow(2, 1, self.columns))

    def updateGradInput(self, input, gradOutput):
        return torch.mm(gradOutput, self.weight.narrow(2, 1, self.columns).t())

    def accGradParameters(self, input, gradOutput, scale=1):
        self.gradWeight.narrow(2, 1, self.columns).add(scale, torch.mm(input.t(), gradOutput))


class Hot(nn.Module):
    """Passes no gradient on: it defines none."""

    def updateOutput(self, input):
        return torch.eye(4).index(1, input.long())


PASS_NONE = {
    "a user's layer": lambda: nn.Sequential().add(Hot()),
    "and another layer": lambda: nn.Sequential().add(Hot()).add(nn.Identity()),
    "OneHot": lambda: nn.Sequential().add(nn.OneHot(4)),
    "Constant": lambda: nn.Sequential().add(nn.Constant(torch.eye(4).index(1, torch.LongTensor([1, 3, 3])))),
}


@pytest.mark.parametrize("before", PASS_NONE)
@pytest.mark.parametrize("indices", [torch.Tensor([1, 3, 3]), torch.LongTensor([1, 3, 3])], ids=["fractions", "whole"])
def test_a_layer_behind_one_that_passes_no_gradient_gets_its_own(before, indices):
    layer = ByHand()
    network = PASS_NONE[before]().add(layer)
    given, expected = torch.eye(4).index(1, indices.long()), torch.zeros(4, 12)
    for columns in range(1, 12):  # in so many shapes that the network is at last run operation by operation
        network.forward(indices)
        gradient = torch.range(1, 3 * columns).view(3, columns)
        network.backward(indices, gradient)
        expected.narrow(2, 1, columns).add(torch.mm(given.t(), gradient))
        same(layer.gradWeight, expected)
