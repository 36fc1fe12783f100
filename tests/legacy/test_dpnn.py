"""dpnn's helpers for training loops."""

import numpy as np
import pytest

from functorch7.legacy import nn, torch
from functorch7.legacy.objects.dpnn import require

from .helpers import arrays, same, two_layers, values

X, G = values(5, 3, seed=1), values(5, 2, seed=2)


def with_gradients(scale=1.0):
    """The usual network with known gradients."""
    net = two_layers()
    for i, gradient in enumerate(net.parameters()[1]):
        gradient.copy(values(*gradient.shape, seed=20 + i) * scale)
    return net


def norm(tensors):
    return np.sqrt(sum((np.asarray(t) ** 2).sum() for t in tensors))


def test_maxParamNorm_limits_rows():
    linear = nn.Linear(4, 3).double()
    weight, bias = values(3, 4, seed=3) * np.array([[10], [0.1], [3]]), np.full(3, 50.0)
    linear.weight.copy(weight)
    linear.bias.copy(bias)
    linear.maxParamNorm(2)
    norms = np.linalg.norm(weight, axis=1, keepdims=True)
    same(linear.weight, np.where(norms > 2, weight * 2 / norms, weight), 1e-6)
    same(linear.bias, bias)


def test_maxParamNorm_limits_columns_by_its_second_argument():
    linear = nn.Linear(4, 3).double()
    weight = values(3, 4, seed=3) * np.array([5, 0.1, 3, 1])
    linear.weight.copy(weight)
    linear.maxParamNorm(None, 1.5)
    norms = np.linalg.norm(weight, axis=0, keepdims=True)
    same(linear.weight, np.where(norms > 1.5, weight * 1.5 / norms, weight), 1e-6)


def test_maxParamNorm_treats_a_convolutions_kernels_as_rows():
    conv = nn.SpatialConvolution(2, 3, 2, 2).double()
    conv.weight.fill(4)
    conv.maxParamNorm(2)
    same(np.sqrt((np.asarray(conv.weight) ** 2).sum((1, 2, 3))), np.full(3, 2), 1e-6)


def test_updateGradParameters_keeps_a_moving_average():
    net = with_gradients()
    first = arrays(net.parameters()[1])
    net.updateGradParameters(0.9, 0.1)
    same(net.parameters()[1], [0.9 * g + 0.9 * g for g in first])
    for gradient in net.parameters()[1]:
        gradient.fill(2)
    net.updateGradParameters(0.9, 0.1)
    same(net.parameters()[1], [0.9 * 1.8 * g + 0.9 * 2 for g in first])


def test_updateGradParameters_damps_by_the_momentum_unless_told_otherwise():
    net = with_gradients()
    first = arrays(net.parameters()[1])
    net.updateGradParameters(0.8)
    same(net.parameters()[1], [0.8 * g + 0.2 * g for g in first])


def test_updateGradParameters_with_nesterov():
    net = with_gradients()
    first = arrays(net.parameters()[1])
    net.updateGradParameters(0.9, 0, True)
    same(net.parameters()[1], [g + 0.9 * 1.9 * g for g in first])


def test_a_softmax_tree_keeps_moving_averages_of_the_families_with_a_gradient():
    tree, (root, inner) = nn.SoftMaxTree(3, {1: [2, 3], 2: [4, 5]}, 1).double(), (slice(0, 2), slice(2, 4))
    averages = [np.zeros((4, 3)), np.zeros(4)]
    for number, touched in enumerate([root, inner, root], 1):
        tree.zeroGradParameters()
        given = [np.zeros((4, 3)), np.zeros(4)]
        for gradient, each, average in zip(tree.parameters()[1], given, averages, strict=True):
            each[touched] = values(*each[touched].shape, seed=number)
            gradient.copy(each)
            average[touched] = 0.9 * average[touched] + 0.8 * each[touched]
            each[touched] = average[touched]
        tree.updateGradParameters(0.9, 0.2)
        same(tree.parameters()[1], given)


