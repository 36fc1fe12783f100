"""Modules and criterions that users write, and methods that they replace on single objects."""

import jax.numpy as jnp
import numpy as np
import pytest

from functorch7.interop.torch7 import UnknownClassError
from functorch7.legacy import nn, torch

from .helpers import arrays, same, slopes, two_layers, values

X, G = values(5, 3, seed=1), values(5, 3, seed=2)


class Square(nn.Module):
    """Only the output: the gradient is found."""

    def updateOutput(self, input):
        return torch.cmul(input, input)


class Scale(nn.Module):
    """With parameters, and only the output."""

    def __init__(self, size):
        super().__init__()
        self.weight, self.gradWeight = torch.ones(1, size).mul(2), torch.zeros(1, size)

    def updateOutput(self, input):
        return torch.cmul(input, self.weight.expandAs(input))


class Cube(nn.Module):
    """Both directions by hand, in NumPy; leaves its results in the fields, as Torch's modules do."""

    def updateOutput(self, input):
        self.output = torch.DoubleTensor(np.asarray(input) ** 3)
        return self.output

    def updateGradInput(self, input, gradOutput):
        self.gradInput = torch.DoubleTensor(3 * np.asarray(input) ** 2 * np.asarray(gradOutput))
        return self.gradInput


class Shift(nn.Module):
    """Everything by hand, with a parameter."""

    def __init__(self, size):
        super().__init__()
        self.bias, self.gradBias = torch.DoubleTensor(size), torch.DoubleTensor(size)

    def updateOutput(self, input):
        return np.asarray(input) + np.asarray(self.bias)

    def updateGradInput(self, input, gradOutput):
        return gradOutput

    def accGradParameters(self, input, gradOutput, scale=1):
        self.gradBias.add(scale, np.asarray(gradOutput).sum(0))


class NoGradient(nn.Module):
    def updateOutput(self, input):
        return np.tanh(np.asarray(input))


AROUND = {
    "alone": lambda m: m,
    "Sequential": lambda m: nn.Sequential().add(nn.Identity()).add(m),
    "deep": lambda m: nn.Sequential().add(nn.Sequential().add(m)).add(nn.Identity()),
}


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
def test_a_module_with_updateOutput_only_is_differentiated(around):
    net = around(Square()).double()
    same(net.forward(X), X**2)
    same(net.backward(X, G), 2 * X * G)


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
def test_jax_numpy_computes_on_tensors(around):
    class Sine(nn.Module):
        def updateOutput(self, input):
            return jnp.sin(jnp.asarray(input))

    net = around(Sine()).double()
    same(net.forward(X), np.sin(X))
    same(net.backward(X, G), np.cos(X) * G)


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
def test_parameters_of_such_a_module_get_gradients_and_updates(around):
    module = Scale(3)
    net = around(module).double()
    assert [id(p) for p in net.parameters()[0]] == [id(module.weight)]
    same(net.forward(X), 2 * X)
    same(net.backward(X, G), 2 * G)
    net.backward(X, G, 0.5)
    same(module.gradWeight, 1.5 * (X * G).sum(0, keepdims=True))
    net.updateParameters(0.1)
    same(module.weight, 2 - 0.15 * (X * G).sum(0, keepdims=True))
    net.zeroGradParameters()
    same(module.gradWeight, np.zeros((1, 3)))


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
def test_a_gradient_by_hand_is_used(around):
    net = around(Cube()).double()
    same(net.forward(X), X**3)
    same(net.backward(X, G), 3 * X**2 * G)


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
def test_accGradParameters_by_hand_is_called(around):
    module = Shift(3)
    net = around(module).double()
    module.bias.fill(1)
    same(net.forward(X), X + 1)
    same(net.backward(X, G), G)
    net.backward(X, G, 2)
    same(module.gradBias, 3 * G.sum(0))
    net.updateParameters(0.5)
    same(module.bias, 1 - 1.5 * G.sum(0))


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
def test_accUpdateGradParameters_uses_the_users_accGradParameters(around):
    module = Shift(3)
    net = around(module).double()
    net.forward(X)
    net.updateGradInput(X, G)
    net.accUpdateGradParameters(X, G, 0.5)
    same(module.bias, -0.5 * G.sum(0))
    same(module.gradBias, np.zeros(3))


def test_users_modules_among_others_pass_gradients_on():
    linear, cube, scale, last = nn.Linear(3, 4), Cube(), Scale(4), nn.Linear(4, 3)
    net = nn.Sequential().add(linear).add(cube).add(scale).add(Square()).add(last).double()
    x = X.copy()
    net.forward(x)
    grad_input = np.array(net.backward(x, G))
    grads = arrays(net.parameters()[1])

    def value(_):
        return float((np.asarray(net.forward(x)) * G).sum())

    same(grad_input, slopes(value, x), 1e-6, 1e-7)
    for parameter, gradient in zip(net.parameters()[0], grads, strict=True):
        at = np.array(parameter)

        def moved(values, parameter=parameter):
            parameter.copy(values)
            return value(None)

        same(gradient, slopes(moved, at), 1e-5, 1e-7)
        parameter.copy(at)


