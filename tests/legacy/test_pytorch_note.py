"""Every code block of PyTorch's note "Modules" up to "Module State", rewritten where our interface differs.

The classes are the note's, word for word, and are made for both libraries: `note` is ours, `theirs` is PyTorch.
"""

import signal
import subprocess
import sys
import textwrap
from types import SimpleNamespace

import numpy as np
import pytest

from functorch7.legacy import nn, optim, torch

from .helpers import same


def classes(torch, nn, relu):
    class MyLinear(nn.Module):
        def __init__(self, in_features, out_features):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(in_features, out_features))
            self.bias = nn.Parameter(torch.randn(out_features))

        def forward(self, input):
            return (input @ self.weight) + self.bias

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.l0 = MyLinear(4, 3)
            self.l1 = MyLinear(3, 1)

        def forward(self, x):
            x = self.l0(x)
            x = relu(x)
            x = self.l1(x)
            return x

    class BigNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.l1 = MyLinear(5, 4)
            self.net = Net()

        def forward(self, x):
            return self.net(self.l1(x))

    class DynamicNet(nn.Module):
        def __init__(self, num_layers):
            super().__init__()
            self.linears = nn.ModuleList([MyLinear(4, 4) for _ in range(num_layers)])
            self.activations = nn.ModuleDict({"relu": nn.ReLU(), "lrelu": nn.LeakyReLU()})
            self.final = MyLinear(4, 1)

        def forward(self, x, act):
            for linear in self.linears:
                x = linear(x)
            x = self.activations[act](x)
            x = self.final(x)
            return x

    class RunningMean(nn.Module):
        def __init__(self, num_features, momentum=0.9):
            super().__init__()
            self.momentum = momentum
            self.register_buffer("mean", torch.zeros(num_features))

        def forward(self, x):
            self.mean = self.momentum * self.mean + (1.0 - self.momentum) * x
            return self.mean

    return SimpleNamespace(**{name: kind for name, kind in locals().items() if isinstance(kind, type)})


note = classes(torch, nn, nn.functional.relu)


@pytest.fixture(scope="module")
def theirs():
    reference = pytest.importorskip("torch")
    return SimpleNamespace(torch=reference, **vars(classes(reference, reference.nn, reference.nn.functional.relu)))


def given_to(reference, theirs, net):
    """PyTorch's network with our parameters."""
    state = {name: theirs.torch.tensor(np.array(value)) for name, value in net.state_dict().items()}
    assert list(reference.state_dict()) == list(state)
    reference.load_state_dict(state)
    return reference


def of_theirs(theirs, tensor):
    return theirs.torch.tensor(np.array(tensor))


# A simple custom module --------------------------------------------------------------------------------------------


def test_a_custom_module_computes_its_forward():
    m = note.MyLinear(4, 3)
    sample_input = torch.randn(4)
    same(m(sample_input), np.asarray(sample_input) @ np.asarray(m.weight) + np.asarray(m.bias), 1e-5)


def test_parameters_are_iterated_with_their_names():
    m = note.MyLinear(4, 3)
    (first, weight), (second, bias) = m.named_parameters()
    assert (first, second) == ("weight", "bias")
    assert weight is m.weight and bias is m.bias
    assert repr(weight).startswith("Parameter containing:\n") and weight.requires_grad


# Modules as building blocks ----------------------------------------------------------------------------------------


def test_custom_modules_go_into_a_sequential():
    net = nn.Sequential(note.MyLinear(4, 3), nn.ReLU(), note.MyLinear(3, 1))
    sample_input = torch.randn(4)
    first, _, last = net
    hidden = np.maximum(np.asarray(sample_input) @ np.asarray(first.weight) + np.asarray(first.bias), 0)
    same(net(sample_input), hidden @ np.asarray(last.weight) + np.asarray(last.bias), 1e-5)
    net.zeroGradParameters()
    net.backward(sample_input, torch.ones(1))
    same(last.gradWeight, hidden[:, None], 1e-5)


def test_children_and_modules_have_names():
    net, big_net = note.Net(), note.BigNet()
    assert "\n".join(map(str, net.named_children())) == "('l0', MyLinear())\n('l1', MyLinear())"
    printed = textwrap.dedent("""\
        ('', BigNet(
          (l1): MyLinear()
          (net): Net(
            (l0): MyLinear()
            (l1): MyLinear()
          )
        ))
        ('l1', MyLinear())
        ('net', Net(
          (l0): MyLinear()
          (l1): MyLinear()
        ))
        ('net.l0', MyLinear())
        ('net.l1', MyLinear())""")
    assert "\n".join(map(str, big_net.named_modules())) == printed
    assert big_net.children() == [big_net.l1, big_net.net]
    assert big_net.listModules() == [module for _, module in big_net.named_modules()]


def test_nested_modules_compute_and_differentiate_as_PyTorch_does(theirs):
    ours = note.BigNet()
    reference = given_to(theirs.BigNet(), theirs, ours)
    x = torch.randn(5)
    given = of_theirs(theirs, x).requires_grad_()
    output = reference(given)
    output.backward()
    same(ours(x), output.detach().numpy(), 1e-5)
    ours.zero_grad()
    same(ours.backward(x, torch.ones(1)), given.grad.numpy(), 1e-5)
    for (name, mine), (_, other) in zip(ours.named_parameters(), reference.named_parameters(), strict=True):
        assert mine.shape == other.shape, name
        same(mine.grad, other.grad.numpy(), 1e-5, 1e-6)


