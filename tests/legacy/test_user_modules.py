"""Networks with users' modules, compiled between the calls of these, against the same networks of built-in modules."""

from typing import ClassVar

import numpy as np
import pytest

from functorch7.legacy import manualSeed, nn, torch

from .helpers import arrays, same, values


class Counted(nn.Module):
    """Notes its calls, where what it does to its fields does not show."""

    calls_of: ClassVar[dict] = {}

    def __init__(self):
        super().__init__()
        self.number = id(self)
        self.calls_of[id(self)] = []

    def note(self, what):
        self.calls_of[self.number].append(what)

    def updateOutput(self, input):
        self.note("forward")
        return self.value(input)


class Square(Counted):
    """Without a gradient of its own."""

    builtin = staticmethod(lambda: nn.Square())

    def value(self, input):
        return torch.cmul(input, input)


class Cube(Counted):
    """With a gradient, which reads what updateOutput has left in a field."""

    builtin = staticmethod(lambda: nn.Power(3))

    def value(self, input):
        self.seen = torch.DoubleTensor(np.asarray(input))
        self.output = torch.DoubleTensor(np.asarray(input) ** 3)
        return self.output

    def updateGradInput(self, input, gradOutput):
        self.note("backward")
        self.gradInput = torch.DoubleTensor(3 * self.seen.numpy() ** 2 * np.asarray(gradOutput))
        return self.gradInput


def scaling():
    module = nn.CMul(3)
    module.weight.copy(np.arange(1.0, 4))
    return module


class Scale(Counted):
    """With a parameter, and without a gradient of its own."""

    builtin = staticmethod(scaling)

    def __init__(self):
        super().__init__()
        self.weight, self.gradWeight = torch.DoubleTensor(np.arange(1.0, 4)), torch.DoubleTensor(3)

    def value(self, input):
        return torch.cmul(input, self.weight.view(1, 3).expandAs(input))


class ScaleByHand(Scale):
    """With a parameter, and all gradients."""

    def value(self, input):
        self.times = self.weight.clone()
        return torch.DoubleTensor(np.asarray(input) * self.times.numpy())

    def updateGradInput(self, input, gradOutput):
        self.note("backward")
        return torch.DoubleTensor(np.asarray(gradOutput) * self.times.numpy())

    def accGradParameters(self, input, gradOutput, scale=1):
        self.note("accumulate")
        self.gradWeight.add(scale, (np.asarray(gradOutput) * np.asarray(input)).reshape(-1, 3).sum(0))


class Drawing(Counted):
    """Draws numbers, by which a second draw of the same sign would not show."""

    builtin = staticmethod(lambda: nn.Identity())

    def value(self, input):
        self.noise = torch.rand(*input.shape).type("torch.DoubleTensor")
        return torch.add(torch.cmul(input, self.noise), torch.cmul(input, torch.add(self.noise, -1).mul(-1)))

    def updateGradInput(self, input, gradOutput):
        self.note("backward")
        return gradOutput


USERS = (Square, Cube, Scale, ScaleByHand, Drawing)


def graph(make):
    x = nn.Identity()()
    a, b = make()(nn.Linear(3, 3)(x)), nn.Tanh()(nn.Linear(3, 3)(x))
    return nn.gModule([x], [nn.CAddTable()([nn.Linear(3, 3)(a), make()(nn.CMulTable()([a, b]))])])


def sequence(module):
    return nn.Sequential().add(nn.Sequencer(module))


def two():
    return nn.ConcatTable().add(nn.Tanh()).add(nn.Linear(3, 3))


