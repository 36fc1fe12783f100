"""Learnable tensors: listed, flattened, shared, copied, drawn anew."""

import copy
import pickle

import numpy as np
import pytest

from functorch7.legacy import nn, torch

from .helpers import arrays, same, two_layers, values

pytestmark = pytest.mark.usefixtures("as_if_large")  # those of other tests' networks are small

X, G = values(5, 3, seed=1), values(5, 2, seed=2)


def step(net, x=X, g=G, rate=0.1):
    net.zeroGradParameters()
    output = net.forward(x)
    net.backward(x, g)
    net.updateParameters(rate)
    return output


def types(net):
    parameters, gradients = net.parameters()
    return {tensor.type() for tensor in parameters + gradients}


def test_parameters_lists_weights_and_biases_in_order_with_their_gradients():
    net = two_layers()
    parameters, gradients = net.parameters()
    first, last = net.get(1), net.get(3)
    assert [id(p) for p in parameters] == [id(t) for t in (first.weight, first.bias, last.weight, last.bias)]
    assert [id(g) for g in gradients] == [
        id(t) for t in (first.gradWeight, first.gradBias, last.gradWeight, last.gradBias)
    ]
    assert nn.Tanh().parameters() == ([], [])


def test_getParameters_is_flat_in_order_and_idempotent():
    net = two_layers()
    wanted = np.concatenate([a.reshape(-1) for a in arrays(net.parameters()[0])])
    flat, gradient = net.getParameters()
    same(flat, wanted)
    assert flat.size() == gradient.size() == [3 * 4 + 4 + 4 * 2 + 2]
    again, gradient_again = net.getParameters()
    assert again.storage() is flat.storage() and gradient_again.storage() is gradient.storage()
    shared, _ = net.clone("weight", "bias", "gradWeight", "gradBias").getParameters()
    same(shared, flat)
    shared.fill(7)  # Torch's gives every network tensors of its own
    same(flat, wanted)


def test_flat_parameters_and_the_modules_tensors_are_the_same_memory():
    net = two_layers()
    flat, gradient = net.getParameters()
    flat.fill(0.25)
    same(net.get(3).weight, np.full((2, 4), 0.25))
    net.get(1).bias[1] = 9
    assert flat[13] == 9
    net.forward(X)
    net.backward(X, G)
    same(gradient.narrow(1, 25, 2), G.sum(0))
    gradient.zero()
    same(net.get(3).gradBias, np.zeros(2))


def test_training_with_flat_parameters_equals_updateParameters():
    net = two_layers()
    other = net.clone()
    flat, gradient = other.getParameters()
    for _ in range(3):
        step(net)
        gradient.zero()
        other.forward(X)
        other.backward(X, G)
        flat.add(-0.1, gradient)
    same(flat, np.concatenate([a.reshape(-1) for a in arrays(net.parameters()[0])]))


def test_getParameters_between_forward_and_backward_still_accumulates():
    net = two_layers()
    other = net.clone()
    other.forward(X)
    other.backward(X, G)
    net.forward(X)
    _, gradient = net.getParameters()
    net.backward(X, G)
    same(gradient, other.getParameters()[1])


def test_getParameters_counts_shared_parameters_once():
    first = nn.Linear(3, 3)
    net = nn.Sequential().add(first).add(nn.Tanh()).add(first.clone("weight", "bias", "gradWeight", "gradBias"))
    flat, gradient = net.getParameters()
    assert flat.size() == gradient.size() == [12]
    flat.fill(2)
    same(net.get(3).weight, np.full((3, 3), 2))
    flat_of_clone, _ = net.clone().getParameters()
    assert flat_of_clone.size() == [12] and flat_of_clone.storage() is not flat.storage()


def test_getParameters_refuses_parameters_that_are_shared_without_their_gradients():
    first = nn.Linear(3, 3)
    net = nn.Sequential().add(first).add(first.clone("weight", "bias"))
    with pytest.raises(ValueError, match="check that you are sharing parameters and gradParameters"):
        net.getParameters()


def test_Module_flatten_makes_the_tensors_views_of_one():
    a, b = torch.Tensor([[1, 2], [3, 4]]), torch.Tensor([5, 6])
    flat = nn.Module.flatten([a, b])
    same(flat, [1, 2, 3, 4, 5, 6])
    flat.mul(10)
    same(a, [[10, 20], [30, 40]])
    same(b, [50, 60])