@pytest.mark.parametrize("act", ["relu", "lrelu"])
def test_submodules_are_chosen_when_called(theirs, act):
    ours = note.DynamicNet(3)
    reference = given_to(theirs.DynamicNet(3), theirs, ours)
    x = torch.randn(4)
    same(ours(x, act), reference(of_theirs(theirs, x), act).detach().numpy(), 1e-4, 1e-5)
    same(ours.linears[0].output, reference.linears[0](of_theirs(theirs, x)).detach().numpy(), 1e-4, 1e-5)


def test_parameters_of_all_submodules_are_listed():
    names = [name for name, _ in note.DynamicNet(3).named_parameters()]
    linears = [f"linears.{i}.{name}" for i in range(3) for name in ("weight", "bias")]
    assert names == [*linears, "final.weight", "final.bias"]


def test_all_parameters_change_precision_at_once():
    dynamic_net = note.DynamicNet(1)
    assert dynamic_net.to(dtype=torch.float64) is dynamic_net
    assert {p.dtype for _, p in dynamic_net.named_parameters()} == {torch.float64}
    assert dynamic_net(torch.randn(4, dtype=torch.float64), "relu").dtype == torch.float64  # the note's 5 cannot work
    with pytest.raises(RuntimeError, match="needs a GPU"):
        dynamic_net.to(device="cuda")


# Training ------------------------------------------------------------------------------------------------------------


def step(net, params, gradients, x, config):
    """The note's loop body: loss = |net(input)|, its gradient, and one step of SGD with momentum and weight decay."""

    def loss(_):
        output = net(x)
        net.zero_grad()
        net.backward(x, torch.sign(output))
        return torch.abs(output)[1], gradients

    return optim.sgd(loss, params, config)[1][0]


def test_training_is_that_of_PyTorch(theirs):
    ours = note.Net()
    reference = given_to(theirs.Net(), theirs, ours)
    optimizer = theirs.torch.optim.SGD(reference.parameters(), lr=1e-2, weight_decay=1e-2, momentum=0.9)
    params, gradients = ours.getParameters()
    config = {"learningRate": 1e-2, "weightDecay": 1e-2, "momentum": 0.9, "dampening": 0}
    for _ in range(10):
        x = torch.randn(4)
        loss = theirs.torch.abs(reference(of_theirs(theirs, x)))
        reference.zero_grad()
        loss.backward()
        optimizer.step()
        same(step(ours, params, gradients, x, config), loss.item(), 1e-4, 1e-5)
    for name, value in reference.state_dict().items():
        same(ours.state_dict()[name], value.numpy(), 1e-4, 1e-5)


def test_training_teaches_a_network_to_output_zero():
    """The note's 10,000 iterations at 1e-4 are 300 at 1e-2 here; the loss falls to less than a quarter."""
    net = note.Net()
    params, gradients = net.getParameters()
    config = {"learningRate": 1e-2, "weightDecay": 1e-2, "momentum": 0.9, "dampening": 0}
    losses = [step(net, params, gradients, torch.randn(4), config) for _ in range(300)]
    assert np.mean(losses[-50:]) < np.mean(losses[:50]) / 4
    assert np.abs(np.asarray(net.l1.weight)).max() < 1


# State ---------------------------------------------------------------------------------------------------------------


def test_a_state_is_saved_and_loaded_exactly(tmp_path):
    net = note.Net()
    torch.save(tmp_path / "net.t7", net.state_dict())
    new_net = note.Net()
    assert repr(new_net.load_state_dict(torch.load(tmp_path / "net.t7"))) == "<All keys matched successfully>"
    for name, value in net.state_dict().items():
        np.testing.assert_array_equal(np.asarray(new_net.state_dict()[name]), np.asarray(value))


def test_a_running_mean_is_state(tmp_path, theirs):
    m, reference = note.RunningMean(4), theirs.RunningMean(4)
    for _ in range(10):
        input = torch.randn(4)
        same(m(input), reference(of_theirs(theirs, input)).numpy(), 1e-5, 1e-6)
    assert list(m.state_dict()) == ["mean"]
    torch.save(tmp_path / "mean.t7", m.state_dict())
    m_loaded = note.RunningMean(4)
    m_loaded.load_state_dict(torch.load(tmp_path / "mean.t7"))
    assert torch.all(torch.eq(m.mean, m_loaded.mean))


def test_buffers_that_are_not_persistent_move_but_are_not_saved():
    m = note.RunningMean(4)
    m.register_buffer("unserialized_thing", torch.randn(5), persistent=False)
    m.to(dtype=torch.float64)
    assert [(name, b.dtype) for name, b in m.named_buffers()] == [
        ("mean", torch.float64), ("unserialized_thing", torch.float64)
    ]  # fmt: skip
    assert list(m.buffers()) == [m.mean, m.unserialized_thing]
    assert list(m.state_dict()) == ["mean"]
    assert m.load_state_dict(m.state_dict()) == ([], [])


KILLED = """
import resource, signal, sys
import numpy as np
from functorch7.legacy import torch
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # a write beyond the limit kills the process
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
torch.save(sys.argv[1], {"first": torch.ones(20_000), "second": torch.ones(20_000)})
"""


def test_a_process_that_is_killed_while_it_saves_leaves_the_old_file(tmp_path):
    net, path = note.Net(), tmp_path / "net.t7"
    torch.save(path, net.state_dict())
    before = path.read_bytes()
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path)], capture_output=True)
    assert killed.returncode == -signal.SIGXFSZ, killed.stderr
    assert max(file.stat().st_size for file in tmp_path.rglob("*")) == 100_000  # it was in the middle
    assert path.read_bytes() == before
    note.Net().load_state_dict(torch.load(path))
