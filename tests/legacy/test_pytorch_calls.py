"""Calls of modules in PyTorch's style: arguments, gradients, inner modules, and what a traced forward cannot do."""

import copy
import pickle

import numpy as np
import pytest

from functorch7.legacy import nn, torch
from functorch7.legacy.tensors.styles import pytorch_operators

from .helpers import same
from .pytorch_modules import Mixed, Scale, X, Y, custom

pytestmark = pytest.mark.usefixtures("broadcasting")


@pytest.fixture
def evaluated():
    return Mixed().eval()


def linear(module, x):
    return x @ np.asarray(module.weight).T + np.asarray(module.bias)


# Calls ---------------------------------------------------------------------------------------------------------------


def test_arguments_are_tensors_or_static(evaluated):
    net = evaluated
    twice = linear(net.linear, linear(net.linear, X))
    same(net(X), twice + 1, 1e-4, 1e-5)
    same(net(X, Y), twice + Y + 1, 1e-4, 1e-5)
    same(net(X, b=Y, times=3, name="times"), 3 * twice * Y + 1, 1e-4, 1e-5)
    same(net.linear.output, twice, 1e-4, 1e-5)  # of its last call


def test_backward_of_several_tensors_takes_and_gives_a_table(evaluated):
    net = evaluated
    net(X, Y)
    grad_x, grad_y = net.backward([X, Y], np.ones_like(X))
    weight = np.asarray(net.linear.weight)
    same(grad_y, np.ones_like(X))
    same(grad_x, np.ones_like(X) @ weight @ weight, 1e-4, 1e-5)
    same(net.linear.gradInput, grad_x, 1e-5)  # the first call's is found last, as in Torch


class Attending(nn.Module):
    def forward(self, x):
        return (x @ x.transpose(-2, -1)).sum(-1)


def test_dimensions_count_from_the_last_inside_forward():
    x = np.random.default_rng(0).normal(size=(2, 3, 4)).astype(np.float32)
    same(Attending()(x), (x @ x.transpose(0, 2, 1)).sum(2, keepdims=True), 1e-5)
    with pytest.raises(IndexError, match="dimension -2 out of range of a 3D tensor"):
        torch.Tensor(x).transpose(-2, -1)
    with pytorch_operators(), pytest.raises(IndexError, match="dimension -4 out of range of a 3D tensor"):
        torch.Tensor(x).transpose(-4, 1)
    with pytorch_operators(), pytest.raises(IndexError, match="dimension -4 out of range"):
        torch.Tensor(x).sum(-4)


def test_an_attribute_that_changes_changes_the_result(evaluated):
    net = evaluated
    before = np.asarray(net(X))
    net.shift = 5.0
    same(net(X), before + 4, 1e-4)


def test_a_network_is_one_traced_program_for_equal_modules():
    Scale.traces.clear()
    first, second = nn.Sequential(Scale(2.0), nn.Tanh()), nn.Sequential(Scale(3.0), nn.Tanh())
    for net, factor in ((first, 2), (second, 3), (first.clone(), 2)):
        same(net.forward(X), np.tanh(X * factor), 1e-5)
    assert len(Scale.traces) == 1


def test_the_gradient_of_a_parameter_has_its_name():
    net = Scale()
    net(X)
    net.backward(X, Y)
    same(net.gradFactor, [(X * Y).sum()], 1e-5)
    assert net.factor.grad is net.gradFactor
    net.updateParameters(0.1)
    same(net.factor, [2 - 0.1 * (X * Y).sum()], 1e-5)
    net.zero_grad()
    same(net.gradFactor, [0])


def test_running_statistics_inside_are_kept_and_modes_differ(evaluated):
    net = evaluated
    net.training()
    assert net.training and net.norm.train
    before = np.asarray(net.norm.running_mean)
    h = linear(net.linear, linear(net.linear, X))
    net(X)
    same(net.norm.running_mean, 0.9 * before + 0.1 * h.mean(0), 1e-4, 1e-5)
    net.eval()
    assert not net.training and not net.norm.train
    assert (net.train, repr(net.train)) == (False, "False")


class Halving(nn.Module):
    def forward(self, input):
        return input / 2 if self.training and self.train else input


