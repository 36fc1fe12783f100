"""Lua's functions as methods of classes and of single objects."""

from __future__ import annotations

import copy
from functools import cached_property

from ..legacy.engine.stand_in import StandIn
from ..legacy.modules.container import Container
from ..legacy.modules.recurrent import AbstractRecurrent
from ..legacy.objects.own_methods import MethodOfFile
from ..legacy.tensors.changes import changed
from .held import LuaFunction
from .kept_fields import made_fields_of
from .kinds import Bridge, Crossing
from .several import ONE_RESULT, first_of
from .text import to_lua

ADDING = "accGradParameters"
"""The method of which it is known whether it does nothing, as programs write it to freeze a layer."""

IDLE = {"RET0", "RET1", "KPRI", "KSHORT"}
"""Instructions of functions that do nothing; some return nil, true or a number."""


class LuaMethod:
    """A Lua function as the method of one object."""

    def __init__(self, owner: object, name: str, function: LuaFunction):
        self.owner, self.name, self.function = owner, name, function
        self.__module__ = __name__

    def __call__(self, *given: object) -> Crossing:
        return result_of(self.name, self.function(self.owner, *given), self.owner)

    @property
    def keeps_gradient(self) -> bool:
        """Whether an object whose `updateOutput` it is has the gradient of its class, as in Torch."""
        return not runs_modules(type(self.owner))

    @cached_property
    def does_nothing(self) -> bool:
        """Whether its code does nothing."""
        return self.name == ADDING and does_nothing(self.function)

    def __deepcopy__(self, memo: dict) -> LuaMethod:
        return LuaMethod(copy.deepcopy(self.owner, memo), self.name, self.function)


def result_of(name: str, found: Crossing, owner: object) -> Crossing:
    """The result of a method written in Lua, for callers that follow Python's rules."""
    if name == "parameters":  # no tables, or one, as it is written to freeze a layer
        given = found if isinstance(found, tuple) else (found, None)
        return (given[0] or [], given[1] or [], *given[2:])
    return first_of(found, owner) if isinstance(found, tuple) and name in ONE_RESULT else found


def does_nothing(function: LuaFunction) -> bool:
    """Whether a function's code is empty."""
    from .traced.code import Unreadable, read

    text = function.border.answered(function.border.ask.code(function.reference))
    if text is None:
        return False
    try:
        return {each.name for each in read(to_lua(text).encode("latin-1")).instructions} <= IDLE
    except Unreadable:
        return False


def traced(function: LuaFunction, user: object, given: tuple) -> Crossing:
    """The result of a method while a program is traced."""
    from .traced.machine import run  # which is imported when it is needed

    return run(function, user, given)


def method_of(name: str, function: LuaFunction) -> Crossing:
    """A Lua function as the method of a class."""

    def method(self: object, *given: object) -> Crossing:
        found = traced(function, self, given) if isinstance(self, StandIn) else function(self, *given)
        return result_of(name, found, self)

    method.__name__ = method.__qualname__ = name
    method.lua = function  # type: ignore[attr-defined]
    if name == ADDING:
        method.does_nothing = does_nothing(function)  # type: ignore[attr-defined]
    return method


def give_method(border: Bridge, owner: object, name: str, function: LuaFunction | MethodOfFile) -> None:
    """Gives an object a function in place of its class's method, in Lua as well."""
    made_fields_of(border, owner).put(name, function)
    vars(owner)[name] = function if isinstance(function, MethodOfFile) else LuaMethod(owner, name, function)
    changed(owner)


def keep_beside(border: Bridge, owner: object, name: str) -> None:
    """Lets Lua keep a field of an object that hides a method of its class, which Python goes on calling."""
    made_fields_of(border, owner).put(name, vars(owner).pop(name))


def runs_modules(kind: type) -> bool:
    """Whether it is a container: its gradient is that of its modules as they ran, whatever input it gave them."""
    return issubclass(kind, Container) and not issubclass(kind, AbstractRecurrent)
