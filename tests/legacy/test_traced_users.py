"""Users' modules that are compiled with the network around them, against the same modules called one by one."""

import numpy as np
import pytest

from functorch7.legacy import explain, manualSeed, nn, torch
from functorch7.legacy.engine.known_users import known

from .helpers import same, values
from .test_user_modules import NETWORKS, scaling

TRACED, CALLED = "compiled with the rest", "called"


class Square(nn.Module):
    """Without a gradient of its own."""

    builtin = staticmethod(lambda: nn.Square())

    def updateOutput(self, input):
        return torch.cmul(input, input)


class Cube(nn.Module):
    """Written as Torch's layers are: results in output and gradInput, a buffer for the way back."""

    builtin = staticmethod(lambda: nn.Power(3))

    def updateOutput(self, input):
        self.seen = input.clone()
        return self.output.resizeAs(input).copy(input).pow(3)

    def updateGradInput(self, input, gradOutput):
        return self.gradInput.resizeAs(input).copy(gradOutput).cmul(self.seen).cmul(self.seen).mul(3)


class Scale(nn.Module):
    """With a parameter."""

    builtin = staticmethod(scaling)

    def __init__(self):
        super().__init__()
        self.weight, self.gradWeight = torch.DoubleTensor(np.arange(1.0, 4)), torch.DoubleTensor(3)

    def updateOutput(self, input):
        return torch.cmul(input, self.weight.view(1, 3).expandAs(input))


class ScaleByHand(Scale):
    """With a parameter, and all gradients."""

    def updateGradInput(self, input, gradOutput):
        return super().updateOutput(gradOutput)

    def accGradParameters(self, input, gradOutput, scale=1):
        self.gradWeight.add(scale, torch.cmul(input, gradOutput).sum(1).view(3))


def around(name, make):
    manualSeed(3)
    return NETWORKS[name][0](make).double()


CASES = [*(("between", user) for user in (Square, Cube, Scale, ScaleByHand)), ("gModule", Cube), ("Sequencer", Cube)]


@pytest.mark.parametrize(("name", "user"), CASES, ids=lambda each: getattr(each, "__name__", each))
def test_what_is_compiled_computes_what_a_built_in_module_does(name, user):
    users = []

    def made():
        users.append(user())
        return users[-1]

    net = around(name, made)
    builtin = around(name, user.builtin)
    for ours, theirs in zip(net.parameters()[0], builtin.parameters()[0], strict=True):
        ours.copy(np.asarray(theirs).reshape(ours.shape))
    x = values(*NETWORKS[name][1], seed=5)
    for turn in range(2):
        outputs = [each.forward(x + turn) for each in (net, builtin)]
        same(outputs[0], outputs[1], 1e-9)
        g = [values(*each.shape, seed=turn) for each in outputs] if isinstance(outputs[0], list) else x
        same(net.backward(x + turn, g, 0.5), builtin.backward(x + turn, g, 0.5), 1e-9)
        for ours, theirs in zip(net.parameters()[1], builtin.parameters()[1], strict=True):
            same(ours, np.asarray(theirs).reshape(ours.shape), 1e-9)
        for each in (net, builtin):
            each.updateParameters(0.1)
    assert (TRACED if name != "Sequencer" else CALLED) in explain(net)
    if name == "between":
        same(users[0].output, builtin.get(2).output, 1e-9)
        same(users[0].gradInput, builtin.get(2).gradInput, 1e-9)


# What methods leave in fields ----------------------------------------------------------------------------------------


class Loss(nn.Module):
    """With a criterion and a network inside, as neural-style's losses are, and fields of all kinds."""

    def __init__(self):
        super().__init__()
        self.strength, self.mode, self.criterion = 0.5, "capture", nn.MSECriterion().double()
        self.inner = nn.Sequential().add(nn.Linear(3, 2)).double()
        self.total = torch.DoubleTensor(3)

    def updateOutput(self, input):
        features = self.inner.forward(input)
        if self.mode == "loss":
            self.loss = self.criterion.forward(features, self.target) * self.strength
        else:
            self.target = features.clone()
        self.total.add(input.sum(1).view(3))
        self.table, self.rows = [input, {"twice": torch.mul(input, 2)}], input.size(1)
        self.output = input
        return self.output

    def updateGradInput(self, input, gradOutput):
        back = self.inner.updateGradInput(input, self.criterion.backward(self.inner.output, self.target))
        self.gradInput = back.clone().mul(self.strength).add(gradOutput)
        return self.gradInput


