"""Parameters in PyTorch's style: one that several modules have is learned as one, however it came to be there."""

import copy
import pickle

import numpy as np
import pytest

from functorch7.legacy import nn, optim, torch

from .helpers import same, values

X, G = values(4, 3, seed=1).astype("f"), values(4, 3, seed=2).astype("f")


pytestmark = pytest.mark.usefixtures("broadcasting")


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


# Tables of parameters, and criterions ------------------------------------------------------------------------------


class WithTables(nn.Module):
    def __init__(self):
        super().__init__()
        self.factors = nn.ParameterList([nn.Parameter(torch.ones(1).mul(i)) for i in (2, 3, 5)])
        self.named = nn.ParameterDict({"shift": torch.ones(1, 3), "factor": nn.Parameter(torch.ones(1))})

    def forward(self, x):
        for factor in self.factors[1:]:
            x = x * factor
        return (x + self.factors[0]) * self.named["factor"] + self.named["shift"]


def test_tables_of_parameters_are_learned_under_their_names():
    net = WithTables()
    same(net(X), 15 * X + 3, 1e-5)
    same(net.backward(X, G), 15 * G, 1e-5)
    wanted = {
        "factors.0": [G.sum()], "factors.1": [5 * (G * X).sum()], "factors.2": [3 * (G * X).sum()],
        "named.shift": G.sum(0, keepdims=True), "named.factor": [((15 * X + 2) * G).sum()],
    }  # fmt: skip
    found = dict(net.named_parameters())
    assert list(found) == list(net.state_dict()) == list(wanted)
    for name, gradient in wanted.items():
        same(found[name].grad, gradient, 1e-4, 1e-5)
    assert net.getParameters()[0].nElement() == 7
    for copied in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        same(copied(X), net(X))
    assert "(0): Parameter containing: [torch.FloatTensor of size 1]" in repr(net)


def test_tables_of_parameters_are_lists_and_dicts():
    net = WithTables()
    factors, named = net.factors, net.named
    first, second, third = factors
    assert factors.pop(0) is first and len(factors) == 2 and list(factors) == [second, third]
    factors.append(torch.ones(1).mul(7)).insert(0, first)
    assert [float(each[1]) for each in factors] == [2, 3, 5, 7] and factors[-1].requires_grad
    factors[1] = nn.Parameter(torch.ones(1))
    del factors[2:]
    same(net(X), X + 3, 1e-5)
    assert "shift" in named and named.keys() == ["shift", "factor"] and named.pop("shift").shape == (1, 3)
    named["shift"] = torch.zeros(1, 3)
    same(net(X), X + 2, 1e-5)
    for wrong, error in ((3, "cannot assign int as parameter '2'"), (None, "expected a parameter, got None")):
        with pytest.raises(TypeError, match=f"nn.ParameterList: {error}"):
            factors.append(wrong)

    class PlainList(nn.Module):
        def __init__(self):
            super().__init__()
            self.all = [nn.Parameter(torch.ones(1))]

        def forward(self, x):
            return x

    with pytest.raises(TypeError, match=r"nn.PlainList: 'all' is a plain table .* use nn.ParameterList"):
        PlainList()(X)


CRITERIONS = {
    "MSE": (nn.MSECriterion, lambda y, t: ((y - t) ** 2).mean()),
    "Multi": (
        lambda: nn.MultiCriterion().add(nn.MSECriterion()).add(nn.AbsCriterion(), 0.5),
        lambda y, t: ((y - t) ** 2).mean() + 0.5 * np.abs(y - t).mean(),
    ),
}


@pytest.mark.parametrize("name", CRITERIONS)
def test_a_forward_may_call_a_criterion(name):
    make, formula = CRITERIONS[name]

    class Losing(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.criterion = nn.Linear(3, 3), make()

        def forward(self, x, target):
            output = self.layer(x)
            return self.criterion(output, target) + self.criterion([2 * output, target])

    net, criterion = Losing(), make()
    output = np.asarray(net.layer.forward(X))
    same(net(X, G), formula(output, G) + formula(2 * output, G), 1e-5)
    net.zero_grad()
    grad_input, _ = net.backward([X, G])
    grad_output = 0
    for factor in (1, 2):
        criterion.forward(factor * output, G)
        grad_output += factor * np.asarray(criterion.backward(factor * output, G))
    same(grad_input, grad_output @ np.asarray(net.layer.weight), 1e-4, 1e-6)
    same(net.layer.gradBias, grad_output.sum(0), 1e-4, 1e-6)