STEPS = 3
BATCH, TABLE, SEQUENCE = (4, 3), "table", (STEPS, 4, 3)
NETWORKS = {
    "first": (lambda make: nn.Sequential().add(make()).add(nn.Linear(3, 3)), BATCH),
    "last": (lambda make: nn.Sequential().add(nn.Linear(3, 3)).add(make()), BATCH),
    "between": (lambda make: nn.Sequential().add(nn.Linear(3, 3)).add(make()).add(nn.Linear(3, 3)), BATCH),
    "one after another": (lambda make: nn.Sequential().add(make()).add(make()).add(nn.Linear(3, 3)), BATCH),
    "deep": (lambda make: nn.Sequential().add(nn.Sequential().add(nn.Tanh()).add(nn.Sequential().add(make()))), BATCH),
    "Concat": (lambda make: nn.Concat(2).add(nn.Sequential().add(nn.Linear(3, 3)).add(make())).add(make()), BATCH),
    "ConcatTable": (
        lambda make: nn.Sequential().add(nn.ConcatTable().add(make()).add(nn.Linear(3, 3))).add(nn.CMulTable()), BATCH,
    ),
    "ParallelTable": (
        lambda make: nn.Sequential().add(two()).add(nn.ParallelTable().add(nn.Linear(3, 3)).add(make()))
        .add(nn.JoinTable(2)), BATCH,
    ),
    "Parallel": (lambda make: nn.Parallel(1, 1).add(make()).add(nn.Linear(3, 3)).add(make()).add(nn.Tanh()), (4, 4, 3)),
    "MapTable": (
        lambda make: nn.Sequential().add(two()).add(nn.MapTable().add(nn.Sequential().add(nn.Linear(3, 3)).add(make())))
        .add(nn.CAddTable()), BATCH,
    ),
    "Bottle": (lambda make: nn.Sequential().add(nn.Bottle(nn.Sequential().add(nn.Linear(3, 3)).add(make()))), BATCH),
    "gModule": (graph, BATCH),
    "Sequencer": (lambda make: sequence(nn.Sequential().add(nn.Linear(3, 3)).add(make()).add(nn.Tanh())), SEQUENCE),
    "Sequencer of a recurrence": (
        lambda make: sequence(nn.Sequential().add(nn.FastLSTM(3, 3)).add(make())), SEQUENCE,
    ),
    "Recursor in a Sequencer": (
        lambda make: sequence(nn.Recursor(nn.Sequential().add(nn.Linear(3, 3)).add(make()))), SEQUENCE,
    ),
    "Repeater": (lambda make: nn.Repeater(nn.Sequential().add(nn.FastLSTM(3, 3)).add(make()), STEPS), BATCH),
}  # fmt: skip
REPEATED = {"Sequencer", "Sequencer of a recurrence", "Recursor in a Sequencer", "Repeater"}


def pair(name, user):
    """The network with users' modules, that with built-in ones of the same parameters, and the users' modules."""
    build, shape = NETWORKS[name]
    users = []

    def make():
        users.append(user())
        return users[-1]

    nets = []
    for how in (make, user.builtin):
        manualSeed(3)
        nets.append(build(how).double())
    for ours, theirs in zip(*(net.parameters()[0] for net in nets), strict=True):
        ours.copy(np.asarray(theirs).reshape(ours.shape))
    return *nets, users, values(*shape, seed=5)


@pytest.mark.parametrize("user", USERS, ids=lambda user: user.__name__)
@pytest.mark.parametrize("name", NETWORKS)
def test_the_results_are_those_of_built_in_modules(name, user):
    net, builtin, users, x = pair(name, user)
    times = STEPS if name in REPEATED else 2 if name == "MapTable" else 1
    for turn in range(4):
        for each in (net, builtin):
            each.evaluate() if turn == 2 else each.training()
            each.zeroGradParameters()
        x = x + 0.1
        outputs = [each.forward(x) for each in (net, builtin)]
        same(*outputs, 1e-9)
        assert [module.calls_of[id(module)] for module in users] == [["forward"] * times] * len(users)
        shown = outputs[0] if isinstance(outputs[0], list) else [outputs[0]]
        g = [values(*each.shape, seed=turn) for each in shown]
        g = g if isinstance(outputs[0], list) else g[0]
        same(net.backward(x, g, 0.5), builtin.backward(x, g, 0.5), 1e-9)
        for ours, theirs in zip(arrays(net.parameters()[1]), arrays(builtin.parameters()[1]), strict=True):
            same(ours, theirs.reshape(ours.shape), 1e-9)
        for module in users:
            assert module.calls_of[id(module)].count("forward") == times
            by_hand = module.has_own_gradient()
            assert module.calls_of[id(module)].count("backward") == (times if by_hand else 0)
            module.calls_of[id(module)].clear()
        for each in (net, builtin):
            each.updateParameters(0.1)
            each.forget()
    for ours, theirs in zip(arrays(net.parameters()[0]), arrays(builtin.parameters()[0]), strict=True):
        same(ours, theirs.reshape(ours.shape), 1e-9)