def test_share_makes_named_tensors_one_and_leaves_the_others():
    first, second = nn.Sequential().add(nn.Linear(3, 2)), nn.Sequential().add(nn.Linear(3, 2))
    weight = np.array(second.get(1).weight)
    assert second.share(first, "bias") is second
    first.get(1).bias[1] = 99
    assert second.get(1).bias[1] == 99
    same(second.get(1).weight, weight)
    second.get(1).bias.fill(3)
    same(first.get(1).bias, [3, 3])


def test_shared_weights_with_separate_gradients_get_both_updates():
    first = nn.Linear(3, 3).double()
    second = first.clone("weight", "bias")
    net = nn.Sequential().add(first).add(second).double()
    w, b, g = np.array(first.weight), np.array(first.bias), values(5, 3, seed=4)
    h = X @ w.T + b
    step(net, X, g, 0.1)
    same(first.weight, w - 0.1 * (g.T @ h + (g @ w).T @ X))
    same(second.weight, first.weight)
    same(second.gradWeight, g.T @ h)
    same(first.gradWeight, (g @ w).T @ X)


def test_clone_copies_and_clone_with_names_shares():
    net = two_layers()
    copied, shared = net.clone(), net.clone("weight", "bias")
    before = np.array(net.get(1).weight)
    net.get(1).weight.fill(0)
    net.get(1).gradWeight.fill(4)
    same(copied.get(1).weight, before)
    same(shared.get(1).weight, np.zeros((4, 3)))
    same(shared.get(1).gradWeight, np.zeros((4, 3)))


def test_clone_keeps_sharing_within_the_network():
    first = nn.Linear(3, 3)
    net = nn.Sequential().add(first).add(first.clone("weight", "bias")).clone()
    net.get(1).weight.fill(5)
    same(net.get(2).weight, np.full((3, 3), 5))


@pytest.mark.parametrize("parameters, gradients", [(True, True), (True, False), (False, True), (False, False)])
def test_sharedClone_shares_what_it_is_asked_to(parameters, gradients):
    net = two_layers()
    clone = net.sharedClone(parameters, gradients)
    net.get(1).weight.fill(8)
    net.get(1).gradWeight.fill(9)
    assert (clone.get(1).weight[1][1] == 8) is parameters
    assert (clone.get(1).gradWeight[1][1] == 9) is gradients


def test_reset_draws_from_torchs_ranges():
    linear = nn.Linear(100, 40)
    for stdv, bound in ((None, 0.1), (0.2, 0.2 * np.sqrt(3))):
        before = np.array(linear.weight)
        linear.reset(stdv)
        for tensor in (linear.weight, linear.bias):
            drawn = np.abs(np.asarray(tensor))
            assert drawn.max() <= bound and drawn.max() > 0.8 * bound
        assert not np.allclose(before, linear.weight)
        np.testing.assert_allclose(np.asarray(linear.weight).std(), bound / np.sqrt(3), rtol=0.05)
    conv = nn.SpatialConvolution(3, 8, 5, 5)
    assert np.abs(np.asarray(conv.weight)).max() <= 1 / np.sqrt(75)


def test_reset_works_in_place_and_reaches_inner_modules():
    net = two_layers()
    flat, _ = net.getParameters()
    before = np.array(flat)
    net.reset(0.5)
    assert not np.any(np.asarray(flat) == before)
    assert np.abs(np.asarray(flat)).max() > 0.5


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))], ids=["deepcopy", "pickle"])
def test_copies_compute_the_same_and_are_independent(copied):
    net = nn.Sequential().add(nn.Linear(3, 4)).add(nn.BatchNormalization(4)).add(nn.Linear(4, 2)).double()
    step(net)
    made = copied(net)
    same(made.parameters()[0], net.parameters()[0])
    same(made.parameters()[1], net.parameters()[1])
    same(made.get(2).running_var, net.get(2).running_var)
    same(step(made), step(net))
    net.get(1).weight.fill(0)
    assert np.any(np.asarray(made.get(1).weight))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))], ids=["deepcopy", "pickle"])