@pytest.mark.parametrize("make", [Square, lambda: Cube()], ids=["autodiff", "by-hand"])
def test_in_the_branches_of_a_concat(make):
    net = nn.Concat(2).add(make()).add(nn.Identity()).double()
    power = 2 if make is Square else 3
    g = values(5, 6, seed=3)
    same(net.forward(X), np.concatenate([X**power, X], 1))
    same(net.backward(X, g), power * X ** (power - 1) * g[:, :3] + g[:, 3:])


def test_inner_outputs_around_a_users_module():
    cube = Cube()
    net = nn.Sequential().add(nn.Tanh()).add(cube).double()
    net.forward(X)
    net.backward(X, G)
    same(net.get(1).output, np.tanh(X))
    same(cube.output, np.tanh(X) ** 3)
    same(cube.gradInput, 3 * np.tanh(X) ** 2 * G)


def test_tables_go_through_users_modules():
    class Swap(nn.Module):
        def updateOutput(self, input):
            return [input[1], input[0]]

    net = nn.Sequential().add(Swap()).double()
    same(net.forward([X, G]), [G, X])
    same(net.backward([X, G], [G + 1, X + 1]), [X + 1, G + 1])


def test_numpy_without_a_gradient_says_what_to_write():
    module = NoGradient().double()
    with pytest.raises(TypeError, match=r"its updateOutput uses NumPy.*define updateGradInput"):
        nn.Sequential().add(module).double().forward(X)


def test_a_subclass_of_a_layer_can_change_its_output():
    class Twice(nn.Linear):
        def updateOutput(self, input):
            return super().updateOutput(input) * 2

    layer = Twice(3, 2).double()
    g = values(5, 2, seed=4)
    for net in (layer, nn.Sequential().add(layer).double()):
        layer.zeroGradParameters()
        same(net.forward(X), 2 * (X @ np.asarray(layer.weight).T + np.asarray(layer.bias)))
        same(net.backward(X, g), 2 * g @ np.asarray(layer.weight))
        same(layer.gradWeight, 2 * g.T @ X)


def test_a_subclass_of_Sequential_with_methods_of_its_own():
    class Classifier(nn.Sequential):
        def __init__(self, inputs, classes):
            super().__init__()
            self.classes = classes
            self.add(nn.Linear(inputs, classes)).add(nn.LogSoftMax())

        def predict(self, x):
            return np.asarray(self.forward(x)).argmax(1) + 1

    net = Classifier(3, 4).double()
    scores = X @ np.asarray(net.get(1).weight).T + np.asarray(net.get(1).bias)
    assert (net.predict(X) == scores.argmax(1) + 1).all()
    assert net.size() == 2 and net.classes == 4
    outer = nn.Sequential().add(net).double()
    same(np.exp(np.asarray(outer.forward(X))).sum(1), np.ones(5))
    assert outer.clone().get(1).classes == 4


def test_a_subclass_prints_under_its_own_name():
    assert "Square" in str(Square())
    assert "Square" in str(nn.Sequential().add(Square()))


def freeze_accumulation(module):
    module.accGradParameters = lambda *arguments: None


def freeze_update(module):
    module.updateParameters = lambda rate: None


@pytest.mark.parametrize("freeze", [freeze_accumulation, freeze_update])
def test_freezing_a_module(freeze):
    net = two_layers(3, 4, 3)
    free = net.clone()
    freeze(net.get(1))
    before = arrays(net.get(1).parameters()[0])
    for each in (net, free):
        each.zeroGradParameters()
        each.forward(X)
        each.backward(X, G)
        each.updateParameters(0.1)
    same(net.get(1).parameters()[0], before)
    same(net.get(3).parameters()[0], free.get(3).parameters()[0])
    same(net.gradInput, free.gradInput)


def test_freezing_the_accumulation_leaves_the_gradients_zero():
    net = two_layers(3, 4, 3)
    freeze_accumulation(net.get(1))
    net.forward(X)
    net.backward(X, G)
    same(net.get(1).gradWeight, np.zeros((4, 3)))
    assert np.any(np.asarray(net.get(3).gradWeight))


def test_a_frozen_module_works_as_a_root_too():
    linear = nn.Linear(3, 3).double()
    freeze_accumulation(linear)
    linear.forward(X)
    same(linear.backward(X, G), G @ np.asarray(linear.weight))
    same(linear.gradWeight, np.zeros((3, 3)))


