"""Modules in Torch's style inside a `forward`: what the forward sees of them is what PyTorch's modules would show."""

import numpy as np
import pytest

from functorch7.legacy import explain, nn, torch

from .helpers import same, slopes, values

X = values(4, 3, seed=1)
SEEN = []


class Scaled(nn.Module):
    """weight * input, for each column."""

    def __init__(self):
        super().__init__()
        self._power, self.shift = 3.0, torch.ones(4, 3)
        self.weight, self.gradWeight = torch.range(1, 3), torch.zeros(3)
        self.double()

    def cubed(self, x):
        return torch.pow(x, self._power)

    def updateOutput(self, x):
        self.seen = torch.mul(x, 2)
        return torch.cmul(x, self.weight.view(1, 3).expandAs(x))


class ByHand(Scaled):
    def updateGradInput(self, x, gradient):
        return torch.cmul(gradient, self.weight.view(1, 3).expandAs(x))

    def accGradParameters(self, x, gradient, scale=1):
        self.gradWeight.add(scale, torch.cmul(x, gradient).sum(1).view(3))


class Called(Scaled):
    def updateOutput(self, x):
        SEEN.append(1)
        return super().updateOutput(x)


WEIGHT = np.arange(1.0, 4)
SEES = {
    "a call": (lambda self, x: self.mine(x), lambda x, w: x * w),
    "updateOutput": (lambda self, x: self.mine.updateOutput(x), lambda x, w: x * w),
    "two calls": (lambda self, x: self.mine(self.mine(x)), lambda x, w: x * w * w),
    "its class": (lambda self, x: self.mine(x) * (2 if isinstance(self.mine, Scaled) else 0), lambda x, w: 2 * x * w),
    "a number": (lambda self, x: self.mine(x) * self.mine._power, lambda x, w: 3 * x * w),
    "a tensor": (lambda self, x: self.mine(x) + self.mine.shift, lambda x, w: x * w + 1),
    "a parameter": (lambda self, x: x * self.mine.weight.view(1, 3), lambda x, w: x * w),
    "another method": (lambda self, x: self.mine.cubed(x), lambda x, w: x**3),
    "what it has left": (lambda self, x: self.mine(x) + self.mine.seen, None),
    "a chain around it": (lambda self, x: nn.Sequential(self.mine, nn.MulConstant(2))(x), lambda x, w: 2 * x * w),
}


TRACED = ("a call", "updateOutput", "two calls", "its class", "a parameter", "a chain around it")


@pytest.mark.parametrize("user", [Scaled, ByHand, Called])
@pytest.mark.parametrize("sees", SEES)
def test_a_forward_sees_of_a_module_in_torchs_style_what_it_is(sees, user):
    forward, expected = SEES[sees]

    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.mine = user()

    Outer.forward = forward
    net = Outer().double()
    if expected is None:
        same(net(X), X * WEIGHT + 2 * X)
        return
    for x in (X, X + 1):
        same(net(x), expected(x, WEIGHT))
    net.zeroGradParameters()
    at = X + 1
    same(net.backward(at, X), slopes(lambda at: np.sum(expected(at, WEIGHT) * X), at), 1e-6, 1e-6)
    is_traced = user is not Called and sees in TRACED
    assert ("compiled with the rest" if is_traced else "Outer cannot be compiled") in explain(net)
    weight = WEIGHT.copy()
    same(net.mine.gradWeight, slopes(lambda weight: np.sum(expected(at, weight) * X), weight), 1e-6, 1e-6)
