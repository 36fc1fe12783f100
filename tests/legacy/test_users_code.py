"""What users' code reads beside its arguments and fields counts as it is at each call, in both styles of modules."""

import argparse
import collections
import dataclasses
import functools
import math
import types

import numpy as np
import pytest

from functorch7.legacy import explain, nn, torch

from .helpers import same
from .pytorch_modules import X, custom

FACTOR, MODULE, ROUNDED = 1.0, types.ModuleType("settings"), math.floor
LIST, TUPLE, DICT = [1.0], ([1.0],), {"a": {"b": 1.0}}
ARRAY, TENSOR = np.ones((4, 3), "f"), torch.ones(4, 3)
Named = collections.namedtuple("Named", "factor")
NAMED = Named(1.0)
MODULE.factor = 1.0


@dataclasses.dataclass
class Settings:
    factor: float = 1.0
    other: int = 0


class Plain:
    by_class = 1.0

    def __init__(self):
        self.inside, self.calls = Settings(), 0

    def factor(self):
        return self.inside.factor

    def by_global(self, x):
        return x * FACTOR

    def __call__(self, x):
        return x * self.inside.factor


class Unhashable(Plain):
    def __eq__(self, other):
        return self is other


class Attributes(dict):
    __getattr__ = dict.__getitem__


OBJECT, UNHASHABLE = Plain(), Unhashable()
BOUND, APPLIED = OBJECT.__call__, functools.partial(lambda factors, x: x * factors[0], LIST)


def helper(x):
    return x * OBJECT.inside.factor


def by_default(x, factors=LIST):
    return x * factors[0]


def by_keyword(x, *, factors=LIST):
    return x * factors[0]


def by_plain_keyword(x, *, factor=1.0):
    return x * factor


def lent(function):
    @functools.wraps(function)
    def called(*args):
        return function(*args)

    return called


@lent
def wrapped(x):
    return x * FACTOR


def patched(x):
    return x * 1.0


def doubling(x):
    return x * 2.0


def set_global(name, value):
    globals()[name] = value


def as_at_first():
    MODULE.factor = OBJECT.inside.factor = UNHASHABLE.inside.factor = Plain.by_class = 1.0
    set_global("FACTOR", 1.0), set_global("ROUNDED", math.floor), set_global("NAMED", Named(1.0))
    DICT["a"].update(b=1.0), ARRAY.fill(1), TENSOR.fill(1)
    LIST[0] = TUPLE[0][0] = 1.0
    by_plain_keyword.__kwdefaults__.update(factor=1.0)
    patched.__code__, by_default.__defaults__ = (lambda x: x * 1.0).__code__, (LIST,)


@pytest.fixture(autouse=True)
def restoring():
    yield
    as_at_first()


def reading_a_list_around(make):
    factor = [1.0]
    return make(lambda self, x: x * factor[0]), lambda: factor.__setitem__(0, 2.0)


def reading_a_variable_around(make):
    factor = 1.0

    def change():
        nonlocal factor
        factor = 2.0

    return make(lambda self, x: x * factor), change


def calling_a_function_around(make):
    def scaled(x):
        return x * 1.0

    def change():
        nonlocal scaled
        scaled = doubling

    return make(lambda self, x: scaled(x)), change


def set_factor(settings):
    settings.factor = 2.0


def with_settings(settings, change, read=lambda settings: settings.factor):
    def made(make):
        mine = settings()
        return make(lambda self, x: x * read(self.settings), settings=lambda: mine), lambda: change(mine)

    return made


def with_class(name, value, new, method):
    def made(make):
        net = make(method)
        setattr(type(net), name, value)
        return net, lambda: setattr(type(net), name, new)

    return made


def doubled(what):
    return lambda: what.__setitem__(0, 2.0)


TRACED = {
    "global": lambda make: (make(lambda self, x: x * FACTOR), lambda: set_global("FACTOR", 2.0)),
    "of a module": lambda make: (make(lambda self, x: x * MODULE.factor), lambda: set_factor(MODULE)),
    "named tuple": lambda make: (make(lambda self, x: x * NAMED.factor), lambda: set_global("NAMED", Named(2.0))),
    "variable around": reading_a_variable_around,
    "function around": calling_a_function_around,
    "keyword default": lambda make: (
        make(lambda self, x: by_plain_keyword(x)), lambda: by_plain_keyword.__kwdefaults__.update(factor=2.0)
    ),
    "code": lambda make: (
        make(lambda self, x: patched(x)), lambda: setattr(patched, "__code__", doubling.__code__)
    ),
    "wrapped": lambda make: (make(lambda self, x: wrapped(x)), lambda: set_global("FACTOR", 2.0)),
    "by map": lambda make: (make(lambda self, x: sum(map(wrapped, [x]), 0 * x)), lambda: set_global("FACTOR", 2.0)),
    "method": with_class("scaled", lambda self, x: x * 1.0, lambda self, x: x * 2.0, lambda self, x: self.scaled(x)),
    "constant of the class": with_class("by_class", 1.0, 2.0, lambda self, x: x * self.by_class),
}  # fmt: skip
"""What Torch's style is compiled with, too."""

