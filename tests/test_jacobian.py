"""The gradient tester finds right gradients right, and wrong ones wrong."""

import numpy as np
import pytest

import functorch7 as f7
from functorch7.legacy import nn, torch
from functorch7.testing import Jacobian, SparseJacobian


def doubles(*sizes):
    return np.zeros(sizes)


def test_the_documented_example():
    m, inp = nn.Linear(4, 3).double(), torch.DoubleTensor(4)
    assert Jacobian.testJacobian(m, inp) < 1e-5
    assert np.ptp(np.asarray(inp)) > 0  # it was filled
    assert Jacobian.testJacobianParameters(m, inp, m.weight, m.gradWeight) < 1e-5
    assert Jacobian.testJacobianParameters(m, inp, m.bias, m.gradBias) < 1e-5
    assert Jacobian.testJacobianUpdateParameters(m, inp, m.weight) < 1e-5
    assert Jacobian.testJacobianUpdateParameters(m, inp, m.weight, None, None, 1e-4) < 1e-5  # as Lua's nil


@pytest.mark.parametrize("module, input", [
    (f7.Sequential(f7.Linear(3, 4), f7.Tanh(), f7.BatchNormalization(4)), doubles(5, 3)),
    (f7.SpatialConvolution(2, 3, 2, 2), doubles(2, 4, 3)),
    (nn.SplitTable(1).double(), doubles(2, 3)),
])  # fmt: skip
def test_descriptions_and_tables(module, input):
    if isinstance(module, nn.SplitTable):
        module = nn.Sequential().add(module).add(nn.CMulTable()).double()
    assert Jacobian.testJacobian(module, input) < 1e-5


def test_the_jacobian_of_a_linear_layer_is_its_weight():
    m, x = nn.Linear(3, 2).double(), doubles(3)
    np.testing.assert_allclose(Jacobian.backward(m, x), np.asarray(m.weight).T, rtol=1e-12)
    np.testing.assert_allclose(Jacobian.forward(m, x), np.asarray(m.weight).T, rtol=1e-6)
    with pytest.raises(ValueError, match="expected dparam"):
        Jacobian.backward(m, x, m.weight)


class Doubled(nn.Module):
    """x^2, with a gradient that is twice too large."""

    def updateOutput(self, input):
        return np.square(np.asarray(input))

    def updateGradInput(self, input, gradOutput):
        return 4 * np.asarray(input) * np.asarray(gradOutput)


class WrongCriterion(nn.Criterion):
    """sum x^2, with a gradient that is zero."""

    def updateOutput(self, input, target):
        return float(np.square(np.asarray(input)).sum())

    def updateGradInput(self, input, target):
        return np.zeros(np.shape(input))


class CriterionWithoutNumber(nn.Criterion):
    """The sum of a table, with a gradient of the second entry that is no number."""

    def updateOutput(self, input, target):
        return float(sum(np.asarray(each).sum() for each in input))

    def updateGradInput(self, input, target):
        return [np.ones(np.shape(input[0])), np.full(np.shape(input[1]), np.nan)]


def test_a_planted_error_is_found():
    assert not Jacobian.testCriterion(CriterionWithoutNumber().double(), [np.ones(2), np.ones(2)], None) < 1
    assert Jacobian.testJacobian(Doubled().double(), doubles(4)) > 0.1
    assert Jacobian.testCriterion(WrongCriterion().double(), np.ones(3), np.ones(3)) == pytest.approx(2, rel=1e-5)
    m, x = nn.Linear(3, 2).double(), doubles(3)
    assert Jacobian.testJacobianParameters(m, x, m.weight, m.weight.clone().fill(1)) > 0.1


@pytest.mark.parametrize("criterion, input, target", [
    (nn.MSECriterion().double(), np.array([0.3, -1.0]), np.array([1.0, 2.0])),
    (f7.CrossEntropyCriterion(), np.array([[0.3, -1.0, 2.0]]), np.array([2])),
    (nn.CosineEmbeddingCriterion().double(), [np.array([1.0, 2, 3]), np.array([-1.0, 0.5, 2])], 1),
    (nn.L1Cost().double(), np.array([0.5, -2.0]), None),
])  # fmt: skip
def test_criterions(criterion, input, target):
    assert Jacobian.testCriterion(criterion, input, target) < 1e-5


def test_saved_and_loaded():
    m = nn.Sequential().add(nn.Linear(3, 2)).add(nn.Tanh()).double()
    assert Jacobian.testIO(m, doubles(4, 3)) == (0, 0)


def test_all_updates():
    errors = Jacobian.testAllUpdate(nn.Linear(3, 2).double(), np.ones((4, 3)), "weight", "gradWeight")
    ways = ("accGradParameters", "accUpdateGradParameters")
    assert set(errors) == {*ways, *(f"{way} [shared]" for way in ways)}
    assert max(errors.values()) < 1e-9


def test_sparse_inputs():
    m = nn.SparseLinear(5, 3).double()
    x = np.array([[1.0, 0.5], [4, 2]])
    assert SparseJacobian.testJacobianParameters(m, x, m.weight, m.gradWeight) < 1e-5
    assert (x[:, 0] == [1, 4]).all()
    np.testing.assert_allclose(SparseJacobian.forward(m, x), np.asarray(m.weight)[:, [0, 3]].T, rtol=1e-5, atol=1e-8)
