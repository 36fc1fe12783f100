"""Functions that a program has given one object in place of its class's methods: copies and files have them, too."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, NoReturn

from ...core.types import Value
from ...interop import t7
from ...interop.t7.values import Fields
from ..engine.fields import KeptElsewhere
from .described import Described


class MethodOfFile:
    """A method of one object out of a file: nothing here runs it, and it goes into files as it came."""

    def __init__(self, owner: str, name: str, function: t7.LuaFunction):
        self.owner, self.name, self.function = owner, name, function

    def __call__(self, *_: object) -> NoReturn:
        raise TypeError(
            f"{self.owner}: its own {self.name} is a function out of a file, which cannot be called: nothing in a file "
            "is executed, unless a program of Lua's is run with --functions-of-files"
        )


def is_method(object: object, name: str | float) -> bool:
    """Whether an object's class has a method of a name."""
    return isinstance(name, str) and callable(getattr(type(object), name, None))


def own_methods(object: object) -> Fields:
    """What a program has given an object in place of methods: functions of Python's, too, which no file can have."""
    fields = vars(object)
    found: dict[Any, Any] = {name: each for name, each in fields.items() if _is_function(each)}
    for value in fields.values():
        if isinstance(value, KeptElsewhere):
            found |= value.contents()
    return {name: each for name, each in found.items() if is_method(object, name)}


def _is_function(value: object) -> bool:
    return inspect.isroutine(value) or isinstance(value, MethodOfFile)


def methods_among(object: Described, fields: Fields, functions: type) -> Iterator[tuple[str, Value]]:
    """Those of a file's fields that are functions in the places of an object's methods, by their names."""
    for name, value in fields.items():
        if is_method(object, name) and isinstance(value, t7.LuaFunction):
            yield name, MethodOfFile(object.typename(), name, value)
        elif is_method(object, name) and isinstance(value, functions):
            yield name, value
