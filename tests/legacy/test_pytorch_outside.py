"""What a `forward` reads beside its arguments and attributes counts as it is at each call, or is refused."""

import copy
import dataclasses
import random
import types

import numpy as np
import pytest

from functorch7.legacy import nn, torch

from .helpers import same
from .pytorch_modules import X, custom

CACHE = []
RANDOM, NUMPYS = random.Random(0), np.random.default_rng(0)


@dataclasses.dataclass
class Settings:
    factor: float = 1.0
    other: int = 0


class Plain:
    def __init__(self):
        self.inside, self.calls = Settings(), 0

    def factor(self):
        return self.inside.factor


def passing(net):
    return custom(lambda self, x: self.inner(x), inner=lambda: net)


def test_settings_that_are_handed_on_count_where_they_are_read():
    class Reads(nn.Module):
        def forward(self, x, settings):
            return x * settings.factor

    class HandsOn(nn.Module):
        def __init__(self, settings):
            super().__init__()
            self.settings, self.inner = settings, Reads()

        def forward(self, x, more):
            return self.inner(self.inner(x, self.settings), more)

    mine, theirs = Settings(2.0), Settings(3.0)
    net = HandsOn(mine)
    same(net(X, theirs), 6 * X, 1e-6)
    mine.factor, theirs.factor = 5.0, 7.0
    same(net(X, theirs), 35 * X, 1e-6)


def test_what_no_code_reads_costs_no_new_program():
    traced = []

    class CountsTraces(nn.Module):
        def __init__(self):
            super().__init__()
            self.settings = Plain()

        def forward(self, x):
            traced.append(1)
            return x * self.settings.factor()

    net = CountsTraces()
    for calls in range(4):
        net.settings.calls = calls
        same(net(X), X, 1e-6)
    assert len(traced) == 1  # nor does a log that `forward` itself writes to


@pytest.mark.parametrize(
    "draw",
    [
        lambda self, x: x * random.random(),
        lambda self, x: x * float(np.random.rand()),
        lambda self, x: x * RANDOM.uniform(0, 1),
        lambda self, x: x * float(NUMPYS.normal()),
        lambda self, x: x * self.generator.random(),
    ],
)
def test_numbers_that_would_be_drawn_once_are_refused(draw):
    net = passing(custom(draw, generator=lambda: copy.deepcopy(RANDOM)))
    with pytest.raises(TypeError, match="nn.Wrong: forward draws numbers, but runs once for all calls"):
        net(X)


def test_hooks_that_replace_see_what_has_changed_outside():
    settings = Settings()
    net = nn.Sequential(nn.Identity(), nn.Identity())
    net[0].register_forward_hook(lambda module, input, output: output * settings.factor)
    net[1].register_full_backward_hook(lambda module, grad_input, grad_output: grad_input * settings.factor)
    for factor in (1.0, 2.0, 3.0):
        settings.factor = factor
        same(net(X), factor * X, 1e-6)
        same(net.backward(X, X), factor**2 * X, 1e-6)
    net[1].register_forward_hook(lambda module, input, output: output * random.random())
    with pytest.raises(TypeError, match="nn.Identity: a forward hook that returns something draws numbers"):
        net(X)


def test_hooks_that_are_taken_away_in_a_call():
    net, seen = nn.Sequential(nn.Identity(), nn.Identity()), []

    def first(module, input, output):
        seen.append("first")
        for handle in handles:
            handle.remove()

    handles = [net[0].register_forward_hook(first)]
    handles.append(net[1].register_forward_hook(lambda *_: seen.append("second")))
    net(X), net(X)
    assert seen == ["first"]

    def once(module, input, output):
        handle.remove()
        return 2 * output

    handle = net[0].register_forward_hook(once)
    with pytest.raises(TypeError, match=r"nn.Identity: a forward hook that returns .* cannot take itself away"):
        net(X)


def test_tensors_without_values_get_nowhere_outside():
    with pytest.raises(TypeError, match="nn.Wrong: forward puts a tensor into 'CACHE'.*return it, or look at it by a"):
        custom(lambda self, x: (CACHE.append(x * 2), x)[1])(X)
    CACHE.clear()


