"""Networks with users' modules, compiled between the calls of these, against the same networks of built-in modules."""

import pickle
from typing import ClassVar

import numpy as np
import pytest

from functorch7.interop.torch7.reader import UnknownClassError
from functorch7.legacy import explain, manualSeed, nn, torch

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


@pytest.mark.one_in(5)
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
        y = outputs[0]
        g = [values(*each.shape, seed=turn) for each in y] if isinstance(y, list) else values(*y.shape, seed=turn)
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


# What depends on a program being cut ----------------------------------------------------------------------------------


def chain(*users):
    manualSeed(3)
    net = nn.Sequential().add(nn.Linear(3, 3))
    for user in users:
        net.add(user).add(nn.Linear(3, 3))
    return net.double()


class Halves(nn.Module):
    """Gives fewer columns, and more rows where it is told to."""

    more = 0

    def updateOutput(self, input):
        self.calls_made = getattr(self, "calls_made", 0) + 1
        return np.concatenate([np.asarray(input)] * (1 + self.more))

    def updateGradInput(self, input, gradOutput):
        rows = len(input)
        return sum(np.asarray(gradOutput)[i * rows : (i + 1) * rows] for i in range(1 + self.more))


def test_outputs_of_other_shapes_than_before_are_computed_once():
    halves = Halves()
    net, x = chain(halves), values(4, 3)
    first, second = (net.get(i) for i in (1, 3))
    for number, more in enumerate((0, 1, 0, 2, 1, 3, 4, 5, 6, 7, 8, 9, 10, 0, 1), 1):
        halves.more = more
        hidden = x @ np.asarray(first.weight).T + np.asarray(first.bias)
        expected = np.concatenate([hidden] * (1 + more)) @ np.asarray(second.weight).T + np.asarray(second.bias)
        same(net.forward(x), expected, 1e-9)
        assert halves.calls_made == number
        g = values(4 * (1 + more), 3, seed=number)
        back = (g @ np.asarray(second.weight)).reshape(1 + more, 4, 3).sum(0) @ np.asarray(first.weight)
        same(net.backward(x, g), back, 1e-9)