def test_weightDecay_adds_the_weights_but_not_the_biases():
    net = with_gradients()
    parameters, before = arrays(net.parameters()[0]), arrays(net.parameters()[1])
    net.weightDecay(0.01)
    expected = [g + 0.01 * p if p.ndim > 1 else g for p, g in zip(parameters, before, strict=True)]
    same(net.parameters()[1], expected)
    net.weightDecay(0.5, 1)
    expected = [g + 0.5 * p for p, g in zip(parameters, expected, strict=True)]
    same(net.parameters()[1], expected)


def test_gradParamClip_scales_everything_by_one_factor():
    net = with_gradients(3)
    before = arrays(net.parameters()[1])
    whole = norm(before)
    assert net.gradParamClip(2) == pytest.approx(whole)
    same(net.parameters()[1], [g * 2 / whole for g in before], 1e-6)
    assert net.gradParamClip(5) == pytest.approx(2)
    same(net.parameters()[1], [g * 2 / whole for g in before], 1e-6)


def test_gradParamClip_module_by_module():
    net = with_gradients(3)
    before = arrays(net.parameters()[1])
    assert net.gradParamClip(2, True) == pytest.approx(norm(before))
    for own, old in ((net.get(1), before[:2]), (net.get(3), before[2:])):
        same(own.parameters()[1], [g * min(1, 2 / norm(old)) for g in old], 1e-6)


def test_gradParamClip_does_nothing_without_a_cutoff():
    net = with_gradients(3)
    before = arrays(net.parameters()[1])
    net.gradParamClip(-1)
    same(net.parameters()[1], before)


def test_a_modules_own_fields_override_the_arguments():
    net = with_gradients()
    first, last = net.get(1), net.get(3)
    before = arrays(net.parameters()[1])
    first.wdFactor, last.wdMinDim = 0.5, 1
    net.weightDecay(0.1)
    parameters = arrays(net.parameters()[0])
    expected = [
        before[0] + 0.5 * parameters[0],
        before[1],
        before[2] + 0.1 * parameters[2],
        before[3] + 0.1 * parameters[3],
    ]
    same(net.parameters()[1], expected)
    last.weight.fill(10)
    last.maxOutNorm = -1
    net.maxParamNorm(1)
    same(last.weight, np.full((2, 4), 10))
    first.momFactor = 0
    before = arrays(net.parameters()[1])
    net.updateGradParameters(0.5, 0.5)
    same(first.parameters()[1], before[:2])
    same(last.parameters()[1], [0.5 * g + 0.5 * g for g in before[2:]])


def test_a_containers_fields_count_for_the_modules_inside():
    net = with_gradients()
    net.wdFactor, net.get(3).wdFactor = 0.5, 0.25
    before, parameters = arrays(net.parameters()[1]), arrays(net.parameters()[0])
    nn.Sequential().add(net).weightDecay(0.1)
    same(net.parameters()[1][0], before[0] + 0.5 * parameters[0])
    same(net.parameters()[1][2], before[2] + 0.25 * parameters[2])


def test_require_says_how_to_install_what_is_missing():
    assert require("math").pi > 3
    with pytest.raises(ImportError, match="missing package no_such_thing: run 'pip install no_such_thing'"):
        require("no_such_thing")


def test_checkParameters_finds_a_NaN():
    net = two_layers()
    net.checkParameters()
    net.get(3).weight[1, 2] = float("nan")
    with pytest.raises(ValueError, match="NaN Error for param at index 3"):
        net.checkParameters()


def test_outside_gives_the_outputs_size():
    net = nn.Sequential().add(nn.SpatialConvolution(1, 4, 3, 3)).add(nn.SpatialMaxPooling(2, 2)).add(nn.View(-1))
    net.get(3).setNumInputDims(3)
    assert list(net.outside([2, 1, 8, 8])) == [2, 4 * 3 * 3]
    assert list(two_layers().outside([7, 3])) == [7, 2]


def test_accept_hands_the_module_to_a_visitor():
    class Visitor:
        def visit(self, module):
            self.seen = module

    visitor, net = Visitor(), two_layers()
    net.accept(visitor)
    assert visitor.seen is net