def test_dontBackward_stops_the_gradient():
    linear = nn.Linear(3, 3).double()
    assert linear.dontBackward() is linear
    linear.forward(X)
    assert linear.backward(X, G) is None
    same(linear.gradWeight, np.zeros((3, 3)))


def test_dontBackward_inside_a_network_leaves_its_parameters_alone():
    net = nn.Sequential().add(nn.Linear(3, 3)).add(nn.Linear(3, 3)).add(nn.Linear(3, 3)).double()
    net.forward(X)
    net.backward(X, G)
    net.zeroGradParameters()
    net.get(2).dontBackward()  # and passes nothing on, whatever the last backward has left
    net.forward(X)
    hidden = np.array(net.get(2).output)
    net.backward(X, G)
    same(net.get(1).gradWeight, np.zeros((3, 3)))
    same(net.get(2).gradWeight, np.zeros((3, 3)))
    same(net.get(3).gradWeight, G.T @ hidden)


class Absolute(nn.Criterion):
    def updateOutput(self, input, target):
        return jnp.abs(jnp.asarray(input) - target).sum()


class Huber(nn.Criterion):
    def updateOutput(self, input, target):
        d = np.abs(np.asarray(input) - target)
        self.output = float(np.where(d < 1, d * d / 2, d - 0.5).sum())
        return self.output

    def updateGradInput(self, input, target):
        self.gradInput = torch.DoubleTensor(np.clip(np.asarray(input) - target, -1, 1))
        return self.gradInput


@pytest.mark.parametrize("make", [Absolute, Huber])
def test_a_users_criterion_trains_a_network(make):
    criterion, net, target = make(), nn.Sequential().add(nn.Linear(3, 3)), G.astype(np.float32)
    losses = []
    for _ in range(30):
        output = net.forward(X)
        losses.append(float(criterion.forward(output, target)))
        net.zeroGradParameters()
        net.backward(X, criterion.backward(output, target))
        net.updateParameters(0.02)
    d = np.asarray(output) - target
    same(criterion.gradInput, np.sign(d) if make is Absolute else np.clip(d, -1, 1), 1e-6)
    assert losses[-1] < 0.9 * losses[0]


def test_a_users_criterion_computes_in_its_type():
    criterion = Absolute().double()
    input = torch.DoubleTensor(X)
    same(float(criterion.forward(input, G)), np.abs(X - G).sum(), 1e-12)
    gradient = criterion.backward(input, G)
    assert gradient.type() == "torch.DoubleTensor"
    same(gradient, np.sign(X - G))


def test_a_users_criterion_without_an_output_says_so():
    with pytest.raises(NotImplementedError, match=r"must define updateOutput\(input, target\)"):
        nn.Criterion().forward(X, G)
    with pytest.raises(NotImplementedError, match=r"must define updateOutput\(input\)"):
        nn.Module().forward(X)


# Classes below layers and criterions ----------------------------------------------------------------------------------
# The newest class of a Torch name counts, whichever test wrote it: these have names of their own.


class DoubledLinear(nn.Linear):
    def updateOutput(self, input):
        self.output = super().updateOutput(input) * self.factor
        return self.output


class KnownSequence(nn.Sequential):
    def first(self):
        return self.get(1)


class HalvedError(nn.MSECriterion):
    def updateOutput(self, input, target):
        self.output = super().updateOutput(input, target) / 2
        return self.output


def doubled_linear():
    layer = DoubledLinear(3, 2)
    layer.factor = 2
    return layer


@pytest.mark.parametrize(
    ("made", "run"),
    [
        (doubled_linear(), lambda layer: layer.forward(X)),
        (nn.Sequencer(doubled_linear()), lambda layer: layer.forward(X)),
        (KnownSequence().add(doubled_linear()), lambda layer: layer.first().forward(X)),
        (HalvedError(), lambda criterion: criterion.forward(X, G)),
    ],
    ids=["layer", "inside", "container", "criterion"],
)
def test_classes_derived_from_layers_are_saved_by_their_names(made, run, tmp_path):
    path = str(tmp_path / "derived.t7")
    torch.save(path, [made, made])
    first, second = torch.load(path)
    assert first is second and type(first) is type(made) and torch.type(first) == torch.type(made)
    same(run(first), run(made))


def test_a_derived_class_has_to_be_known_when_it_is_loaded(tmp_path):
    path = str(tmp_path / "derived.t7")
    kind = type("Gone", (nn.Linear,), {"updateOutput": lambda self, input: input})
    torch.save(path, kind(2, 2))
    kind._class_name = classmethod(lambda cls: "nn.Other")
    with pytest.raises(UnknownClassError, match=r"nn\.Gone"):
        torch.load(path)
