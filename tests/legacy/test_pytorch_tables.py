"""A `forward` of several tensors: the table of them is its arguments."""

import numpy as np
import pytest

from functorch7 import training
from functorch7.legacy import nn

from .helpers import same
from .test_pytorch_calls import linear

pytestmark = pytest.mark.usefixtures("broadcasting")


class Distances(nn.Module):
    """Of two tensors: `forward` cannot be called with one."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 2), nn.Linear(3, 2)

    def forward(self, x, y, scale=1.0):
        return (self.first(x) - self.second(y)) * scale


class Halved(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x, y):
        return self.inner([x, y]) / 2


def test_a_table_is_the_arguments_of_a_forward_that_takes_no_fewer_than_two():
    """So that such a module goes where modules have one input: into containers, predict and the functional trainers."""
    net, x, y = Distances(), *np.random.default_rng(0).normal(size=(2, 5, 3)).astype(np.float32)
    expected = linear(net.first, x) - linear(net.second, y)
    for output in (net(x, y), net([x, y]), net.forward([x, y]), net.predict([x, y], 2), net.predict([([x, y], 0)])):
        same(output, expected, 1e-5, 1e-6)
    same(nn.Sequential(Halved(net), nn.Tanh())([x, y]), np.tanh(expected / 2), 1e-5, 1e-6)
    module, variables = net.functional()
    same(training.predict(module, *variables, [x, y], 2), expected, 1e-5, 1e-6)
    same(net([x, y, 2.0]), 2 * expected, 1e-5, 1e-6)
    gradients = net.backward([x, y], np.ones((5, 2), np.float32))
    for gradient, weight in zip(gradients, (net.first.weight, -net.second.weight), strict=True):
        same(gradient, np.full((5, 2), 2) @ np.asarray(weight), 1e-5, 1e-6)  # of the last call, with its scale


def test_wrong_arguments_of_a_forward_are_its_own_whoever_calls_it():
    net, x = Distances(), np.ones((5, 3), np.float32)
    for call in (net, net.forward, lambda input: net.predict(input, 2), nn.Sequential(net).forward):
        with pytest.raises(TypeError, match=r"^Distances.forward: expected \(x, y, \[scale\]\), got \("):
            call([x])
        with pytest.raises(ValueError, match=r"nn.Linear\(3 -> 2\): expected input of size 3"):
            call([x, x[:, :2]])