def test_copies_keep_flat_and_shared_parameters(copied):
    first = nn.Linear(3, 3)
    net = nn.Sequential().add(first).add(first.clone("weight", "bias", "gradWeight", "gradBias"))
    net.getParameters()
    made = copied(net)
    assert made.getParameters()[0].size() == [12]
    made.getParameters()[0].fill(1.5)
    same(made.get(2).weight, np.full((3, 3), 1.5))
    same(made.get(1).bias, np.full(3, 1.5))


def test_elements_of_parameters_can_be_set():
    linear = nn.Linear(3, 2).double()
    linear.bias[1] = 99
    linear.weight[2] = [1, 2, 3]
    linear.weight[1, 3] = 0
    w = np.array(linear.weight)
    same(w[1], [1, 2, 3])
    assert w[0, 2] == 0
    same(linear.forward(X), X @ w.T + np.array([99, np.asarray(linear.bias)[1]]))


def test_a_parameter_can_be_replaced_by_an_array():
    linear = nn.Linear(3, 2).double()
    linear.weight.copy(np.arange(6).reshape(2, 3))
    linear.bias.zero()
    same(linear.forward(X), X @ np.arange(6.0).reshape(2, 3).T)


def without_bias(linear, nothing=None):
    linear.bias = nothing
    linear.gradBias = nothing
    return linear


@pytest.mark.parametrize("drop", [lambda m: m.noBias(), without_bias, lambda m: without_bias(m, False)])
def test_a_linear_layer_without_bias(drop):
    linear = nn.Linear(3, 2).double()
    linear = drop(linear)
    assert linear.bias is None
    assert len(linear.parameters()[0]) == len(linear.parameters()[1]) == 1
    same(linear.forward(X), X @ np.asarray(linear.weight).T)
    linear.backward(X, G)
    same(linear.gradWeight, G.T @ X)
    net = nn.Sequential().add(linear).double()
    same(net.forward(X), X @ np.asarray(linear.weight).T)
    assert net.getParameters()[0].size() == [6]


def test_a_convolution_without_bias():
    conv, x = nn.SpatialConvolution(1, 2, 1, 1).noBias().double(), values(1, 3, 3, seed=3)
    w = np.asarray(conv.weight).reshape(2, 1, 1)
    same(conv.forward(x), w * x)


def test_types_change_all_tensors():
    net = two_layers().float()
    assert net.type() == "torch.FloatTensor"
    assert types(net) == {"torch.FloatTensor"}
    assert net.forward(X).type() == "torch.FloatTensor"
    assert net.double() is net
    assert types(net) == {"torch.DoubleTensor"}
    assert net.forward(X).type() == "torch.DoubleTensor"
    assert net.type("torch.HalfTensor").get(1).weight.type() == "torch.HalfTensor"
    assert net.forward(X).type() == "torch.HalfTensor"


def test_a_cast_keeps_values_and_sharing_within_the_network():
    first = nn.Linear(3, 3)
    net = nn.Sequential().add(first).add(first.clone("weight", "bias"))
    before = arrays(net.parameters()[0])
    net.double()
    same(net.parameters()[0], before)
    net.get(1).weight.fill(1)
    same(net.get(2).weight, np.ones((3, 3)))


def test_a_cast_of_a_flattened_network_keeps_it_flat():
    net = two_layers()
    net.getParameters()
    net.float()
    flat, gradient = net.getParameters()
    flat.fill(3)
    net.forward(X)
    net.backward(X, G)
    same(net.get(3).bias, [3, 3])
    same(gradient.narrow(1, 25, 2), G.sum(0), 1e-5)


def test_a_type_that_does_not_exist_and_a_gpu_that_does_not_are_errors():
    linear = nn.Linear(3, 2)
    with pytest.raises(ValueError, match=r"unknown type 'torch.NoTensor'.*torch.FloatTensor"):
        linear.type("torch.NoTensor")
    with pytest.raises(RuntimeError, match=r"nn.Linear\(3 -> 2\): cuda\(\) needs a GPU"):
        linear.cuda()
    assert linear.type() == "torch.FloatTensor"
    assert linear.weight.type() == "torch.FloatTensor"