def test_a_forward_that_a_class_gets_later_is_compiled_like_any():
    class Patched(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(3, 3)

        def forward(self, x):
            return self.layer(x)

    net = Patched()
    networks = [net, nn.Sequential(nn.Identity(), net)]
    weight = np.asarray(net.layer.weight)
    for factor in (1, 2, 3):
        for each in networks:
            same(each(X), factor * np.asarray(net.layer.forward(X)), 1e-5)
            same(each.backward(X, X), factor * X @ weight, 1e-5, 1e-6)
        Patched.forward = lambda self, x, factor=factor + 1: factor * self.layer(x)


OUTSIDE = nn.Linear(3, 3)


@pytest.mark.parametrize(
    "called",
    [
        lambda self, x: OUTSIDE(x),
        lambda self, x: self.kept.layer(x),
        lambda self, x: self.bound(x),
        lambda self, x: self.dropout[0](x),
    ],
)
def test_modules_that_are_not_registered_are_refused_where_they_hold_or_draw_something(called):
    kept = types.SimpleNamespace(layer=nn.Sequential(nn.Tanh(), nn.BatchNormalization(3)))
    net = custom(called, kept=lambda: kept, bound=lambda: nn.Linear(3, 3).forward)
    net.dropout = Modules([nn.Dropout()])
    with pytest.raises(TypeError, match=r"nn.Wrong: forward calls nn\.\w+.*, which is none of its modules"):
        passing(net)(X)
    same(custom(lambda self, x: TANH(x))(X), np.tanh(X), 1e-6)


class Modules:
    """A table that nobody looks into."""

    def __init__(self, modules):
        self.modules = modules

    def __getitem__(self, position):
        return self.modules[position]


TANH = nn.Tanh()


def test_a_forward_of_one_object_is_refused():
    net = custom(lambda self, x: x)
    with pytest.raises(TypeError, match="nn.Wrong: forward cannot be set on an object.*derive a class"):
        net.forward = lambda x: 2 * x
    same(net(X), X)


WEIGHT, WITHOUT_GRADIENT = nn.Parameter(torch.ones(4, 3)), nn.Parameter(torch.ones(4, 3), requires_grad=False)
WEIGHTS, HOLDER, NORM = [WEIGHT], types.SimpleNamespace(w=WEIGHT), nn.BatchNormalization(3)


def reading_a_parameter_around():
    weight = nn.Parameter(torch.ones(4, 3))
    return lambda self, x: x * weight


@pytest.mark.parametrize(
    ("forward", "match"),
    [
        (lambda self, x: x * WEIGHT, "an nn.Parameter of shape"),
        (lambda self, x: x * WEIGHTS[0], "an nn.Parameter of shape"),
        (lambda self, x: x * HOLDER.w, "an nn.Parameter of shape"),
        (lambda self, x: x * self.holder.w, "an nn.Parameter of shape"),
        (reading_a_parameter_around(), "an nn.Parameter of shape"),
        (lambda self, x: x @ OUTSIDE.weight, "the weight of nn.Linear.3 -> 3. of shape"),
    ],
)
def test_parameters_that_would_not_be_learned_are_refused(forward, match):
    with pytest.raises(TypeError, match=f"{match}.* would be a constant.*assign it to an attribute") as caught:
        custom(forward, holder=lambda: HOLDER)(X)
    assert "It is in " in caught.value.__notes__[0]


def test_parameters_without_gradient_and_buffers_outside_count_as_they_are():
    net = custom(lambda self, x: x * WITHOUT_GRADIENT + NORM.running_mean.view(1, 3))
    same(net(X), X)
    try:
        WITHOUT_GRADIENT.fill(2)
        NORM.running_mean.fill(3)
        same(net(X), 2 * X + 3, 1e-6)
    finally:
        WITHOUT_GRADIENT.fill(1)
        NORM.running_mean.zero()
