"""Layers that are given parameters of other sizes: they are the layers that such sizes make."""

import numpy as np
import pytest

from functorch7.legacy import nn, torch

# What it was, with which arguments; its new parameters; an input; the arguments of what it is then.
CASES = {
    "wider": (nn.Linear, (3, 4), {"weight": (6, 3), "bias": (6,)}, (6, 3), (3, 6)),
    "fewer inputs": (nn.Linear, (3, 3), {"weight": (3, 2)}, (3, 2), (2, 3)),
    "without bias": (nn.Linear, (3, 4, False), {"weight": (2, 5)}, (2, 5), (5, 2, False)),
    "planes": (nn.SpatialConvolution, (2, 4, 3, 3), {"weight": (5, 3, 3, 3), "bias": (5,)}, (2, 3, 4, 4), (3, 5, 3, 3)),
    "kernel": (nn.SpatialConvolution, (2, 4, 3, 3), {"weight": (4, 2, 1, 2)}, (2, 2, 4, 4), (2, 4, 2, 1)),
    "channels": (
        nn.BatchNormalization,
        (3,),
        {"running_mean": (5,), "running_var": (5,), "weight": (5,), "bias": (5,)},
        (4, 5),
        (5,),
    ),
    "channels without a weight": (
        nn.BatchNormalization,
        (3, 1e-5, 0.1, False),
        {"running_mean": (5,), "running_var": (5,)},
        (4, 5),
        (5, 1e-5, 0.1, False),
    ),
    "sums of pairs": (nn.Bilinear, (2, 3, 4), {"weight": (4, 5, 3)}, [(6, 5), (6, 3)], (5, 3, 4)),
}


@pytest.mark.parametrize("case", CASES)
def test_a_layer_is_the_one_that_its_parameters_make(case):
    kind, before, shapes, sizes, after = CASES[case]
    layer, expected = kind(*before), kind(*after)
    for name, shape in shapes.items():
        value = torch.rand(*shape)
        setattr(layer, name, value)
        if not name.startswith("running"):
            setattr(layer, f"grad{name.title()}", value.clone().zero())
        getattr(expected, name).copy(value)
    for name in {"weight", "bias"} - set(shapes):
        if isinstance(getattr(layer, name, None), torch.Tensor):
            getattr(expected, name).copy(getattr(layer, name))
    expected.zeroGradParameters()
    layer.zeroGradParameters()
    input = [torch.rand(*each) for each in sizes] if isinstance(sizes, list) else torch.rand(*sizes)
    output = layer.forward(input)
    np.testing.assert_allclose(output, expected.forward(input), rtol=1e-5, atol=1e-6)
    gradient = torch.rand(*output.size())
    layer.backward(input, gradient)
    expected.backward(input, gradient)
    if "weight" in shapes:
        np.testing.assert_allclose(layer.gradWeight, expected.gradWeight, rtol=1e-5, atol=1e-6)
    assert str(layer) == str(expected)


WAYS = {
    "set": lambda tensor, value: tensor.set(value),
    "resized": lambda tensor, value: tensor.resize(value.size()).copy(value),
    "resized as": lambda tensor, value: tensor.resizeAs(value).copy(value),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", ["wider", "fewer inputs", "planes"])
def test_a_parameter_may_get_its_sizes_in_place(case, way):
    kind, before, shapes, sizes, after = CASES[case]
    layer, expected = kind(*before), kind(*after)
    for name in shapes:
        for each in (name, f"grad{name.title()}"):
            WAYS[way](getattr(layer, each), getattr(expected, each))
    if "bias" not in shapes:
        expected.bias.copy(layer.bias)
    input = torch.rand(*sizes)
    np.testing.assert_allclose(layer.forward(input), expected.forward(input), rtol=1e-5, atol=1e-6)
    assert str(layer) == str(expected)
    for each in (layer, expected):
        torch.manualSeed(1)
        each.reset()
    np.testing.assert_array_equal(layer.weight, expected.weight)


def test_a_gradient_that_does_not_fit_its_parameter_is_named():
    layer = nn.Linear(3, 2)
    layer.weight.resize(2, 4)
    net = nn.Sequential().add(layer)
    output = net.forward(torch.rand(5, 4))
    message = r"nn.Linear\(4 -> 2\): weight: expected a tensor of shape \(2, 4\) for its gradient, got .* \(2, 3\)"
    with pytest.raises(ValueError, match=message):
        net.backward(torch.rand(5, 4), output)


@pytest.mark.parametrize("shape", [(1, 2), (2, 1)])
@pytest.mark.parametrize("x", [np.ones(3), np.ones((4, 3))], ids=["an example", "a batch"])
def test_a_bias_in_another_shape_is_the_same(x, shape):
    layer = nn.Linear(3, 2)
    expected = np.array(layer.forward(x))
    layer.bias.resize(*shape)
    np.testing.assert_array_equal(layer.forward(x), expected)
