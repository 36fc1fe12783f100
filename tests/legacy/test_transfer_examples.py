"""The worked examples of the documentation about transfer functions and arithmetic, as written there."""

import numpy as np
import pytest

from functorch7.legacy import nn, torch

from .helpers import derivative, same, sigmoid, values


def test_softmax():
    ii = np.exp(np.abs(values(10)))
    oo = np.asarray(nn.SoftMax().forward(ii))
    assert (oo > 0).all()
    assert oo.sum() == pytest.approx(1, rel=1e-6)
    same(np.argsort(oo), np.argsort(ii))


def test_log_softmax():
    oo, gi = derivative(nn.LogSoftMax(), values(10))
    assert np.exp(oo).sum() == pytest.approx(1)
    same(gi, 1 - 10 * np.exp(oo))


def test_sigmoid():
    ii = np.linspace(-5, 5, 100)
    oo, gi = derivative(nn.Sigmoid(), ii)
    same(oo, 1 / (1 + np.exp(-ii)))
    same(gi, oo * (1 - oo))


def test_tanh():
    ii = np.linspace(-3, 3, 100)
    oo, gi = derivative(nn.Tanh(), ii)
    same(oo, np.tanh(ii))
    same(gi, 1 - oo**2)


@pytest.mark.parametrize("in_place", [None, True])
def test_relu(in_place):
    ii = np.linspace(-3, 3, 100)
    oo, gi = derivative(nn.ReLU(in_place), ii)
    same(oo, np.maximum(ii, 0))
    same(gi, ii > 0)


def test_threshold():
    oo, gi = derivative(nn.Threshold(0.5, -1), np.array([0, 0.5, 1]))
    same(oo, [-1, -1, 1])
    same(gi, [0, 0, 1])


def line(low, high):
    return np.linspace(low, high, 100)


# module, inputs, formula, derivative
CURVES = [
    (nn.Abs(), line(-5, 5), np.abs, np.sign),
    (nn.Exp(), line(-2, 2), np.exp, np.exp),
    (nn.Square(), line(-5, 5), np.square, lambda x: 2 * x),
    (nn.Sqrt(), line(0, 5), np.sqrt, lambda x: np.where(x > 0, 0.5 / np.sqrt(np.where(x > 0, x, 1)), 0)),
    (nn.Power(1.25), line(0, 2), lambda x: x**1.25, lambda x: 1.25 * x**0.25),
    (nn.HardTanh(), line(-2, 2), lambda x: np.clip(x, -1, 1), lambda x: np.abs(x) < 1),
    (nn.HardShrink(0.85), line(-2, 2), lambda x: np.where(np.abs(x) > 0.85, x, 0), lambda x: np.abs(x) > 0.85),
    (
        nn.SoftShrink(0.85),
        line(-2, 2),
        lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.85, 0),
        lambda x: np.abs(x) > 0.85,
    ),
    (nn.SoftPlus(), line(-3, 3), lambda x: np.log1p(np.exp(x)), sigmoid),
    (nn.SoftSign(), line(-5, 5), lambda x: x / (1 + np.abs(x)), lambda x: 1 / (1 + np.abs(x)) ** 2),
    (nn.LogSigmoid(), values(10), lambda x: -np.log1p(np.exp(-x)), lambda x: sigmoid(-x)),
    (nn.ReLU6(), line(-3, 9), lambda x: np.clip(x, 0, 6), lambda x: (x > 0) & (x < 6)),
    (
        nn.ELU(0.1),
        line(-3, 3),
        lambda x: np.where(x > 0, x, 0.1 * np.expm1(x)),
        lambda x: np.where(x > 0, 1, 0.1 * np.exp(x)),
    ),
    (nn.ELU(1.0), line(-3, 3), lambda x: np.where(x > 0, x, np.expm1(x)), lambda x: np.where(x > 0, 1, np.exp(x))),
    (nn.LeakyReLU(0.1), np.array([-2.0, 0, 3]), lambda x: [-0.2, 0, 3], lambda x: [0.1, 0.1, 1]),
    (nn.HardTanh(-0.5, 2), np.array([-1.0, 0, 3]), lambda x: [-0.5, 0, 2], lambda x: [0, 1, 0]),
    (nn.MulConstant(3), np.array([1.0, 2]), lambda x: [3, 6], lambda x: [3, 3]),
    (nn.AddConstant(3), np.array([1.0, 2]), lambda x: [4, 5], lambda x: [1, 1]),
]


@pytest.mark.parametrize(
    "module, ii, formula, slope", CURVES, ids=lambda value: str(value) if hasattr(value, "forward") else ""
)
def test_a_curve_and_its_derivative(module, ii, formula, slope):
    oo, gi = derivative(module.clone(), ii)
    same(oo, formula(ii))
    same(gi, slope(ii))


def test_softmin():
    ii = np.exp(np.abs(values(10)))
    same(nn.SoftMin().forward(ii), nn.SoftMax().forward(-ii))


def test_rrelu():
    ii = line(-3, 3)
    oo, gi = derivative(nn.RReLU(), ii)
    slope = oo[ii < 0] / ii[ii < 0]
    same(oo[ii > 0], ii[ii > 0])
    assert ((slope >= 1 / 8) & (slope <= 1 / 3)).all() and np.ptp(slope) > 0.05
    same(gi, oo / ii)


def test_crelu():
    crelu = nn.CReLU(3)
    assert crelu.forward(torch.Tensor(2, 3, 20, 20).uniform(-1, 1)).size() == [2, 6, 20, 20]
    x = torch.Tensor(3, 20, 20).uniform(-1, 1)
    same(crelu.forward(x), np.maximum(np.concatenate([x, -np.asarray(x)]), 0))


def test_prelu():
    m = nn.PReLU()
    same(m.forward([-2, 4]), [-0.5, 4])
    m.zeroGradParameters()
    same(m.backward([-2, 4], [1, 1]), [0.25, 1])
    same(m.gradWeight, [-2])


def test_gated_linear_unit():
    same(nn.GatedLinearUnit().forward([1, 2, 0, 0]), [0.5, 1])


def test_softmax_of_images():
    x = torch.randn(4, 8, 16, 16)
    y = np.asarray(nn.SpatialSoftMax().forward(x))
    assert y.shape == (4, 8, 16, 16)
    same(y.sum(1), np.ones((4, 16, 16)), rtol=1e-5)
    same(np.exp(nn.SpatialLogSoftMax().forward(x)), y, rtol=1e-4)


def test_in_place_changes_nothing():
    x, g = torch.Tensor([1, 2]), torch.Tensor([1, 1])
    m = nn.AddConstant(3, True)
    same(m.forward(x), [4, 5])
    m.backward(x, g)
    same(x, [1, 2])