class Around(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Halving()

    def forward(self, input):
        return self.inner(input)


@pytest.mark.parametrize("make", [Halving, Around])
def test_the_flag_train_is_called_as_in_pytorch(make):
    net, trained = make(), X / 2
    for switch, expected in (
        (lambda: net.train(), trained), (lambda: net.train(False), X), (lambda: net.train(mode=True), trained),
        (lambda: net.eval(), X), (lambda: net.training(nn.Tanh().train), trained),
        (lambda: net.train(net.train), trained),
    ):  # fmt: skip
        assert switch() is net
        same(net(X), expected)
        is_trained = expected is trained
        assert net.train == is_trained and bool(net.train) is is_trained and str(net.train) == str(is_trained)
        for copied in (net.clone(), copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
            assert vars(copied).get("train", True) is is_trained
    with pytest.raises(ValueError, match="training mode is expected to be boolean, got 'yes'"):
        net.train("yes")


@pytest.mark.parametrize("switch", [
    lambda net: net.eval(), lambda net: net.train(False), lambda net: setattr(net, "train", False),
    lambda net: net.inner.eval(),
])  # fmt: skip
def test_forward_cannot_change_the_mode(switch):
    def forward(self, x):
        switch(self)
        return self.inner(x)

    with pytest.raises(TypeError, match=r"^nn\.\w+: forward cannot change the mode"):
        custom(forward, inner=lambda: nn.Dropout(0.5))(X)


def test_a_module_may_stay_in_its_own_mode(evaluated):
    net = evaluated.training()
    net.norm.evaluate()
    mean = np.asarray(net.norm.running_mean).copy()
    h = linear(net.linear, linear(net.linear, X))
    same(net(X), h / np.sqrt(1 + 1e-5) * np.asarray(net.norm.weight) + 1, 1e-4, 1e-5)
    same(net.norm.running_mean, mean)


def test_places_for_a_parameter_or_a_module_may_be_empty():
    def forward(self, x):
        x = x if self.bias is None else x + self.bias
        return x if self.more is None else self.more(x)

    net = custom(forward)
    net.register_parameter("bias", None)
    net.register_module("more", None)
    same(net(X), X)
    net.bias, net.more = nn.Parameter(torch.ones(3)), Scale()
    same(net(X), 2 * (X + 1), 1e-6)
    net.more = None
    same(net(X), X + 1, 1e-6)


def test_buffers_change_in_place_too():
    net = custom(lambda self, x: x + self.seen.add(x.sum(1)))
    net.register_buffer("seen", torch.ones(1, 3))
    same(net(X), X + 1 + X.sum(0), 1e-5, 1e-6)
    same(net.seen, 1 + X.sum(0, keepdims=True), 1e-5, 1e-6)
    net.seen = torch.ones(1, 1)
    with pytest.raises(ValueError, match="1x1 and 1x3"):  # methods are Torch7's: they never repeat elements
        net(X)
    with pytest.raises(TypeError, match="asks for a tensor's values"):  # writing by index is NumPy's
        custom(lambda self, x: x.__setitem__(1, 0))(X)


def test_a_dropout_that_is_called_twice_draws_twice():
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.drop = nn.Dropout(0.5)

        def forward(self, x):
            return self.drop(x), self.drop(x)

    first, second = Twice()(np.ones(64, "f"))
    assert set(np.asarray(first).tolist()) == set(np.asarray(second).tolist()) == {0, 2}
    assert np.any(np.asarray(first) != np.asarray(second))


def test_penalties_of_all_calls_count():
    class Penalised(nn.Module):
        def __init__(self):
            super().__init__()
            self.penalty = nn.L1Penalty(0.5)

        def forward(self, x):
            return self.penalty(x) + self.penalty(2 * x)

    net = Penalised()
    net(X)
    same(net.penalty.loss, 0.5 * 3 * np.abs(X).sum(), 1e-5)


def test_inheritance_goes_by_super():
    class Shifted(Scale):
        def forward(self, input):
            return super().forward(input) + 1

    same(Shifted(3.0)(X), 3 * X + 1, 1e-6)


def test_modules_of_all_kinds_work_inside():
    class Square(nn.Module):
        def updateOutput(self, input):
            return torch.cmul(input, input)

    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.square = Square()
            self.body = nn.Sequential(Scale(), nn.ConcatTable().add(Scale(3.0)).add(nn.Identity()))

        def forward(self, x):
            a, b = self.body[1](self.body[0](self.square(x)))
            return a + b

    net = Outer()
    same(net(X), 8 * X**2, 1e-5)
    same(net.backward(X, Y), 16 * X * Y, 1e-5)
    assert list(net.state_dict()) == ["body.0.factor", "body.1.0.factor"]


# What a forward cannot do --------------------------------------------------------------------------------------------


def test_modules_inside_with_an_own_gradient_have_attributes():
    class Sevenfold(nn.Module):
        def __init__(self):
            super().__init__()
            self.settings = {"factor": 7}

        def forward(self, x):
            return x * self.settings["factor"]

        def updateGradInput(self, input, gradOutput):
            self.gradInput = gradOutput * 3
            return self.gradInput

    net = custom(lambda self, x: self.inner(x), inner=Sevenfold)
    same(net(X), 7 * X)
    same(net.backward(X, X), 3 * X)


def sets_attribute(self, x):
    self.kept = x
    return x


def changes_parameter(self, x):
    self.inner.weight.mul(2)
    return self.inner(x)


def changes_setting(self, x):
    self.inner.p = 0.1
    return self.inner(x)


def sets_attribute_inside(self, x):
    self.inner.kept = x
    return self.inner(x)


def sets_number(self, x):
    self.count = self.count + 1
    return x


@pytest.mark.parametrize(
    ("forward", "attributes", "message"),
    [
        (lambda self, x: x if x.sum() > 0 else -x, {}, "forward asks for a tensor's values"),
        (lambda self, x: x * float(x.sum()), {}, "forward asks for a tensor's values"),
        (lambda self, x: torch.Tensor.of(np.tanh(x)), {}, "forward asks for a tensor's values"),
        (lambda self, x: x.array[x.array > 0], {}, "forward asks for a tensor's values"),
        (sets_attribute, {}, r"forward sets self\.kept"),
        (sets_number, {"count": 0}, r"forward sets self\.count"),
        (changes_parameter, {"inner": lambda: nn.Linear(3, 3)}, r"forward sets self\.inner\.weight"),
        (changes_setting, {"inner": lambda: nn.Dropout(0.5)}, r"forward sets self\.inner\.settings"),
        (sets_attribute_inside, {"inner": Scale}, r"forward sets self\.inner\.kept"),
        (lambda self, x: x + torch.randn(3), {}, "forward draws numbers"),
        (lambda self, x: self.inner(x, x), {"inner": lambda: nn.Linear(3, 3)}, "expected one input"),
        (lambda self, x: self.all[0](x), {"all": lambda: [nn.Linear(3, 3)]}, "use nn.ModuleList"),
        (lambda self, x: self.inner.backward(x), {"inner": lambda: nn.Linear(3, 3)}, "cannot be called in forward"),
    ],
)
def test_a_forward_that_cannot_be_traced_says_why(forward, attributes, message):
    with pytest.raises(TypeError, match=message) as raised:
        custom(forward, **attributes)(X)
    said = [str(raised.value), *getattr(raised.value, "__notes__", [])]
    assert any("nn.Wrong" in line or "Linear" in line for line in said)


def test_errors_inside_name_the_way():
    net = custom(lambda self, x: self.inner(x), inner=lambda: nn.Sequential(nn.Linear(4, 2)))
    with pytest.raises(ValueError, match=r"nn\.Linear\(4 -> 2\): expected input of size 4") as raised:
        net(X)
    assert raised.value.__notes__[:2] == ["In 1 module of nn.Sequential:", "In inner module of nn.Wrong:"]


def test_tables_of_modules_cannot_be_called():
    with pytest.raises(NotImplementedError, match="nn.ModuleList: missing the required forward"):
        nn.ModuleList([nn.Linear(2, 2)])(X)


class Telling(nn.Module):
    """Returns more than tensors."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x, mode="sum"):
        rows, columns = x.shape
        return {"y": (self.linear(x), None), "rows": rows, "mode": mode, "sizes": [columns, 2.0]}


def test_what_modules_inside_return_beside_tensors_comes_as_it_is():
    class Told(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Telling()

        def forward(self, x):
            (y, nothing), rows, (columns, factor) = (found := self.inner(x))["y"], found["rows"], found["sizes"]
            assert nothing is None and found["mode"] == "sum" and isinstance(found["y"], tuple)
            return y.view(rows * columns) * factor

    net, seen = Told(), []
    net.inner.register_forward_hook(lambda module, input, output: seen.append(output["y"][0].numpy().copy()))
    weight, bias = np.asarray(net.inner.linear.weight), np.asarray(net.inner.linear.bias)
    same(net(X), 2 * (X @ weight.T + bias).ravel(), 1e-5, 1e-6)
    same(net.backward(X, np.ones(12, "f")), 2 * np.ones((4, 3)) @ weight, 1e-5, 1e-6)
    same(seen[0], X @ weight.T + bias, 1e-5, 1e-6)
    with pytest.raises(TypeError, match="nn.Telling: forward returned 'sum', which is no tensor"):
        net.inner(X)


def test_a_forward_without_arguments_is_called():
    class Grid(nn.Module):
        def __init__(self):
            super().__init__()
            self.points = nn.Parameter(torch.ones(4, 3))

        def forward(self, factor=2):
            return self.points * factor

    net = custom(lambda self, x: self.grid() + x, grid=Grid)
    same(net(X), X + 2)
    same(net.grid(), np.full((4, 3), 2))
    net.grid.zero_grad()
    net.grid.backward([], np.ones((4, 3)))
    same(net.grid.points.grad, np.full((4, 3), 2))


@pytest.mark.parametrize("where", [lambda y: y, lambda y: y.view(-1), lambda y: [y, y + 1], lambda y: {"a": y}])
def test_a_tensor_that_a_forward_has_changed_in_place_is_not_read_as_it_was(where):
    def changing(self, given):
        x = given["a"] if isinstance(given, dict) else given[0] if isinstance(given, list) else given
        x += 1
        return x * 2

    inner = custom(changing)
    net = custom(lambda self, x: self.inner(where(x * 1)), inner=lambda: inner)
    same(np.asarray(net(X)).reshape(4, 3), 2 * X + 2, 1e-6)
    with pytest.raises(TypeError, match="a forward has changed the tensor that it was given in place.*use what it ret"):
        custom(lambda self, x: (y := x * 1, self.inner(where(y)))[0] + y, inner=lambda: inner)(X)