def test_fields_have_what_the_methods_left_in_them():
    loss = Loss()
    net, weight = nn.Sequential().add(nn.Identity()).add(loss).double(), np.asarray(loss.inner.get(1).weight)
    captured, x, g = values(4, 3, seed=1), values(4, 3, seed=2), values(4, 3, seed=3)
    net.forward(captured)
    same(loss.target, captured @ weight.T + np.asarray(loss.inner.get(1).bias), 1e-9)
    assert loss.rows == 4
    loss.mode = "loss"
    net.forward(x)
    difference = (x - captured) @ weight.T
    assert isinstance(loss.loss, float) and loss.loss == pytest.approx(0.5 * np.mean(difference**2))
    same(loss.total, captured.sum(0) + x.sum(0), 1e-9)
    same(loss.table[1]["twice"], 2 * x, 1e-9)
    loss.strength = 0.25
    net.forward(x)
    assert loss.loss == pytest.approx(0.25 * np.mean(difference**2))
    same(loss.output, x)
    same(net.backward(x, g), g + 0.25 * 2 / difference.size * difference @ weight, 1e-9)
    assert TRACED in explain(net)


class Leaving(nn.Module):
    """Leaves all kinds of values in fields."""

    def __init__(self):
        super().__init__()
        self.kept, self.table = torch.DoubleTensor(4, 3), [torch.DoubleTensor(3)]

    def updateOutput(self, input):
        self.kept.copy(input)
        self.table = [torch.mul(input, 2), {"sum": input.sum()}, (input.size(1), torch.mul(input, 3))]
        self.total, self.seen = input.sum(), input
        return torch.mul(input, 2)


class LeavingWhenCalled(Leaving):
    def updateOutput(self, input):
        SEEN.clear()
        return super().updateOutput(input)


@pytest.mark.parametrize(("user", "how"), [(Leaving, TRACED), (LeavingWhenCalled, CALLED)])
def test_fields_have_numbers_whether_methods_are_traced_or_called_and_differentiated(user, how):
    net = nn.Sequential().add(nn.Identity()).add(user()).double()
    for x in (values(4, 3, seed=1), values(4, 3, seed=2)):
        net.forward(x)
        left = net.get(2)
        same(left.kept, x), same(left.seen, x), same(left.table[0], 2 * x), same(left.table[2][1], 3 * x)
        assert left.total == pytest.approx(x.sum()) and left.table[1]["sum"] == pytest.approx(x.sum())
        assert type(left.total) is type(left.table[1]["sum"]) is float and left.table[2][0] == 4
        same(net.backward(x, x), 2 * x)
    assert how in explain(net)


class Index(nn.Module):
    """char-rnn's OneHot."""

    def __init__(self, size):
        super().__init__()
        self.size, self.eye = size, torch.eye(size)

    def updateOutput(self, input):
        self.output.resize(input.size(1), self.size).zero()
        self.output.copy(self.eye.index(1, input))
        return self.output


def test_indices_out_of_range_are_found_where_they_are_compiled():
    net = nn.Sequential().add(Index(3)).add(nn.Linear(3, 2))
    net.forward(torch.LongTensor([1, 3]))
    assert TRACED in explain(net)
    with pytest.raises((ValueError, IndexError), match="expected indices from 1 to 3.*4"):
        net.forward(torch.LongTensor([1, 4]))


# What cannot be traced ----------------------------------------------------------------------------------------------


SEEN = []


def counting(self, input):
    self.count += 1
    return torch.mul(input, 2)


def listing(self, input):
    SEEN.append(input)
    return torch.mul(input, 2)


def branching(self, input):
    return torch.mul(input, 2) if input.sum() > -1e9 else input


def writing(self, input):
    return input.mul(2)


def viewing(self, input):
    self.one = torch.mul(input, 2)
    self.other = self.one.view(-1)
    return self.one.clone()


def drawing(self, input):
    return torch.add(torch.mul(input.clone().uniform(), 0), torch.mul(input, 2))


def looking_back(self, input):
    return torch.add(torch.mul(input, 2), torch.mul(self.output.clone().resizeAs(input), 0))