@pytest.mark.parametrize("flat", [False, True], ids=["fresh", "flat"])
def test_gradients_that_fill_their_storages_are_zeros_at_no_cost(flat):
    """Zeros are not made before somebody reads them, nor added to: backward's gradients take their place."""
    net = two_layers()
    if flat:
        net.getParameters()
    net.forward(values(5, 3))
    net.backward(values(5, 3), values(5, 2))
    assert not any(gradient.storage().is_zero for gradient in net.parameters()[1])
    net.zeroGradParameters()
    assert all(gradient.storage().is_zero for gradient in net.parameters()[1])


OTHERWISE_SHAPED = {  # in Torch the gradient has other sizes than the parameter
    "WeightNorm": lambda: nn.WeightNorm(nn.SpatialConvolution(2, 3, 2, 2)),
    "SpatialDepthWiseConvolution": lambda: nn.SpatialDepthWiseConvolution(2, 2, 2, 2),
}


@pytest.mark.parametrize("flat", [False, True], ids=["fresh", "flat"])
@pytest.mark.parametrize("name", OTHERWISE_SHAPED)
def test_gradients_of_other_sizes_add_up(name, flat):
    module = OTHERWISE_SHAPED[name]().double()
    if flat:
        nn.Sequential().add(module).add(nn.Identity()).getParameters()
    x = values(2, 2, 4, 4)
    g = np.ones(module.forward(x).shape)
    module.zeroGradParameters()
    module.backward(x, g)
    once = arrays(module.parameters()[1])
    module.backward(x, g, 0.5)
    for gradient, before in zip(module.parameters()[1], once, strict=True):
        same(gradient, 1.5 * before)


def test_getParameters_gathers_transposed_weights_as_they_lie():
    net, x = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2)), values(5, 3)
    wanted = np.array(net.forward(x))
    for layer in net.modules:
        for name in ("weight", "gradWeight"):
            setattr(layer, name, getattr(layer, name).t().clone().t())
    flat, _ = net.getParameters()
    assert flat.nElement() == 26 and net.get(1).weight.size() == [4, 3]
    assert np.array(flat)[:12].tolist() == np.array(net.get(1).weight).T.reshape(-1).tolist()
    same(net.forward(x), wanted)
    step(net, x, values(5, 2))
    flat.fill(2)
    assert net.get(1).weight.sum() == 24


def test_tensors_with_gaps_between_their_elements_cannot_be_gathered():
    layer = nn.Linear(3, 4)
    layer.weight = torch.randn(4, 6).narrow(2, 2, 3)
    with pytest.raises(ValueError, match="not compact"):
        layer.getParameters()


def test_getParameters_moves_clones_that_modules_keep_in_fields():
    """dpnn's getParameters: modules in fields share with those inside before and after."""

    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(2, 2)
            self.steps = [self.first.sharedClone()]

        def updateOutput(self, input):
            return self.steps[0].forward(self.first.forward(input))

    net = nn.Sequential().add(nn.Linear(2, 2)).add(Twice()).double()
    net.lookup = net.get(1).sharedClone()
    other = net.clone()
    flat, _ = net.getParameters()
    assert flat.nElement() == 12
    flat.fill(3)
    for weight in (net.lookup.weight, net.get(1).weight, net.get(2).first.weight, net.get(2).steps[0].weight):
        assert weight.sum() == 12 and weight.type() == "torch.DoubleTensor"
    other.get(1).weight.fill(5)
    other.get(2).first.weight.fill(6)
    assert (other.lookup.weight.sum(), other.get(2).steps[0].weight.sum()) == (20, 24)


def test_a_bias_that_is_assigned_takes_noBias_back():
    layer, x = nn.Linear(3, 2).noBias(), values(4, 3)
    assert layer.bias is None and len(layer.parameters()[0]) == 1
    layer.bias, layer.gradBias = torch.Tensor([1, 2]), torch.zeros(2)
    assert len(layer.parameters()[0]) == 2
    same(layer.forward(x), np.array(x) @ np.array(layer.weight).T + [1, 2], rtol=1e-5)
    layer.backward(x, torch.ones(4, 2))
    assert layer.gradBias.totable() == [4, 4]
    assert layer.reset().bias.totable() != [1, 2]
