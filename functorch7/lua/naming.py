"""What names stand for in objects and classes of Python's, as Lua has to know it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache

from ..legacy import nn
from ..legacy.objects.ancestry import names_above
from ..legacy.objects.described import Described
from ..legacy.objects.parameters import Parameters, grad_name
from .kinds import Crossing
from .own import LuaObject, is_only_lua
from .recurrences import KEEPER


def class_above(kind: type) -> type | None:
    """The class above one, as Torch has it: what lies between modules' classes here has no place in nn."""
    if issubclass(kind, LuaObject):
        return vars(kind).get(KEEPER) or next(each for each in kind.__mro__[1:] if not is_only_lua(each))
    names = names_above(kind) if issubclass(kind, Described) else []
    return getattr(nn, names[0].removeprefix("nn.")) if names else None


def static(kind: type, key: str) -> Crossing:
    """What a class has under a name, as it is kept there; None for nothing."""
    for each in kind.__mro__:
        if key in each.__dict__:
            return each.__dict__[key]
    return None


@cache
def builder(name: str) -> Callable:
    """The class's method that gives an object another description, whatever its own of this name does."""

    def build(self: Described, *given: object) -> Described:
        return self._builder(name)(*given)

    return build


def is_method(owner: object, name: str) -> bool:
    """Whether a name is a method's, which a field of the same name hides."""
    return inspect.isroutine(static(type(owner), name))


def is_gradient(owner: object, name: str) -> bool:
    """Whether a name is that of a parameter's gradient, without which the parameter is frozen."""
    return isinstance(owner, Parameters) and name in map(grad_name, owner.own_parameters())


def is_hidden(owner: object, name: str) -> bool:
    """Whether a name is a method's, or of what functorch7 computes for its own classes: a field hides these."""
    found = static(type(owner), name)
    is_ours = type(owner).__module__.startswith("functorch7.legacy")
    return inspect.isroutine(found) or (is_ours and isinstance(found, property) and found.fset is None)


def let_set(kind: type, name: str) -> None:
    """Makes a name that functorch7 computes, and nobody sets, an ordinary field of a class of Lua's."""
    found = static(kind, name)
    if isinstance(found, property) and found.fset is None:
        setattr(kind, name, None)
