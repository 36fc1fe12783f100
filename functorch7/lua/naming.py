"""What names stand for in Python's objects and classes, for Lua."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache

from .. import core
from ..legacy import nn
from ..legacy.objects.ancestry import names_above
from ..legacy.objects.described import Described
from ..legacy.objects.generated import class_of
from ..legacy.objects.layered import is_of_other_package
from ..legacy.objects.parameters import Parameters, grad_name
from ..legacy.tensors.tensor import Tensor
from .kinds import Crossing
from .own import LuaObject, is_only_lua
from .recurrences import KEEPER


def class_above(kind: type) -> type | None:
    """The class above another in Torch; classes that only exist here are left out."""
    if issubclass(kind, LuaObject):
        return vars(kind).get(KEEPER) or next(each for each in kind.__mro__[1:] if not is_only_lua(each))
    names = names_above(kind) if issubclass(kind, Described) else []
    if not names:
        return None
    described = core.registry.get(names[0])
    return getattr(nn, names[0].removeprefix("nn.")) if described is None else class_of(described)


BESIDE_TORCH = {"children", "title", "description", "listed", "members", "left", "overrides", "functional"}
"""Names of methods that only exist here, which programs give to fields of their own."""


def is_beside_torch(kind: type, key: str) -> bool:
    """Whether a class of Lua's has a name from Python alone, so that for Lua it is that of a field not yet set."""
    if not issubclass(kind, LuaObject) or not (key in BESIDE_TORCH or is_of_other_package(key)):
        return False
    return not any(key in vars(each) for each in kind.__mro__ if issubclass(each, LuaObject))


def seen(kind: type, key: str) -> Crossing:
    """A class's attribute as it is stored, as far as Lua sees it."""
    return None if is_beside_torch(kind, key) else static(kind, key)


def reader(key: str) -> Callable[[object], Crossing]:
    """What reads the field of a name as Lua sees it."""

    def read(owner: object) -> Crossing:
        return getattr(owner, key)

    def read_if_set(owner: object) -> Crossing:
        is_unset = is_beside_torch(type(owner), key) and key not in vars(owner)
        return None if is_unset else getattr(owner, key)

    return read_if_set if key in BESIDE_TORCH or is_of_other_package(key) else read


def static(kind: type, key: str) -> Crossing:
    """A class's attribute as it is stored; None if there is none."""
    for each in kind.__mro__:
        if key in each.__dict__:
            return each.__dict__[key]
    return None


@cache
def builder(name: str) -> Callable:
    """The class's method that changes an object's description, whatever the object's own method of this name does."""

    def build(self: Described, *given: object) -> Described:
        return self._builder(name)(*given)

    return build


def is_method(owner: object, name: str) -> bool:
    """Whether the class has a method of this name, which a field would hide."""
    return inspect.isroutine(static(type(owner), name))


def is_gradient(owner: object, name: str) -> bool:
    """Whether this is the name of a parameter's gradient; without one the parameter is frozen."""
    return isinstance(owner, Parameters) and name in map(grad_name, owner.own_parameters())


def is_note(owner: object, name: str, value: object) -> bool:
    """Whether a number or text takes a parameter's place, where a program notes that it has taken the tensor away."""
    if not isinstance(value, (int, float, str)) or isinstance(value, bool) or not isinstance(owner, Parameters):
        return False
    is_held = isinstance(vars(owner).get(name), Tensor)
    return is_held and name in owner.field_names() and name not in owner._kept_buffers()


def is_hidden(owner: object, name: str) -> bool:
    """Whether a field would hide a method, or something that functorch7 computes for its own classes."""
    found = static(type(owner), name)
    is_ours = type(owner).__module__.startswith("functorch7.legacy")
    return inspect.isroutine(found) or (is_ours and isinstance(found, property) and found.fset is None)


def let_set(kind: type, name: str) -> None:
    """Makes an ordinary field, in a Lua class, of a name that functorch7 computes and nobody can set."""
    found = static(kind, name)
    if isinstance(found, property) and found.fset is None:
        setattr(kind, name, None)
