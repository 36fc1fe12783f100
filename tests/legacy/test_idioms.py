"""Modules of a user's own, written as Torch7's layers are: results are written into fields, which the methods read."""

import numpy as np
import pytest

from functorch7.legacy import nn, torch

from .helpers import same, values

X, G = values(5, 3, seed=1), values(5, 3, seed=2)


class MulConstant(nn.Module):
    """resizeAs, copy and mul of output and gradInput."""

    def __init__(self, constant):
        super().__init__()
        self.constant = constant

    def updateOutput(self, input):
        self.output.resizeAs(input).copy(input).mul(self.constant)
        return self.output

    def updateGradInput(self, input, gradOutput):
        self.gradInput.resizeAs(gradOutput).copy(gradOutput).mul(self.constant)
        return self.gradInput


class Square(nn.Module):
    """cmul of what was copied, the result tensor before its operands, a buffer that is made when it is needed."""

    buffer = None

    def updateOutput(self, input):
        self.output.cmul(input, input)
        return self.output

    def updateGradInput(self, input, gradOutput):
        if self.buffer is None:
            self.buffer = input.new()
        self.buffer.resizeAs(input).copy(input).mul(2)
        self.gradInput.resizeAs(input).copy(gradOutput).cmul(self.buffer)
        return self.gradInput


class CMul(nn.Module):
    """Parameters and their gradients, to which accGradParameters adds."""

    def __init__(self, size):
        super().__init__()
        self.weight, self.gradWeight = torch.Tensor(size), torch.Tensor(size)

    def updateOutput(self, input):
        self.output.resizeAs(input).copy(input)
        for i in range(1, input.size(1) + 1):
            self.output[i].cmul(self.weight)
        return self.output

    def updateGradInput(self, input, gradOutput):
        self.gradInput.resizeAs(input).zero()
        for i in range(1, input.size(1) + 1):
            self.gradInput[i].addcmul(1, self.weight, gradOutput[i])
        return self.gradInput

    def accGradParameters(self, input, gradOutput, scale=1):
        for i in range(1, input.size(1) + 1):
            self.gradWeight.addcmul(scale, input[i], gradOutput[i])


class Linear(nn.Module):
    """nn.Linear for batches: fill, addmm, addr of ones, sums."""

    addBuffer = None

    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight, self.gradWeight = torch.Tensor(outputs, inputs), torch.Tensor(outputs, inputs)
        self.bias, self.gradBias = torch.Tensor(outputs), torch.Tensor(outputs)

    def updateOutput(self, input):
        self.output.resize(input.size(1), self.weight.size(1))
        if self.addBuffer is None or self.addBuffer.nElement() != input.size(1):
            self.addBuffer = input.new(input.size(1)).fill(1)
        self.output.zero()
        self.output.addmm(0, self.output, 1, input, self.weight.t())
        self.output.addr(1, self.addBuffer, self.bias)
        return self.output

    def updateGradInput(self, input, gradOutput):
        self.gradInput.resizeAs(input).zero()
        self.gradInput.addmm(0, 1, gradOutput, self.weight)
        return self.gradInput

    def accGradParameters(self, input, gradOutput, scale=1):
        self.gradWeight.addmm(scale, gradOutput.t(), input)
        self.gradBias.addmv(scale, gradOutput.t(), self.addBuffer)


class TVLoss(nn.Module):
    """neural-style's: the input passes, and the gradient gets something added, in place."""

    def updateOutput(self, input):
        self.output = input
        return self.output

    def updateGradInput(self, input, gradOutput):
        self.gradInput.resizeAs(input).zero()
        self.gradInput.add(0.5, input)
        self.gradInput.add(gradOutput)
        return self.gradInput


class Accumulated(nn.Module):
    """What was there before counts: a running sum of the outputs and of the gradients."""

    def updateOutput(self, input):
        if self.output.nElement() == 0:
            self.output.resizeAs(input).zero()
        self.output.add(input)
        return self.output

    def updateGradInput(self, input, gradOutput):
        if self.gradInput.nElement() == 0:
            self.gradInput.resizeAs(input).zero()
        self.gradInput.add(gradOutput)
        return self.gradInput


AROUND = {
    "alone": lambda m: m,
    "in a Sequential": lambda m: nn.Sequential().add(nn.Identity()).add(m).add(nn.Identity()),
    "flat": lambda m: flat(nn.Sequential().add(m).add(nn.Sequential().add(nn.Linear(1, 1)).add(nn.Identity()).get(2))),
    "frozen": lambda m: frozen(nn.Sequential().add(m)),
    "watched": lambda m: watched(nn.Sequential().add(m)),
}


def flat(net):
    net.getParameters()
    return net


def frozen(net):
    net.get(1).evaluate()
    return net


def watched(net):
    net.register_forward_hook(lambda *_: None)
    return net


LIKE = {
    "MulConstant": (lambda: MulConstant(3), lambda: nn.MulConstant(3)),
    "Square": (Square, nn.Square),
    "CMul": (lambda: CMul(3), lambda: nn.CMul(3)),
    "Linear": (lambda: Linear(3, 3), lambda: nn.Linear(3, 3)),
}


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("name", LIKE)
def test_a_layer_written_as_torch7s_computes_what_ours_does(name, around):
    mine, ours = (make().double() for make in LIKE[name])
    for parameter, value in zip(mine.parameters()[0], ours.parameters()[0], strict=True):
        parameter.copy(value)
    net = AROUND[around](mine)
    for x, g, scale in ((X, G, 1), (G, X, 0.5), (X[:2], G[:2], 1)):
        net.zeroGradParameters(), ours.zeroGradParameters()
        same(net.forward(x), np.array(ours.forward(x)))
        same(mine.output, ours.output)
        same(net.backward(x, g, scale), np.array(ours.backward(x, g, scale)))
        same(mine.gradInput, ours.gradInput)
        same(mine.parameters()[1], ours.parameters()[1])


@pytest.mark.parametrize("around", AROUND)
def test_a_gradient_that_is_changed_on_its_way(around):
    net = AROUND[around](TVLoss().double())
    for x, g in ((X, G), (G, X)):
        same(net.forward(x), x)
        same(net.backward(x, g), g + 0.5 * x)


@pytest.mark.parametrize("around", AROUND)
def test_fields_keep_what_the_methods_left_there(around):
    module = Accumulated().double()
    net = AROUND[around](module)
    for times in (1, 2, 3):
        same(net.forward(X), times * X)
        same(module.output, times * X)
        same(net.backward(X, G), times * G)
        same(module.gradInput, times * G)


def test_output_may_be_read_before_anything_ran():
    assert Accumulated().output.nElement() == 0 and Accumulated().gradInput.nElement() == 0


class Reversed(nn.Linear):
    """A layer whose gradient a user changes, by the layer's own method."""

    def updateGradInput(self, input, gradOutput):
        super().updateGradInput(input, gradOutput)
        self.gradInput.mul(-1)
        return self.gradInput


@pytest.mark.parametrize("inside", [False, True])
def test_a_layers_own_method_leaves_its_result_in_the_field(inside):
    layer = Reversed(3, 2).double()
    net = nn.Sequential().add(layer) if inside else layer
    g = values(5, 2, seed=3)
    net.forward(X)
    for _ in range(2):
        same(net.backward(X, g), -g @ np.asarray(layer.weight))
        same(layer.gradInput, -g @ np.asarray(layer.weight))
