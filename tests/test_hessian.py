"""The diagonal Hessian: against numerical second derivatives, and formulas worked out by hand."""

import pickle
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.layers.connections import random
from functorch7.legacy import nn, torch
from functorch7.legacy.modules.hessian import hessian_name
from functorch7.testing import Jacobian
from functorch7.training import criterion_diagonal_hessian, diagonal_hessian
from functorch7.training.hessian import POINTWISE


def drawn(*shape, low=-2.0, high=2.0):
    return np.random.default_rng(sum(shape)).uniform(low, high, shape)


def double(module, *shape, low=-2.0):
    """An object in double precision, after a forward with an input; the input; and some h."""
    module, input = module.double(), torch.DoubleTensor(drawn(*shape, low=low))
    return module, input, drawn(*module.forward(input).shape, low=0.1)


def second_differences(loss, place, step=1e-2):
    """Of a function of a tensor, which is changed in place and restored; exact for squares, but for rounding."""
    kept, found = np.array(place), []
    for i in range(kept.size):
        values = []
        for sign in (1, 0, -1):
            moved = kept.copy()
            moved.flat[i] += sign * step
            place.copy(moved)
            values.append(loss())
        found.append((values[0] - 2 * values[1] + values[2]) / step**2)
    place.copy(kept)
    return np.reshape(found, kept.shape)


TABLE = random(3, 2, 2, np.random.default_rng(0))
LINEAR = [  # Torch's list, and others that are linear in their input and in each parameter
    (lambda: nn.Linear(3, 2), (4, 3)),
    (lambda: nn.SpatialConvolution(2, 3, 3, 2, 2, 1, 1, 0), (2, 2, 4, 3)),
    (lambda: nn.SpatialConvolutionLocal(2, 2, 4, 3, 2, 2), (2, 3, 4)),
    (lambda: nn.SpatialFullConvolution(2, 2, 3, 2, 2, 2), (2, 3, 2)),
    (lambda: nn.SpatialConvolutionMap(TABLE, 2, 2), (3, 4, 3)),
    (lambda: nn.SpatialFullConvolutionMap(TABLE, 2, 2, 2, 2), (3, 2, 3)),
    (lambda: nn.SpatialConvolutionMM(1, 2, 2, 2), (1, 3, 3)),
    (lambda: nn.Reshape(6), (2, 2, 3)),
    (lambda: nn.View(6), (2, 2, 3)),
    (lambda: nn.SpatialSubSampling(2, 2, 2), (2, 3, 4)),
    (lambda: nn.TemporalConvolution(2, 3, 2), (4, 2)),
    (lambda: nn.SpatialAveragePooling(2, 2), (1, 4, 3)),
    (lambda: nn.CMul(3), (4, 3)),
    (lambda: nn.Mul(), (2, 3)),
    (lambda: nn.Sum(1), (3, 2)),
]


