"""Functions that replace a class's methods in one object; copies and files contain them."""

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
    """A method of one object from a file: it is never run, and is written into files unchanged."""

    def __init__(self, owner: str, name: str, function: t7.LuaFunction):
        self.owner, self.name, self.function = owner, name, function

    def __call__(self, *_: object) -> NoReturn:
        raise TypeError(
            f"{self.owner}: its own {self.name} is a function from a file, which cannot be called: nothing in a file "
            "is executed, unless a Lua program is run with --functions-of-files"
        )


def is_method(object: object, name: str | float) -> bool:
    """Whether an object's class has a method of a name."""
    return isinstance(name, str) and callable(getattr(type(object), name, None))


def own_methods(object: object) -> Fields:
    """Functions that replace methods of an object, including Python's, which cannot be in files."""
    fields = vars(object)
    found: dict[Any, Any] = {name: each for name, each in fields.items() if _is_function(each)}
    for value in fields.values():
        if isinstance(value, KeptElsewhere):
            found |= value.contents()
    return {name: each for name, each in found.items() if is_method(object, name)}


def _is_function(value: object) -> bool:
    return inspect.isroutine(value) or isinstance(value, MethodOfFile)


def methods_among(object: Described, fields: Fields, functions: type) -> Iterator[tuple[str, Value]]:
    """The functions among a file's fields that replace methods of an object, with their names."""
    for name, value in fields.items():
        if is_method(object, name) and isinstance(value, t7.LuaFunction):
            yield name, MethodOfFile(object.typename(), name, value)
        elif is_method(object, name) and isinstance(value, functions):
            yield name, value
