"""Parameters without a gradient, which stay as they are; what copies and files have of learning."""

import pickle

import numpy as np
import pytest

from functorch7.interop import t7
from functorch7.legacy import nn, torch

from .helpers import same, two_layers, values

X, G = values(5, 3, seed=1), values(5, 2, seed=2)


def step(net, x=X, g=G):
    net.zeroGradParameters()
    net.forward(x)
    net.backward(x, g)
    net.updateParameters(0.1)


def test_a_weight_whose_gradient_is_None_stays_as_it_is():
    net, other = two_layers(), two_layers()
    for each, parameter in zip(net.parameters()[0], other.parameters()[0], strict=True):
        parameter.copy(each)
    first = net.get(1)
    first.gradWeight = None
    kept = first.weight.clone()
    for each in (net, other):
        step(each)
    same(first.weight, kept.numpy())
    for mine, theirs in ((first.bias, other.get(1).bias), (net.get(3).weight, other.get(3).weight)):
        same(mine, theirs.numpy())
    assert [len(tensors) for tensors in net.parameters()] == [3, 3]
    assert net.getParameters()[0].nElement() == 4 + 4 * 2 + 2
    copied = net.clone()
    assert copied.get(1).gradWeight is None and net.double().get(1).weight.type() == "torch.DoubleTensor"
    first.gradWeight = first.weight.clone().zero()
    step(net)
    assert np.abs(first.weight.numpy() - kept.numpy()).max() > 0
    assert len(net.parameters()[0]) == 4


def test_a_weight_that_is_frozen_or_freed_between_the_calls_has_the_gradient_of_what_it_is_then():
    x, g = values(5, 3, seed=1), values(5, 2, seed=2)
    net = two_layers()
    first = net.get(1)
    net.forward(x)
    net.zeroGradParameters()
    net.backward(x, g)
    wanted = [gradient.clone() for gradient in (first.gradWeight, first.gradBias)]
    first.gradWeight = None
    net.forward(x)
    first.gradWeight = first.weight.clone().zero()
    net.zeroGradParameters()
    net.backward(x, g)
    for gradient, expected in zip((first.gradWeight, first.gradBias), wanted, strict=True):
        same(gradient, expected.numpy())
    net.forward(x)
    first.gradWeight = None
    net.zeroGradParameters()
    net.backward(x, g)
    assert first.gradWeight is None
    same(first.gradBias, wanted[1].numpy())


COPIES = {
    "clone": nn.Module.clone,
    "pickle": lambda net: pickle.loads(pickle.dumps(net)),
    "serialize": lambda net: torch.deserialize(torch.serialize(net)),
    "serialize twice": lambda net: torch.deserialize(torch.serialize(torch.deserialize(torch.serialize(net)))),
}


@pytest.mark.parametrize("copied", COPIES)
def test_momentum_goes_on_in_copies_and_files(copied):
    """Source: dpnn/Module.lua, dpnn_heavyEmpty, which is empty."""
    net = two_layers()
    step(net)
    net.updateGradParameters(0.9)
    copy = COPIES[copied](net)
    for each in (net, copy):
        step(each)
        each.updateGradParameters(0.9)
    same(copy.parameters()[1], [gradient.numpy() for gradient in net.parameters()[1]])


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("make", [nn.Linear, nn.SeqLSTM])
def test_what_is_frozen_is_in_copies_and_files(make, copied):
    layer = make(3, 2).double()
    x, g = values(5, 2, 3, seed=1), values(5, 2, 2, seed=2)
    x, g = (x, g) if make is nn.SeqLSTM else (x[:, 0], g[:, 0])
    name = layer.own_parameters()[0]
    setattr(layer, f"grad{name[0].upper()}{name[1:]}", None)
    net = COPIES[copied](nn.Sequential().add(layer))
    copy = net.get(1)
    then = getattr(copy, name).numpy().copy()
    assert len(net.parameters()[0]) == len(layer.parameters()[0]) == len(layer.own_parameters()) - 1
    step(net, x, g)
    same(getattr(copy, name), then)


