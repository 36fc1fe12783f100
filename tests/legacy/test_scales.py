"""What backward adds to gradients: scales, regularizers, freezing; BigDL's keywords of Linear. Values by formula."""

import jax
import numpy as np
import pytest

from functorch7.legacy import nn, optim, torch
from functorch7.legacy.engine.terms import Term

from .helpers import named_layers as net
from .helpers import same, values

X, G = values(5, 3, seed=1), values(5, 2, seed=2)


def gradients(module, x=X, g=G, scale=1):
    module.zeroGradParameters()
    module.forward(x)
    module.backward(x, g, scale)
    return [np.array(gradient) for gradient in module.parameters()[1]]


def test_gradients_are_scaled_before_they_are_accumulated():
    model = net()
    plain = gradients(model)
    assert model.getScaleW() == model.getScaleB() == 1
    assert model.setScaleW(2) is model and model.setScaleB(0.5) is model
    assert [m.getScaleW() for m in model.modules] == [2, 2, 2] and model.get(1).scaleB == 0.5
    same(gradients(model), [2 * plain[0], 0.5 * plain[1], 2 * plain[2], 0.5 * plain[3]])
    model["first"].setScaleW(0)
    found = gradients(model, scale=3)
    same(found, [0 * plain[0], 1.5 * plain[1], 6 * plain[2], 1.5 * plain[3]])
    model.backward(X, G)  # accumulates
    same(model.parameters()[1][2], 8 * plain[2])
    with pytest.raises(TypeError, match="expected a number as scale"):
        model.setScaleB("1")


def test_other_ways_to_accumulate_scale_too():
    model = net()
    plain = gradients(model)
    model.setScaleW(2)
    model.zeroGradParameters()
    model.updateGradInput(X, G)
    model.accGradParameters(X, G)
    same(model.parameters()[1], [2 * plain[0], plain[1], 2 * plain[2], plain[3]])
    before = [np.array(t) for t in model.parameters()[0]]
    model.accUpdateGradParameters(X, G, 0.1)
    after = model.parameters()[0]
    same(after, [b - 0.1 * s * p for b, s, p in zip(before, (2, 1, 2, 1), plain, strict=True)])


def test_scales_after_getParameters_and_with_shared_tensors():
    model = net()
    plain = gradients(model)
    _, flat = model.getParameters()
    model.setScaleB(3)
    gradients(model)
    same(flat, np.concatenate([(s * p).ravel() for s, p in zip((1, 3, 1, 3), plain, strict=True)]))
    one, two = nn.Linear(3, 3).double(), nn.Linear(3, 3).double()
    two.share(one, "weight", "gradWeight", "bias", "gradBias")
    tied = nn.Sequential(one, two)
    alone = gradients(tied, X, X)[0]
    one.setScaleW(0)  # of the sum, one place's part stays
    below = np.array(one.output)
    same(gradients(tied, X, X)[0], X.T @ below)
    assert not np.allclose(alone, X.T @ below)


def test_scales_of_one_are_the_same_program():
    model, other = net("float"), net("float").setScaleW(2)
    plans = model._planned(), other._planned()
    assert plans[0].terms is None and plans[1].terms.terms[0] == Term(2.0)
    other.setScaleW(1)
    assert other._planned().terms is None and other._planned().program == plans[0].program


def test_a_frozen_gradient_is_not_computed():
    model, x = nn.Linear(16, 16), np.ones((4, 16), "f")
    product = 2 * 4 * 16 * 16  # a matrix product: one for gradInput, one for gradWeight

    def operations():
        model.forward(x)
        model.backward(x, x)
        call, plan = model._call, model._planned()
        gradients = [storage.array for storage in plan.gradients.storages]
        needed = call.residuals.needed(call.arguments)
        nothing = [None] * len(gradients)
        given = (call.residuals, needed, *call.cotangents, gradients, nothing, None, call._weighing())
        return plan.backward.lower(*given).compile().cost_analysis()["flops"]

    assert operations() >= 2 * product
    model.freeze()
    assert product <= operations() < 1.5 * product