CALLED = {
    "global list": lambda make: (make(lambda self, x: x * LIST[0]), doubled(LIST)),
    "list in a tuple": lambda make: (make(lambda self, x: x * TUPLE[0][0]), doubled(TUPLE[0])),
    "global dict": lambda make: (make(lambda self, x: x * DICT["a"]["b"]), lambda: DICT["a"].update(b=2.0)),
    "global array": lambda make: (make(lambda self, x: torch.cmul(x, torch.Tensor.of(ARRAY))), lambda: ARRAY.fill(2)),
    "global tensor": lambda make: (make(lambda self, x: torch.cmul(x, TENSOR)), lambda: TENSOR.fill(2)),
    "global object": lambda make: (make(lambda self, x: helper(x)), lambda: set_factor(OBJECT.inside)),
    "function of Python": lambda make: (
        make(lambda self, x: x * ROUNDED(1.5)), lambda: set_global("ROUNDED", math.ceil)
    ),
    "object that is called": lambda make: (make(lambda self, x: OBJECT(x)), lambda: set_factor(OBJECT.inside)),
    "without a hash": lambda make: (make(lambda self, x: UNHASHABLE(x)), lambda: set_factor(UNHASHABLE.inside)),
    "method of an object": lambda make: (make(lambda self, x: OBJECT.by_global(x)), lambda: set_global("FACTOR", 2.0)),
    "bound method": lambda make: (make(lambda self, x: BOUND(x)), lambda: set_factor(OBJECT.inside)),
    "partial": lambda make: (make(lambda self, x: APPLIED(x)), doubled(LIST)),
    "class": lambda make: (make(lambda self, x: x * Plain.by_class), lambda: setattr(Plain, "by_class", 2.0)),
    "list around": reading_a_list_around,
    "default": lambda make: (make(lambda self, x: by_default(x)), doubled(LIST)),
    "other default": lambda make: (
        make(lambda self, x: by_default(x)), lambda: setattr(by_default, "__defaults__", ([2.0],))
    ),
    "default of the method": lambda make: (make(lambda self, x, factors=LIST: x * factors[0]), doubled(LIST)),
    "default by keyword": lambda make: (make(lambda self, x: by_keyword(x)), doubled(LIST)),
    "Namespace": with_settings(lambda: argparse.Namespace(factor=1.0), set_factor),
    "SimpleNamespace": with_settings(lambda: types.SimpleNamespace(factor=1.0), set_factor),
    "dataclass": with_settings(lambda: Settings(), set_factor),
    "object with a method": with_settings(lambda: Plain(), lambda s: set_factor(s.inside), lambda s: s.factor()),
    "by getattr": with_settings(lambda: Settings(), set_factor, lambda s: getattr(s, "fac" + "tor")),
    "subclass of dict": with_settings(lambda: Attributes(factor=1.0), lambda s: s.update(factor=2.0)),
    "in a list": with_settings(lambda: [Settings()], lambda s: set_factor(s[0]), lambda s: s[0].factor),
    "set": with_settings(lambda: {1}, lambda s: s.add(2), len),
}  # fmt: skip
"""What may be changed by whoever has it, so that methods in Torch's style are called."""


def torchs(method, **attributes):
    """A module in Torch's style with this updateOutput and these attributes, made by functions."""
    net = type("Own", (nn.Module,), {"updateOutput": method})()
    for name, made in attributes.items():
        setattr(net, name, made())
    return net


def passing(net):
    return custom(lambda self, x: self.inner(x), inner=lambda: net)


AROUND = {
    "alone": (custom, lambda net: net),
    "in a chain": (custom, lambda net: nn.Sequential(nn.Identity(), net)),
    "in a forward": (custom, passing),
    "in Torch's style": (torchs, lambda net: nn.Sequential(nn.Identity(), net)),
}


@pytest.mark.parametrize("way", [*TRACED, *CALLED])
def test_what_has_changed_outside_is_seen_by_the_next_call(way):
    for make, around in AROUND.values():
        as_made, change = (TRACED | CALLED)[way](make)
        net = around(as_made)
        same(net.forward(X), X, 1e-6)
        change()
        same(net.forward(X), 2 * X, 1e-6)
        same(net.backward(X, X), 2 * X, 1e-6)
        if make is torchs:
            assert ("compiled with the rest" if way in TRACED else "called") in explain(net)
        as_at_first()


def test_what_a_method_leaves_outside_is_there_after_each_call_or_refused():
    """Torch's methods run at each call; a `forward` runs once, so nothing may wait for it outside."""

    def setting_a_global(self, x):
        global LAST
        LAST = x
        return x * 2

    def setting_a_field(self, x):
        OBJECT.last = x
        return x * 2

    def appending_to_a_default(self, x, seen=DEFAULT):
        seen.append(x)
        return x * 2

    places = {setting_a_global: lambda: LAST, setting_a_field: lambda: OBJECT.last,
              appending_to_a_default: lambda: DEFAULT[-1]}  # fmt: skip
    for method, place in places.items():
        kind = type("Own", (nn.Module,), {"updateOutput": method, "updateGradInput": lambda self, x, g: g * 2})
        net = nn.Sequential(nn.Identity(), kind())
        for turn in (1, 2):
            same(net.forward(X * turn), 2 * turn * X, 1e-6)
            same(place(), turn * X, 1e-6)
        with pytest.raises(TypeError, match=r"nn.Wrong: forward puts a tensor into .*, which would happen only when"):
            custom(method)(X)


LAST, DEFAULT = None, []


@pytest.mark.parametrize("make", [custom, torchs])
def test_indices_out_of_range_are_found_where_methods_are_compiled(make):
    def rows(self, x):
        return torch.ones(3, 2).index(1, x)

    net = nn.Sequential(nn.Identity(), make(rows))
    same(net.forward(torch.LongTensor([1, 3])), np.ones((2, 2)))
    with pytest.raises((ValueError, IndexError), match=r"torch.index: expected indices from 1 to 3, got"):
        net.forward(torch.LongTensor([1, 4]))
    same(net.forward(torch.LongTensor([3])), np.ones((1, 2)))