REFUSED = {
    counting: "its constants change too often", listing: "it uses SEEN", branching: "it asks for values",
    writing: "it writes to its arguments", viewing: "it has set other to a view of another field",
    drawing: "tracing it raised TypeError", looking_back: "it reads what its last call has left",
}  # fmt: skip


@pytest.mark.parametrize("method", REFUSED, ids=lambda method: method.__name__)
def test_what_cannot_be_traced_is_called_with_the_same_results(method):
    class Doubling(nn.Module):
        count = 0
        updateOutput = method

    user = Doubling()
    net = nn.Sequential().add(nn.Identity()).add(user)
    for turn in range(10 if method is counting else 2):
        x = values(4, 3, seed=turn).astype(np.float32)
        same(net.forward(x), 2 * x, 1e-6)
    same(net.backward(x, x), 2 * x, 1e-6)
    assert f"({REFUSED[method]}" in explain(net)
    assert user.count == (10 if method is counting else 0)


def test_an_error_of_the_users_is_told_as_it_is_and_leaves_the_module_compiled():
    class Checked(nn.Module):
        def updateOutput(self, input):
            if input.size(2) != 3:
                raise ValueError("three columns")
            return torch.mul(input, 2)

    net = nn.Sequential().add(nn.Identity()).add(Checked())
    for columns in (3, 2, 3):
        x = values(4, columns)
        if columns == 2:
            with pytest.raises(ValueError, match="three columns"):
                net.forward(x)
        else:
            same(net.forward(x), 2 * x, 1e-6)
    assert TRACED in explain(net)


def test_clones_share_what_is_compiled_and_have_fields_of_their_own():
    net = nn.Sequential().add(nn.Identity()).add(Loss()).double()
    net.forward(values(4, 3))
    clone = net.clone()
    clone.forward(values(4, 3, seed=1))
    assert clone._planned().differentiate is net._planned().differentiate
    assert not np.allclose(clone.get(2).target, net.get(2).target)


def test_fields_that_no_method_sets_are_known_before_the_class_is_traced():
    class Weighed(nn.Module):
        def __init__(self):
            super().__init__()
            self.strength, self.noisy, self.noise, self.criterion = 0.5, False, nn.Dropout(), nn.MSECriterion()
            self.centre = torch.ones(3)

        def updateOutput(self, input):
            self.seen = self.noise.forward(input) if self.noisy else input  # Dropout could not be traced in a field
            return self.seen * (self.strength * self.criterion.forward(self.seen, self.centre))

    net = nn.Sequential().add(nn.Identity()).add(Weighed())
    same(net.forward(torch.zeros(3)), np.zeros(3))
    assert TRACED in explain(net) and not known(Weighed).names


def test_another_method_of_the_class_is_heard_of():
    class Changing(nn.Module):
        def updateOutput(self, input):
            return torch.mul(input, 2)

    net, x = nn.Sequential().add(nn.Identity()).add(Changing()), values(4, 3)
    same(net.forward(x), 2 * x, 1e-6)
    Changing.updateOutput = lambda self, input: torch.mul(input, 3)
    same(net.forward(x), 3 * x, 1e-6)


def test_gradients_by_hand_behind_checks_have_their_own_values():
    """JAX gave the way back the check's result in place of what forward had left."""
    net = nn.Sequential().add(nn.LookupTable(4, 3)).add(Cube()).double()
    net.zeroGradParameters()
    net.forward(torch.LongTensor([2, 4]))
    net.backward(torch.LongTensor([2, 4]), torch.DoubleTensor(2, 3).fill(1))
    weight = np.asarray(net.get(1).weight)
    same(np.asarray(net.get(1).gradWeight)[[1, 3]], 3 * weight[[1, 3]] ** 2, 1e-9)
    assert TRACED in explain(net)


def test_buffers_grow_where_they_are_compiled():
    class Growing(nn.Module):
        def __init__(self):
            super().__init__()
            self.kept = torch.Tensor()

        def updateOutput(self, input):
            self.kept.resizeAs(input).copy(input)
            return torch.mul(self.kept, 2)

    user = Growing()
    net = nn.Sequential().add(nn.Identity()).add(user)
    for rows in (2, 4, 3):
        x = values(rows, 3, seed=rows).astype(np.float32)
        same(net.forward(x), 2 * x, 1e-6)
        same(user.kept, x, 1e-6)
    assert TRACED in explain(net)
