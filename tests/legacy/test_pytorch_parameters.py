"""Parameters in PyTorch's style: one that several modules have is learned as one, however it came to be there."""

import copy
import pickle

import numpy as np
import pytest

from functorch7.legacy import nn, optim, torch

from .helpers import same, values

X, G = values(4, 3, seed=1).astype("f"), values(4, 3, seed=2).astype("f")


class TiedCoder(nn.Module):
    """Two layers; `tie(encoder, decoder)` makes them share their weight, before or after they are registered."""

    def __init__(self, tie, early):
        super().__init__()
        encoder, decoder = nn.Linear(3, 3), nn.Linear(3, 3)
        if early:
            tie(encoder, decoder)
        self.encoder, self.decoder = encoder, decoder
        if not early:
            tie(self.encoder, self.decoder)

    def forward(self, x):
        return self.decoder(torch.tanh(self.encoder(x)))


def assign(encoder, decoder):
    decoder.weight = encoder.weight


def assign_new(encoder, decoder):
    encoder.weight = nn.Parameter(torch.randn(3, 3))
    decoder.weight = encoder.weight


def share(encoder, decoder):
    decoder.share(encoder, "weight", "gradWeight")


def share_weight_alone(encoder, decoder):
    decoder.share(encoder, "weight")


def wanted(net):
    """The gradients of weight and biases by the chain rule."""
    weight, b = (np.asarray(each).copy() for each in (net.encoder.weight, net.encoder.bias))
    hidden = np.tanh(X @ weight.T + b)
    inner = (G @ weight) * (1 - hidden**2)
    return [inner.T @ X + G.T @ hidden, inner.sum(0), G.sum(0)]


COPIED = {
    "itself": lambda net: net,
    "deepcopy": copy.deepcopy,
    "clone": lambda net: net.clone(),
    "pickle": lambda net: pickle.loads(pickle.dumps(net)),
    "named": lambda net: list(net.named_parameters()) and net,
    "frozen and freed": lambda net: net.encoder.requires_grad_(False).requires_grad_() and net,
}


@pytest.mark.parametrize("early", [True, False])
@pytest.mark.parametrize("tie", [assign, assign_new, share, share_weight_alone])
def test_a_weight_of_two_layers_is_learned_as_one(tie, early):
    for copied in COPIED.values():
        net = copied(TiedCoder(tie, early))
        gradients = wanted(net)
        kept = [np.asarray(each).copy() for each in (net.encoder.weight, net.encoder.bias, net.decoder.bias)]
        for _ in range(2):  # gradients are added up
            net(X)
            net.backward(X, G)
        named = dict(net.named_parameters())
        assert list(named) == ["encoder.weight", "encoder.bias", "decoder.bias"]
        assert net.decoder.weight is net.encoder.weight is named["encoder.weight"]
        for parameter, gradient in zip(named.values(), gradients, strict=True):
            same(parameter.grad, 2 * gradient, 1e-4, 1e-5)
        net.updateParameters(0.1)
        for parameter, before, gradient in zip(named.values(), kept, gradients, strict=True):
            same(parameter, before - 0.2 * gradient, 1e-4, 1e-5)


def test_flat_parameters_have_a_tied_weight_once():
    net = TiedCoder(assign, early=False)
    parameters, gradients = net.getParameters()
    assert parameters.nElement() == gradients.nElement() == 9 + 3 + 3
    flat = np.concatenate([each.reshape(-1) for each in wanted(net)])
    net(X)
    net.backward(X, G)
    before = parameters.clone().numpy()
    optim.sgd(lambda _: (0, gradients), parameters, {"learningRate": 0.1})
    same(parameters, before - 0.1 * flat, 1e-4, 1e-5)
    same(net.decoder.weight, np.asarray(parameters)[:9].reshape(3, 3))


def test_a_module_under_two_names_is_learned_once():
    net = TiedCoder(lambda *_: None, early=False)
    net.decoder = net.encoder
    before = np.asarray(net.encoder.bias).copy()
    net(X)
    net.backward(X, G)
    net.updateParameters(0.1)
    same(net.encoder.bias, before - 0.1 * np.asarray(net.encoder.gradBias), 1e-5, 1e-6)


def test_a_parameter_that_a_layer_is_given_knows_its_gradient():
    layer = nn.Linear(3, 3, bias=False)
    layer.weight = weight = nn.Parameter(torch.ones(3, 3))
    layer.bias = nn.Parameter(torch.ones(3))
    layer.forward(X)
    layer.backward(X, G)
    same(weight.grad, G.T @ X, 1e-5)
    assert [parameter for _, parameter in layer.named_parameters()] == [weight, layer.bias]
    same(layer.bias.grad, G.sum(0), 1e-5)
    for given, stands in ((None, np.zeros((3, 3))), (2 * weight, 2 * np.ones((3, 3))), (np.eye(3), np.eye(3))):
        weight.grad = given
        same(layer.gradWeight, stands)
    with pytest.raises(ValueError, match=r"nn.Parameter: expected a gradient of shape \(3, 3\), got \(9,\)"):
        weight.grad = np.ones(9)


def test_layers_in_a_module_have_parameters_from_the_start():
    class Started(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
            self.layer[0].weight.requires_grad = False
            self.layer[1].bias.data.fill(5)

        def forward(self, x):
            return self.layer(x)

    net = Started()
    net(X)
    net.backward(X, G)
    same(net.layer[0].weight.grad, np.zeros((3, 3)))
    assert np.abs(net.layer[1].weight.grad).max() > 0
    same(net.layer[1].bias, [5, 5, 5])