def test_scales_of_a_users_module_that_is_differentiated():
    class Scale(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight, self.gradWeight = torch.DoubleTensor(np.ones((1, 3))), torch.DoubleTensor(1, 3)

        def updateOutput(self, input):
            return torch.cmul(input, self.weight.expandAs(input))

    model = nn.Sequential(Scale()).double()
    (plain,) = gradients(model, X, X)
    model.setScaleW(0.25)
    same(gradients(model, X, X), [plain / 4])


def test_regularizers_add_their_gradients():
    layer = nn.Linear(
        3, 2, wRegularizer=optim.L1L2Regularizer(0.1, 0.2), bRegularizer=optim.L2Regularizer(0.5)
    ).double()
    layer.weight[1, 1] = 0
    weight, bias = np.array(layer.weight), np.array(layer.bias)
    plain = [G.T @ X, G.sum(0)]
    regular = [plain[0] + 0.1 * np.sign(weight) + 0.2 * weight, plain[1] + 0.5 * bias]
    same(gradients(layer), regular)
    same(gradients(layer.setScaleW(3)), [3 * regular[0], regular[1]])
    same(gradients(layer.setScaleW(0)), [0 * regular[0], regular[1]])  # 0 is without the regularizer, too
    same(optim.L1Regularizer(0.1).gradient(weight), 0.1 * np.sign(weight))
    slope = jax.grad(optim.L1L2Regularizer(0.3, 0.7).penalty)(np.float32([2.0, -3.0]))
    same(slope, [0.3 + 1.4, -0.3 - 2.1], rtol=1e-5)
    with pytest.raises(TypeError, match="expected a regularizer"):
        layer.wRegularizer = 0.1


def test_freeze_and_unFreeze_remember_the_scales():
    model = net().setScaleW(2)
    plain = gradients(net())
    assert model.freeze("first") is model
    frozen = gradients(model)
    assert (frozen[0] == 0).all() and (frozen[1] == 0).all() and (frozen[2] != 0).any()
    model.freeze().freeze()  # twice is as once
    assert all((gradient == 0).all() for gradient in gradients(model))
    assert model.unFreeze("last")["last"].getScaleW() == 2 and model["first"].getScaleW() == 0
    assert model.unFreeze()["first"].getScaleW() == 2 and model["first"].getScaleB() == 1
    assert [g.shape for g in gradients(model)] == [g.shape for g in plain]
    model["last"].setScaleB(3)
    model.freeze()["last"].setScaleW(np.float32(5))  # is at work at once, and is not forgotten when it is frozen again
    assert model["last"].getScaleW() == 5 and model.freeze()["last"].getScaleW() == 0
    assert (model.unFreeze()["last"].getScaleW(), model["last"].getScaleB()) == (5, 3)
    for method in (model.freeze, model.unFreeze):
        with pytest.raises(ValueError, match="cannot match module named conv9"):
            method("last", "conv9")


# Linear ----------------------------------------------------------------------------------------------------------


def test_linear_takes_bigdls_keywords():
    weight, bias = values(2, 3, seed=3), values(2, seed=4)
    layer = nn.Linear(3, 2, initWeight=weight, initBias=bias, initGradWeight=2 * weight, initGradBias=2 * bias)
    assert (layer.inputSize, layer.outputSize) == (3, 2)
    same([layer.weight, layer.bias], [weight, bias])
    same([layer.gradWeight, layer.gradBias], [2 * weight, 2 * bias])
    same(layer.forward(X), X @ weight.T + bias, rtol=1e-5, atol=1e-6)
    same(layer.forward(X[0]), weight @ X[0] + bias, rtol=1e-5, atol=1e-6)
    assert nn.Linear(3, 2, withBias=False).bias is None
    with pytest.raises(ValueError, match="weight: expected shape \\(2, 3\\), got \\(3, 2\\)"):
        nn.Linear(3, 2, initWeight=weight.T)
    with pytest.raises(ValueError, match="has no bias to take values"):
        nn.Linear(3, 2, False, initBias=bias)