@pytest.mark.parametrize("make, shape", LINEAR, ids=[make().typename() for make, _ in LINEAR])
def test_linear_modules_have_the_second_derivatives_of_a_sum_of_squares(hessian_enabled, make, shape):
    module, input, h = double(make(), *shape)

    def loss():
        return float((np.asarray(module.forward(input)) ** 2 * h).sum() / 2)

    made = module.updateDiagHessianInput(input, h)
    module.accDiagHessianParameters(input, h)
    assert made is module.diagHessianInput and made.type() == "torch.DoubleTensor"
    np.testing.assert_allclose(made, second_differences(loss, input), rtol=1e-7, atol=1e-8)
    for name in module.own_parameters():
        wanted = second_differences(loss, getattr(module, name))
        np.testing.assert_allclose(getattr(module, hessian_name(name)), wanted, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("make, square_of_slope, low", [
    (nn.Tanh, lambda x: (1 - np.tanh(x) ** 2) ** 2, -2),
    (nn.TanhShrink, lambda x: np.tanh(x) ** 4, -2),
    (nn.Square, lambda x: 4 * x**2, -2),
    (nn.Sqrt, lambda x: 1 / (4 * x), 0.1),
    (nn.Sigmoid, lambda x: np.exp(-2 * x) / (1 + np.exp(-x)) ** 4, -2),
    (nn.ReLU, lambda x: x > 0, -2),
    (nn.Abs, lambda x: np.ones_like(x), -2),
    (lambda: nn.MulConstant(3), lambda x: np.full_like(x, 9), -2),
])  # fmt: skip
def test_functions_of_single_numbers(hessian_enabled, make, square_of_slope, low):
    module, input, h = double(make(), 2, 3, low=low)
    np.testing.assert_allclose(module.updateDiagHessianInput(input, h), square_of_slope(np.array(input)) * h, rtol=1e-9)
    module.accDiagHessianParameters(input, h)  # of nothing


@pytest.mark.parametrize("kind", POINTWISE)
def test_pointwise_modules_by_the_formula_for_all(kind):
    arguments = {f7.Threshold: (0.5,), f7.Power: (1.5,)}.get(kind, ())
    others = types.new_class("Other", (kind,), {"abstract": True})  # no longer one of the list
    x, h = jnp.array([0.3, 0.6, 1.7]), jnp.array([1.0, 2.0, -1.0])
    mine, wanted = (diagonal_hessian(make(*arguments), {}, {}, x, h)[1] for make in (kind, others))
    np.testing.assert_allclose(mine, wanted, rtol=1e-6)


@pytest.mark.parametrize("make, shape", [
    (nn.SoftMax, (2, 3)),
    (nn.PReLU, (2, 3)),
    (lambda: nn.SpatialMaxPooling(2, 2), (1, 4, 4)),
    (lambda: nn.BatchNormalization(2), (4, 2)),
    (lambda: nn.Euclidean(3, 2), (2, 3)),
])  # fmt: skip
def test_other_modules_by_their_jacobian(hessian_enabled, make, shape):
    module, input, h = double(make(), *shape)
    made = module.updateDiagHessianInput(input, h)
    module.accDiagHessianParameters(input, h)
    pairs = [(made, None)] + [(getattr(module, hessian_name(n)), getattr(module, n)) for n in module.own_parameters()]
    for found, parameter in pairs:
        wanted = Jacobian.forward(module, input, parameter) ** 2 @ h.reshape(-1)
        np.testing.assert_allclose(np.reshape(found, -1), wanted, rtol=1e-6, atol=1e-8)


def test_a_sequential_pulls_back_module_by_module(hessian_enabled):
    net, x, h = double(nn.Sequential().add(nn.Linear(3, 4)).add(nn.Tanh()).add(nn.Linear(4, 2)), 5, 3)
    first, last = (np.array(net.get(i).weight) for i in (1, 3))
    y = np.array(net.get(2).output)
    of_tanh = h @ last**2
    of_first = of_tanh * (1 - y**2) ** 2
    net.initDiagHessianParameters()
    for times in (1, 2):  # they add up
        net.updateDiagHessianInput(x, h)
        net.accDiagHessianParameters(x, h)
        np.testing.assert_allclose(net.diagHessianInput, of_first @ first**2, rtol=1e-12)
        np.testing.assert_allclose(net.get(2).diagHessianInput, of_first, rtol=1e-12)
        np.testing.assert_allclose(net.get(3).diagHessianInput, of_tanh, rtol=1e-12)
        np.testing.assert_allclose(net.get(1).diagHessianWeight, times * of_first.T @ np.array(x) ** 2, rtol=1e-12)
        np.testing.assert_allclose(net.get(1).diagHessianBias, times * of_first.sum(0), rtol=1e-12)
        np.testing.assert_allclose(net.get(3).diagHessianWeight, times * h.T @ y**2, rtol=1e-12)


def test_the_functional_interface_gives_the_same(hessian_enabled):
    net = nn.Sequential().add(nn.Linear(3, 4)).add(nn.Sequential().add(nn.Tanh()).add(nn.Linear(4, 2)))
    x, h = jnp.asarray(drawn(5, 3), jnp.float32), jnp.asarray(drawn(5, 2), jnp.float32)
    spec, (params, buffers) = net.functional()
    of_params, of_input = jax.jit(diagonal_hessian, static_argnums=0)(spec, params, buffers, x, h)
    net.forward(x)
    np.testing.assert_allclose(of_input, net.updateDiagHessianInput(x, h), rtol=1e-5)
    net.accDiagHessianParameters(x, h)
    assert jax.tree.structure(of_params) == jax.tree.structure(params)
    _, _, hessians = net.parameters()
    for mine, theirs in zip(hessians, f7.state_dict(spec, f7.Variables(of_params, buffers)).values(), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5)
    assert of_input.dtype == hessians[0].dtype == np.float32


@pytest.mark.parametrize("average", [True, False])
@pytest.mark.parametrize("make", [nn.MSECriterion, lambda: nn.WeightedMSECriterion(drawn(3))], ids=["MSE", "weighted"])
def test_squared_errors(hessian_enabled, make, average):
    criterion, x, y = make().double(), torch.DoubleTensor(drawn(4, 3)), drawn(4, 3, low=0.0)
    criterion.sizeAverage = average
    made = criterion.updateDiagHessianInput(x, y)
    assert made is criterion.diagHessianInput
    np.testing.assert_allclose(made, np.full((4, 3), 2 / 12 if average else 2), rtol=1e-12)
    np.testing.assert_allclose(made, second_differences(lambda: criterion.forward(x, y), x), rtol=1e-8)


class Fourth(nn.MSECriterion):
    """A user's loss, of which its base class knows nothing."""

    def updateOutput(self, input, target):
        return ((jnp.asarray(input) - jnp.asarray(target)) ** 4).sum()


def test_l1_cost_and_criterions_without(hessian_enabled):
    assert nn.L1Cost().updateDiagHessianInput(torch.Tensor([-2.0, 0, 0.5])).totable() == [1, 0, 1]
    for criterion in (nn.AbsCriterion(), Fourth(), nn.Criterion()):
        with pytest.raises(
            NotImplementedError, match=rf"{criterion.typename()}:updateDiagHessianInput\(\) is undefined"
        ):
            criterion.updateDiagHessianInput(np.ones(2), np.ones(2))
    assert criterion_diagonal_hessian(f7.MSECriterion(), jnp.ones(4), jnp.zeros(4)).tolist() == [0.5] * 4


class Mine(nn.Module):
    """3x; with its own diagonal Hessian where it is asked to."""

    def updateOutput(self, input):
        return 3 * jnp.asarray(input)


class Complete(Mine):
    def updateDiagHessianInput(self, input, diagHessianOutput):
        self.diagHessianInput = 9 * diagHessianOutput
        return self.diagHessianInput


@pytest.mark.parametrize("make, input", [
    (lambda: nn.Dropout(), np.ones((2, 3))),
    (lambda: nn.Concat(2).add(nn.Linear(3, 2)), np.ones((2, 3))),
    (lambda: nn.FastLSTM(3, 2), np.ones((2, 3))),
    (lambda: nn.CAddTable(), [np.ones((2, 3)), np.ones((2, 3))]),
    (lambda: nn.SplitTable(1), np.ones((2, 3))),
    (lambda: nn.SpatialFullConvolution(1, 1, 1, 1), [np.ones((1, 2, 2)), np.ones((1, 2, 2))]),
    (Mine, np.ones((2, 3))),
])  # fmt: skip
def test_modules_without(hessian_enabled, make, input):
    module = make()
    output = module.forward(input)
    h = np.ones(2 if isinstance(output, list) else output.shape)
    with pytest.raises(NotImplementedError, match=rf"{module.typename()}:updateDiagHessianInput\(\) is undefined"):
        module.updateDiagHessianInput(input, h)
    with pytest.raises(NotImplementedError, match="is undefined"):
        nn.Sequential().add(module).updateDiagHessianInput(input, h)


def test_dropout_in_evaluation_and_users_own_modules(hessian_enabled):
    net = nn.Sequential().add(nn.Linear(2, 2)).add(nn.Dropout()).add(Complete()).evaluate()
    x, h = np.ones((3, 2)), np.ones((3, 2))
    net.forward(x)
    net.updateDiagHessianInput(x, h)
    net.accDiagHessianParameters(x, h)
    np.testing.assert_allclose(net.get(1).diagHessianBias, [27, 27], rtol=1e-6)


def test_descriptions_without():
    for network in (f7.Sequential(f7.Dropout()), f7.FastLSTM(2, 2), f7.Sequential(f7.Concat(1, f7.Tanh()))):
        with pytest.raises(NotImplementedError, match=r"nn.\w+:updateDiagHessianInput\(\) is undefined"):
            diagonal_hessian(network, *network.init(jax.random.key(0)), jnp.ones(2), jnp.ones(2), train=True)


def test_a_hessian_of_another_shape_is_refused(hessian_enabled):
    module = nn.Linear(3, 2)
    module.forward(np.ones((4, 3)))
    with pytest.raises(ValueError, match=r"nn.Linear\(3 -> 2\): expected a Hessian of the output's shape \(4, 2\)"):
        module.updateDiagHessianInput(np.ones((4, 3)), np.ones(2))


def test_nothing_is_there_before_enable():
    module = nn.Linear(3, 2)
    for name in ("initDiagHessianParameters", "updateDiagHessianInput", "accDiagHessianParameters", "diagHessianInput"):
        with pytest.raises(AttributeError, match=name):
            getattr(module, name)
    assert len(module.parameters()) == len(module.getParameters()) == 2
    assert not hasattr(nn.MSECriterion(), "updateDiagHessianInput")


def test_parameters_have_a_third_list(hessian_enabled):
    nn.hessian.enable()  # twice is once
    net = nn.Sequential().add(nn.Linear(3, 4)).add(nn.Sequential().add(nn.Tanh()).add(nn.Linear(4, 2, False)))
    params, grads, hessians = net.parameters()
    assert (len(params), len(grads), len(hessians)) == (3, 3, 0) and net.getParameters()[2] is None
    net.initDiagHessianParameters()
    assert [h.size() for h in net.parameters()[2]] == [p.size() for p in params]
    flat, flat_grads, flat_hessians = net.getParameters()
    flat_hessians.fill(7)
    assert flat.size() == flat_grads.size() == flat_hessians.size() == [24]
    assert net.get(2).get(2).diagHessianWeight.sum() == 7 * 8
    copy = pickle.loads(pickle.dumps(net.double()))
    assert copy.get(1).diagHessianBias.type() == "torch.DoubleTensor" and copy.get(1).diagHessianBias.sum() == 28


def test_training_goes_on_as_before(hessian_enabled):
    assert len(nn.MapTable(nn.Linear(2, 1)).getParameters()[0]) == 3
    net = nn.Sequential().add(nn.Linear(3, 4)).add(Mine())
    x, y = np.ones((2, 3)), np.zeros((2, 4))
    criterion = nn.MSECriterion()
    losses = []
    for _ in range(3):
        losses.append(criterion.forward(net.forward(x), y))
        net.zeroGradParameters()
        net.backward(x, criterion.backward(net.output, y))
        net.initDiagHessianParameters()
        net.gradParamClip(10)
        net.updateParameters(0.01)
    assert losses[0] > losses[1] > losses[2] and len(net.sparseParameters()) == 2


def with_a_bias_again():
    """As nn's tests do: without a bias, with another one, and with new values."""
    linear = nn.Linear(4, 3).noBias()
    linear.bias, linear.gradBias = torch.zeros(3), torch.zeros(3)
    return linear.reset()


@pytest.mark.parametrize("make, shape", [
    (lambda: nn.Linear(4, 3), (2, 4)),
    (with_a_bias_again, (2, 4)),
    (lambda: nn.SpatialConvolution(2, 3, 2, 3), (2, 2, 4, 5)),
    (lambda: f7.Linear(4, 3), (4,)),
])  # fmt: skip
def test_the_tester(hessian_enabled, make, shape):
    module, input = make(), np.zeros(shape)
    module = module if isinstance(module, f7.Linear) else module.double()
    assert Jacobian.testDiagHessianInput(module, input) < 1e-10
    assert Jacobian.testDiagHessianWeight(module, input) < 1e-10
    assert Jacobian.testDiagHessianBias(module, input) < 1e-10
    assert np.ptp(input) > 0


def test_the_tester_finds_what_is_wrong(hessian_enabled):
    class Doubled(nn.Linear):
        def accDiagHessianParameters(self, input, diagHessianOutput):
            for _ in range(2):
                super().accDiagHessianParameters(input, diagHessianOutput)

    module = Doubled(2, 3).double()
    assert Jacobian.testDiagHessianInput(module, np.zeros((4, 2))) < 1e-10
    assert Jacobian.testDiagHessianBias(module, np.zeros((4, 2))) == pytest.approx(4)
