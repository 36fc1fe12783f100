"""What the tests of the stateful interface share: comparison, and gradients from differences."""

import numpy as np

from functorch7.legacy import nn, torch


def same(got, expected, rtol=1e-6, atol=1e-8):
    """Compares tensors, arrays, numbers and tables of them."""
    if isinstance(expected, (list, tuple)) and isinstance(got, (list, tuple)):
        assert len(got) == len(expected)
        for g, e in zip(got, expected, strict=True):
            same(g, e, rtol, atol)
        return
    got, expected = np.asarray(got, float), np.asarray(expected, float)
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=atol)


def values(*shape, seed=0):
    """Repeatable normally distributed numbers, float64."""
    return np.random.default_rng(seed).normal(size=shape)


def slopes(function, at, step=1e-5):
    """The gradient of a scalar function by central differences; `at` is a float64 array, which is restored."""
    gradient = np.zeros_like(at)
    for index in np.ndindex(at.shape):
        kept = at[index]
        at[index] = kept + step
        above = function(at)
        at[index] = kept - step
        below = function(at)
        at[index] = kept
        gradient[index] = (above - below) / (2 * step)
    return gradient


def two_layers(inputs=3, hidden=4, outputs=2):
    """The network that most tests use, in float64."""
    return nn.Sequential().add(nn.Linear(inputs, hidden)).add(nn.Tanh()).add(nn.Linear(hidden, outputs)).double()


def named_layers(dtype="double"):
    """The same, with names, in a type."""
    made = nn.Sequential(nn.Linear(3, 4).setName("first"), nn.Tanh(), nn.Linear(4, 2).setName("last"))
    return getattr(made, dtype)()


def counted(*sizes):
    """A tensor of 1, 2, 3, ..."""
    return torch.range(1, int(np.prod(sizes))).view(*sizes)


def sigmoid(x):
    """1 / (1 + e^-x)."""
    return 1 / (1 + np.exp(-x))


def arrays(tensors):
    """Copies of tensors as NumPy arrays."""
    return [np.array(t) for t in tensors]


def gradUpdate(mlp, x, y, criterion, learningRate):
    """The training step of Torch's documentation; returns the loss before it."""
    prediction = mlp.forward(x)
    error = criterion.forward(prediction, y)
    mlp.zeroGradParameters()
    mlp.backward(x, criterion.backward(prediction, y))
    mlp.updateParameters(learningRate)
    return error


def derivative(module, ii):
    """(output, gradInput for a gradient of ones) of a double-precision module."""
    module.double()
    return np.array(module.forward(ii)), np.array(module.backward(ii, np.ones_like(ii)))


def go_to(seed, pair, position):
    """The generator as it was after so many draws of 32 bits; half of the pair of normal numbers at `pair` is left."""
    torch.manualSeed(seed)
    torch.rand(position if pair is None else pair)
    if pair is not None:
        torch.normal()
        torch.rand(position - pair - 2)


def uniform(seed, count):
    """Torch's uniform numbers after a seed, by NumPy: 32 bits over 2^32."""
    return np.random.RandomState(seed).randint(0, 2**32, count, np.uint64) / 2**32
