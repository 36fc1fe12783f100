"""Fields that a program gives an object beside those that its class defines: copies and files have them, too.

What a class here puts into its objects it says, so that no name of a program's is mistaken for its own, nor the other
way round.
"""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

from ...core.types import Value
from ...interop.t7.values import Fields
from ..engine.fields import KeptElsewhere
from ..engine.user_code import is_ours
from .own_methods import own_methods
from .serial import PRIVATE

OF_PROGRAMS: dict[type, set[str]] = {}
"""What programs have put into classes here: no object's field is taken for it."""

NUMBERED = "_numbered"
"""The attribute in which an object has its fields under numbers."""


class Numbered(dict, KeptElsewhere):
    """Fields under numbers: Torch's objects are tables, which may be lists, too."""

    def contents(self) -> Fields:
        return dict(self)

    def put(self, number: float, value: Value) -> None:
        """Gives a number another value; none takes it away."""
        self[number] = value
        if value is None:
            del self[number]


def numbered(object: object) -> Numbered:
    """What an object has under numbers: empty at first."""
    return vars(object).get(NUMBERED, Numbered())


def put_numbered(object: object, number: float, value: Value) -> None:
    """Gives an object a value under a number; none takes it away."""
    vars(object).setdefault(NUMBERED, Numbered()).put(number, value)


def own_fields(object: Value) -> Fields:
    """The object's fields, but those that its class knows, and the methods that are its own."""
    fields: dict[Any, Any] = {}
    for name, value in object.__getstate__().items():
        fields |= value.contents() if isinstance(value, KeptElsewhere) else {name: value}
    return {name: value for name, value in fields.items() if not is_known(object, name)} | own_methods(object)


def take_own_fields(object: object, fields: Fields) -> None:
    """Gives an object those of a file's fields that say nothing else about it."""
    for name, value in fields.items():
        if not isinstance(name, str):
            put_numbered(object, name, value)
        elif not is_known(object, name) and (not hasattr(object, name) or of_program(type(object), name)):
            vars(object)[name] = value


def is_known(object: Value, name: str) -> bool:
    """Whether a field is one that the object's class defines."""
    if name in PRIVATE or name in object.field_names():
        return True
    if of_program(type(object), name):
        return False
    return any(name in _defined_in(kind) for kind in type(object).__mro__)


def holder_of(kind: type, name: str) -> type:
    """The class, a class itself or one above it, that has what the class has under a name; object where none has."""
    return next((base for base in kind.__mro__ if name in vars(base)), object)


def of_program(kind: type, name: str) -> bool:
    """Whether it is a program that has put what a class has under a name into a class here."""
    return name in OF_PROGRAMS.get(holder_of(kind, name), ())


@cache
def _defined_in(kind: type) -> frozenset[str]:
    """What a class here defines, and what it says by annotations that its methods put into an object."""
    if not is_ours(kind):
        return frozenset()
    return frozenset((*vars(kind), *inspect.get_annotations(kind))) - OF_PROGRAMS.get(kind, frozenset())
