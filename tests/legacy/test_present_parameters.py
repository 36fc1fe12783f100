"""Backward after the parameters have changed since forward."""

import numpy as np
import pytest

from functorch7.legacy import nn

from .helpers import same, values

X, G = values(5, 3, seed=1), values(5, 2, seed=2)


def test_backward_uses_the_present_parameters_and_the_outputs_of_forward():
    """As the C code of Torch's layers does, in which a generator learns by a discriminator that has changed since."""
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNormalization(4), nn.Tanh(), nn.Linear(4, 2, False))
    first, norm, _, last = net.modules
    net.forward(X)
    for parameter in net.parameters()[0]:
        parameter.mul(2)
    hidden, before = net.get(3).output.numpy(), first.output.numpy()
    gradient = G @ np.asarray(last.weight) * (1 - hidden**2)
    centred = before - before.mean(0)
    normal = centred / np.sqrt((centred**2).mean(0) + norm.eps)
    scaled = gradient * np.asarray(norm.weight) / np.sqrt((centred**2).mean(0) + norm.eps)
    same(
        net.backward(X, G),
        (scaled - scaled.mean(0) - normal * (scaled * normal).mean(0)) @ np.asarray(first.weight),
        1e-5,
    )
    same(last.gradWeight, G.T @ hidden)
    same(norm.gradWeight, (gradient * normal).sum(0), 1e-5)


@pytest.mark.parametrize(
    ("make", "sizes"),
    [
        (lambda: nn.SpatialConvolution(2, 3, 1, 1), (2, 2, 2)),
        (lambda: nn.SpatialFullConvolution(2, 1, 2, 2), (2, 2, 2)),
        (lambda: nn.CMul(3), (2, 3)),
    ],
    ids=["SpatialConvolution", "SpatialFullConvolution", "CMul"],
)
def test_gradients_at_inputs_of_linear_layers_grow_with_the_present_weights(make, sizes):
    layer, x = make(), values(*sizes)
    gradient = np.asarray(layer.forward(x)).copy()
    before = layer.updateGradInput(x, gradient).numpy()
    layer.weight.mul(2)
    same(layer.updateGradInput(x, gradient), 2 * before)


def test_parameters_that_stay_are_those_of_forward():
    """Also where programs take parts of large flat parameters, which are cut out anew at first."""
    network = nn.Sequential(nn.Linear(200, 170))
    flat, _ = network.getParameters()
    for _ in range(2):
        network.backward(values(1, 200), network.forward(values(1, 200)))
        assert (call := network._call) is not None and call.present is None
    network.forward(values(1, 200))
    flat.mul(2)
    network.backward(values(1, 200), network.output)
    assert (call := network._call) is not None and call.present is not None


def tied():
    """Two layers that share a weight, one of them showing its transpose."""
    first, second = nn.Linear(3, 2, False), nn.Linear(2, 3, False)
    second.weight = first.weight.t()
    second.gradWeight = first.gradWeight.t()
    return nn.Sequential(first, second)


@pytest.mark.parametrize(
    "move",
    [
        lambda network: network.getParameters()[0].mul(2),
        lambda network: [setattr(m, "weight", m.weight.clone().mul(2)) for m in network.modules],
        lambda network: network.clone().share(network, "weight").getParameters()[0].mul(2),
    ],
    ids=["getParameters", "assigned", "another's getParameters"],
)
@pytest.mark.parametrize(
    "make",
    [lambda: nn.Sequential(nn.Linear(3, 4, False), nn.Linear(4, 3, False)), tied],
    ids=["two", "tied"],
)
def test_backward_uses_the_present_parameters_wherever_they_lie(make, move):
    """As Torch's layers do; products of weights that are twice as large are four times as large."""
    network, moved = make(), make()
    for mine, theirs in zip(network.parameters()[0], moved.parameters()[0], strict=True):
        theirs.copy(mine)
    expected = network.backward(X, network.forward(X)).numpy()
    output = moved.forward(X)
    move(moved)
    if moved.get(1).weight[1, 1] != network.get(1).weight[1, 1]:
        expected = 4 * expected
    same(moved.backward(X, output), expected, 1e-5)