def test_an_input_of_integers_has_its_gradients_accumulated():
    class Rows(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight, self.gradWeight = torch.DoubleTensor(values(5, 3)), torch.DoubleTensor(5, 3)

        def updateOutput(self, input):
            return self.weight.numpy()[input.numpy() - 1]

        def updateGradInput(self, input, gradOutput):
            return None

        def accGradParameters(self, input, gradOutput, scale=1):
            for row, gradient in zip(input.numpy(), gradOutput.numpy(), strict=True):
                self.gradWeight[int(row)].add(scale, gradient)

    rows = Rows()
    net = nn.Sequential().add(rows).add(nn.Linear(3, 2)).double()
    linear, indices, g = net.get(2), torch.LongTensor([2, 5, 2]), values(3, 2)
    expected = rows.weight.numpy()[[1, 4, 1]] @ np.asarray(linear.weight).T + np.asarray(linear.bias)
    same(net.forward(indices), expected, 1e-9)
    net.backward(indices, g)
    gradient = np.zeros((5, 3))
    np.add.at(gradient, [1, 4, 1], g @ np.asarray(linear.weight))
    same(rows.gradWeight, gradient, 1e-9)


def test_looking_inside_calls_no_users_method():
    cube = Cube()
    net, x, g = chain(cube, nn.Tanh()), values(4, 3), values(4, 3, seed=1)
    net.forward(x)
    net.backward(x, g)
    before = list(cube.calls_of[id(cube)])
    first, tanh = net.get(1), net.get(4)
    same(first.output, x @ np.asarray(first.weight).T + np.asarray(first.bias), 1e-9)
    back = (g @ np.asarray(net.get(5).weight)) * (1 - np.asarray(tanh.output) ** 2)
    same(tanh.gradInput, back, 1e-9)
    hidden = back @ np.asarray(net.get(3).weight) * 3 * np.asarray(first.output) ** 2
    same(first.gradInput, hidden @ np.asarray(first.weight), 1e-9)
    assert cube.calls_of[id(cube)] == before == ["forward", "backward"]


def test_clones_share_what_is_compiled():
    net, x = chain(Cube()), values(4, 3)
    other = net.clone()
    same(other.forward(x), net.forward(x))
    assert other._planned().differentiate is net._planned().differentiate
    other.get(1).weight.fill(0)
    same(other.forward(x)[1], other.forward(2 * x)[1])
    same(net.backward(x, x), net.clone().backward(x, x))
    same(other.backward(2 * x, x), np.zeros((4, 3)))


def test_errors_say_where_the_module_is():
    class Refusing(nn.Module):
        def updateOutput(self, input):
            raise ValueError("no")

        def updateGradInput(self, input, gradOutput):
            return gradOutput

    net = nn.Sequential().add(nn.Tanh()).add(nn.Sequential().add(nn.Tanh()).add(Refusing()))
    with pytest.raises(ValueError, match="no") as caught:
        net.forward(values(2, 3))
    places = ["In 2 module of nn.Sequential:"] * 2
    assert [note for note in caught.value.__notes__ if note.startswith("In ")] == places


def test_wrong_classes_are_found_in_a_network_that_is_cut():
    net = nn.Sequential().add(nn.LookupTable(4, 3)).add(Cube()).double()
    net.forward(torch.LongTensor([1, 4]))
    with pytest.raises(ValueError, match="5"):
        net.forward(torch.LongTensor([1, 5]))


class Kept(Scale):
    """With fields of all kinds."""

    def __init__(self):
        super().__init__()
        self.inner, self.factor = nn.Sequential().add(nn.Linear(3, 3)).double(), 0.5
        self.table = {"names": ["a", "b"], "tensor": torch.DoubleTensor(values(2))}

    def value(self, input):
        return torch.mul(torch.add(super().value(input), self.inner.forward(np.asarray(input))), self.factor)

    def updateGradInput(self, input, gradOutput):
        return gradOutput


WAYS = {
    "clone": lambda net, folder: net.clone(),
    "pickle": lambda net, folder: pickle.loads(pickle.dumps(net)),
    "serialize": lambda net, folder: torch.deserialize(torch.serialize(net)),
    "save": lambda net, folder: (torch.save(str(folder / "net.t7"), net), torch.load(str(folder / "net.t7")))[1],
}


@pytest.mark.parametrize("way", WAYS)
def test_users_modules_are_copied_with_class_and_fields(way, tmp_path):
    kept = Kept()
    net, x = chain(kept), values(4, 3)
    kept.weight.fill(7)
    expected = np.array(net.forward(x))
    other = WAYS[way](net, tmp_path)
    copy = other.get(2)
    assert type(copy) is Kept and copy is not kept and copy.factor == 0.5 and copy.table["names"] == ["a", "b"]
    same(copy.table["tensor"], kept.table["tensor"])
    same(other.forward(x), expected)
    same(other.backward(x, x), net.backward(x, x))
    copy.weight.fill(1)
    same(net.forward(x), expected)


def test_one_users_module_at_two_places_is_one_after_loading():
    cube = Cube()
    other = torch.deserialize(torch.serialize(nn.Sequential().add(cube).add(nn.Tanh()).add(cube)))
    assert other.get(1) is other.get(3)


def test_loading_asks_for_the_class():
    class Passing(nn.Module):
        def updateOutput(self, input):
            return input

    text = torch.serialize(nn.Sequential().add(Passing()))
    Passing.__name__ = "Forgotten"
    with pytest.raises(UnknownClassError, match=r"nn\.Passing at the top.modules\[1\]"):
        torch.deserialize(text)


def test_explain_names_users_modules_and_how_they_run():
    net = chain(Cube(), Square())
    assert explain(net).split("\n") == [
        "[2] nn.Cube: called between compiled parts (it uses np.asarray); its own updateGradInput",
        "[4] nn.Square: called between compiled parts (it uses calls_of, a dict of its class); "
        "updateOutput is differentiated",
    ]
    net.add(nn.NaN(nn.Identity()))
    assert "what is around it runs module by module: nn.NaN" in explain(net)
    assert explain(nn.Tanh()) == "compiled as a whole: no module of the user's own"


def test_networks_with_users_modules_are_updated_in_one_program():
    net, x = chain(ScaleByHand(), Square(), Scale()), values(4, 3)
    net.zeroGradParameters()
    net.forward(x), net.backward(x, x)
    expected = [np.asarray(p) - 0.1 * np.asarray(g) for p, g in zip(*net.parameters()[:2], strict=True)]
    assert all(map(net._planned().in_one_call, ("updateParameters", "zeroGradParameters")))
    net.updateParameters(0.1), net.zeroGradParameters()
    for parameter, gradient, value in zip(*net.parameters()[:2], expected, strict=True):
        same(parameter, value, 1e-12)
        same(gradient, np.zeros(gradient.shape))