def test_a_file_of_torchs_without_gradients_is_learned():
    record = t7.deserialize(torch.serialize(nn.Linear(3, 2)))
    del record.fields["gradWeight"], record.fields["gradBias"]
    loaded = torch.deserialize(t7.serialize(record))
    assert [list(each) for each in loaded.gradWeight] == [[0] * 3] * 2 and len(loaded.parameters()[1]) == 2
    record.fields["_functorch7_frozen"] = {"weight": 1}
    with pytest.raises(t7.T7FormatError, match="_functorch7_frozen"):
        torch.deserialize(t7.serialize(record))


def _net():
    return nn.Sequential().add(nn.Linear(4, 3)).add(nn.Tanh()).add(nn.Linear(3, 2))


FREEZING = {
    "by names": lambda net: [p.requires_grad_(False) for name, p in net.named_parameters() if name.startswith("0.")],
    "by attributes": lambda net: [
        setattr(net.get_parameter(f"0.{n}"), "requires_grad", False) for n in ("weight", "bias")
    ],
    "of a module": lambda net: net.get(1).requires_grad_(False),
    "of its weight and bias": lambda net: [
        setattr(p, "requires_grad", False) for p in dict(net.get(1).named_parameters()).values()
    ],
}


@pytest.mark.parametrize("copied", COPIES)
def test_what_gets_no_gradient_is_in_copies_and_files(copied):
    """One parameter of a layer, another of two layers, and no other; what is freed learns again."""
    net = _net().add(nn.Linear(2, 4)).add(nn.Tanh()).add(nn.Linear(4, 3)).double()
    net.get(6).share(net.get(1), "weight", "gradWeight")
    names = [name for name, _ in net.named_parameters()]
    for name in ("0.weight", "2.bias"):
        net.get_parameter(name).requires_grad = False
    wanted = [each.requires_grad for _, each in net.named_parameters()]
    copy = COPIES[copied](net)
    assert [name for name, _ in copy.named_parameters()] == names and not all(wanted)
    assert [each.requires_grad for _, each in copy.named_parameters()] == wanted
    x, g = values(5, 4, seed=1), values(5, 3, seed=2)
    then = copy.get_parameter("2.bias").numpy().copy()
    for each in (net, copy):
        step(each, x, g)
    same(copy.parameters()[0], [each.numpy() for each in net.parameters()[0]])
    same(copy.get_parameter("2.bias"), then)
    copy.requires_grad_(True)
    step(copy, x, g)
    assert (copy.get_parameter("2.bias").numpy() != then).all()


@pytest.mark.parametrize("how", FREEZING)
def test_parameters_of_layers_are_frozen_as_in_pytorch(how):
    """Before and after they have run; what is frozen keeps its values, and the rest learns as without."""
    torch.manualSeed(1)
    net, free = _net(), _net()
    free.load_state_dict(net.state_dict())
    x = values(5, 4)
    net.forward(x)
    FREEZING[how](net)
    assert [p.requires_grad for _, p in net.named_parameters()] == [False, False, True, True]
    first = [p.clone() for p in net.get(1).parameters()[0]]
    for each in (net, free):
        each.zeroGradParameters()
        each.backward(x, each.forward(x))
        each.updateParameters(0.1)
    for before, after in zip(first, net.get(1).parameters()[0], strict=True):
        same(after, before)
    same(net.get(3).weight, free.get(3).weight)
    assert net.get_parameter("2.weight").grad is net.get(3).gradWeight


def test_an_assigned_gradient_is_the_layers_own():
    """Backward adds to the tensor itself, updateParameters and getParameters take it, as they take what is written."""
    net, given = nn.Sequential(nn.Linear(2, 1), nn.Tanh()), torch.ones(1, 2)
    linear = net.get(1)
    linear.weight.fill(1)
    net.zeroGradParameters()
    linear.gradWeight = given
    net.updateParameters(0.5)
    assert linear.gradWeight is given and np.array(linear.weight).tolist() == [[0.5, 0.5]]
    linear.bias.fill(-1)
    net.forward(torch.ones(2))  # tanh(0), of slope 1
    net.backward(torch.ones(2), torch.ones(1))
    assert np.array(given).tolist() == [[2, 2]]
    assert np.array(net.getParameters()[1]).tolist() == [2, 2, 1]
