"""The diagonal Hessian of classes of users' own: by nn.hessian's functions, beside the layers'."""

import numpy as np
import pytest

from functorch7.legacy import nn, torch


def drawn(*shape, low=-2.0):
    return np.random.default_rng(sum(shape)).uniform(low, 2, shape)


class OwnLinear(nn.Module):
    """A user's nn.Linear, whose diagonal Hessian is found by the functions of nn.hessian, as packages of Lua's do."""

    def __init__(self, weight, bias):
        super().__init__()
        self.weight, self.bias = torch.DoubleTensor(weight), torch.DoubleTensor(bias)
        self.gradWeight, self.gradBias = torch.zeros(*weight.shape).double(), torch.zeros(*bias.shape).double()

    def updateOutput(self, input):
        self.output = torch.mm(input, self.weight.t()) + self.bias.view(1, -1).expand(len(input), len(self.bias))
        return self.output

    def updateGradInput(self, input, gradOutput):
        self.gradInput = torch.mm(gradOutput, self.weight)
        return self.gradInput

    def accGradParameters(self, input, gradOutput, scale=1):
        self.gradWeight.add(scale, torch.mm(gradOutput.t(), input))
        self.gradBias.add(scale, gradOutput.sum(1).view(-1))

    def initDiagHessianParameters(self):
        nn.hessian.initDiagHessianParameters(self, ["gradWeight", "gradBias"], ["diagHessianWeight", "diagHessianBias"])

    def updateDiagHessianInput(self, input, diagHessianOutput):
        nn.hessian.updateDiagHessianInput(self, input, diagHessianOutput, ["weight"], ["weightSq"])
        return self.diagHessianInput

    def accDiagHessianParameters(self, input, diagHessianOutput):
        names = ["gradWeight", "gradBias"], ["diagHessianWeight", "diagHessianBias"]
        nn.hessian.accDiagHessianParameters(self, input, diagHessianOutput, *names)


class OwnTanh(nn.Module):
    def updateOutput(self, input):
        self.output = torch.tanh(input)
        return self.output

    def updateGradInput(self, input, gradOutput):
        self.gradInput = gradOutput.clone().cmul(-torch.pow(torch.tanh(input), 2) + 1)
        return self.gradInput

    def updateDiagHessianInput(self, input, diagHessianOutput):
        nn.hessian.updateDiagHessianInputPointWise(self, input, diagHessianOutput)
        return self.diagHessianInput


def test_the_functions_for_own_classes_give_what_layers_have(hessian_enabled):
    linear, x = nn.Linear(3, 2).double(), torch.DoubleTensor(drawn(4, 3))
    own = OwnLinear(np.asarray(linear.weight), np.asarray(linear.bias))
    kept = own.weight, own.gradWeight
    h, seen = torch.DoubleTensor(drawn(4, 2, low=0.1)), []
    for first, second in ((linear, nn.Tanh().double()), (own, OwnTanh().double())):
        net = nn.Sequential().add(first).add(second)
        net.initDiagHessianParameters()
        net.forward(x)
        net.updateDiagHessianInput(x, h)
        for _ in range(2):  # they add up
            net.accDiagHessianParameters(x, h)
        output = first.output
        seen.append([net.diagHessianInput, first.diagHessianWeight, first.diagHessianBias, output])
        assert [len(each) for each in net.parameters()] == [2, 2, 2] and len(net.getParameters()[2]) == 8
    for one, another in zip(*seen, strict=True):
        np.testing.assert_allclose(one, another, rtol=1e-12)
    assert own.weight is kept[0] and own.gradWeight is kept[1] and own.gradWeight.abs().sum() == 0
    np.testing.assert_allclose(own.weightSq, np.square(own.weight))


def test_the_functions_of_layers_are_their_own(hessian_enabled):
    linear, x, h = nn.Linear(3, 2), torch.rand(4, 3), torch.rand(4, 2)
    linear.forward(x)
    wanted = linear.updateDiagHessianInput(x, h)
    nn.hessian.updateDiagHessianInput(linear, x, h, ["weight"], ["weightSq"])
    np.testing.assert_array_equal(linear.diagHessianInput, wanted)


def test_users_parameters_give_their_own_diagonals(hessian_enabled):
    class Holder(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(2, 2)

        def updateOutput(self, input):
            return self.inner.forward(input)

        def parameters(self):
            return self.inner.parameters()

        def initDiagHessianParameters(self):
            self.inner.initDiagHessianParameters()

    net = nn.Sequential().add(nn.Linear(3, 2)).add(Holder())
    net.initDiagHessianParameters()
    assert [each.size() for each in net.parameters()[2]] == [each.size() for each in net.parameters()[0]]
    net.get(2).accDiagHessianParameters(torch.rand(2), torch.rand(2))  # which it has none of, as in Torch


@pytest.mark.parametrize("make", [nn.MSECriterion, lambda: nn.WeightedMSECriterion(drawn(3))], ids=["MSE", "weighted"])
def test_squared_errors_need_no_target(hessian_enabled, make):
    criterion, input = make(), torch.rand(3)
    wanted = criterion.updateDiagHessianInput(input, torch.rand(3))
    np.testing.assert_array_equal(criterion.updateDiagHessianInput(input), wanted)