def test_toBatch_and_fromBatch():
    module, single, batch = nn.Identity(), torch.Tensor(3, 4), torch.Tensor(5, 3, 4)
    assert module.toBatch(single, 2).size() == [1, 3, 4]
    assert module.fromBatch(torch.Tensor(1, 7)).size() == [7]
    assert module.toBatch(single, 2, 3).size() == [3, 4, 1]
    assert module.fromBatch(torch.Tensor(3, 4, 1), 3).size() == [3, 4]
    assert module.toBatch(batch, 2) is batch
    assert module.fromBatch(batch) is batch


def test_criterions_have_toBatch_too():
    criterion = nn.MSECriterion()
    assert criterion.toBatch(torch.Tensor(3), 1).size() == [1, 3]
    assert criterion.fromBatch(torch.Tensor(1, 3)).size() == [3]


def test_extrapolateType_is_that_of_most_parameters():
    net = nn.Sequential().add(nn.Linear(3, 3)).add(nn.Linear(3, 3)).add(nn.Linear(3, 3).double())
    assert net.extrapolateType() == "torch.FloatTensor"
    assert net.double().extrapolateType() == "torch.DoubleTensor"


def test_contiguousInput_copies_only_what_is_not_contiguous():
    module, t = nn.Identity(), torch.Tensor(values(2, 3))
    assert module.contiguousInput(t) is t
    made = module.contiguousInput(t.t())
    assert made.isContiguous()
    same(made, np.asarray(t).T)
    assert module.contiguousInput(t.t(), True) is made


def test_momentum_and_decay_train_as_written_out():
    """Two steps of SGD with momentum 0.9 and weight decay 0.1, as in dpnn's README, against the formulas."""
    linear = nn.Linear(3, 2).double()
    w, b = arrays(linear.parameters()[0])
    average = None
    for _ in range(2):
        linear.zeroGradParameters()
        linear.forward(X)
        linear.backward(X, G)
        linear.weightDecay(0.1)
        linear.updateGradParameters(0.9)
        linear.updateParameters(0.01)
        gradient = [G.T @ X + 0.1 * w, G.sum(0)]
        average = gradient if average is None else average
        average = [0.9 * a + (1 - 0.9) * g for a, g in zip(average, gradient, strict=True)]
        w, b = w - 0.01 * average[0], b - 0.01 * average[1]
    same(linear.weight, w)
    same(linear.bias, b)


def test_a_module_may_say_how_it_is_copied_and_steps_keep_recurrent_modules():
    class Owned(nn.Linear):
        def dpnn_sharedClone(self):
            return nn.Linear(2, 3)

    net = nn.Sequential().add(Owned(2, 3)).add(nn.LSTM(3, 3))
    net.get(1).weight.fill(2)
    clone, step = net.sharedClone(), net.stepClone()
    assert type(clone.get(1)) is nn.Linear and (np.asarray(clone.get(1).weight) != 2).all()
    assert clone.get(2) is not net.get(2) and step.get(2) is net.get(2)
    assert clone.forward(torch.zeros(4, 2)).shape == (4, 3)
    lstm = nn.LSTM(2, 2)
    assert lstm.stepClone() is lstm and lstm.sharedClone() is not lstm


def test_classes_have_the_names_of_parameters_and_may_have_their_own():
    class Scaled17(nn.Module):
        dpnn_parameters, dpnn_gradParameters = ["scale"], ["gradScale"]

        def __init__(self):
            super().__init__()
            self.scale, self.gradScale = torch.ones(2), torch.ones(2)

    assert nn.Module.dpnn_parameters == ["weight", "bias"] == nn.Linear.dpnn_parameters
    assert nn.Module.dpnn_gradParameters == ["gradWeight", "gradBias"]
    module = Scaled17()
    alone, both = module.sharedClone(True, False), module.sharedClone()
    module.scale.fill(3), module.gradScale.fill(4)
    assert alone.scale.sum() == both.scale.sum() == 6 and (alone.gradScale.sum(), both.gradScale.sum()) == (2, 8)
    light = module.lightSerial().__getstate__()
    assert light["gradScale"].sum() == 0 and light["scale"].sum() == 6
