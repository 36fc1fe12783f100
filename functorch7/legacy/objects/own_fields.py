"""Fields that a program gives an object in addition to those of its class; copies and files contain them.

Classes here declare what they put into their objects, so that a program's fields and their own are told apart.
"""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

from ...core.types import Value
from ...interop.t7.values import Fields
from ...interop.torch7.schema import grad_name
from ..engine.fields import KeptElsewhere
from ..engine.user_classes import is_ours
from .described import builder_names
from .own_methods import own_methods
from .serial import PRIVATE

OF_PROGRAMS: dict[type, set[str]] = {}
"""What programs have put into classes here; an object's field of the same name is still the program's."""

PARAMETERS = ("weight", "bias", "gradWeight", "gradBias")
"""Names that all modules declare, which are a program's in those that have no such parameter."""

NUMBERED = "_numbered"
"""The attribute with an object's fields under numbers."""


class Numbered(dict, KeptElsewhere):
    """Fields under numbers: Torch's objects are tables, which may also be lists."""

    def contents(self) -> Fields:
        return dict(self)

    def put(self, number: float, value: Value) -> None:
        """Sets a number's value; None removes it."""
        self[number] = value
        if value is None:
            del self[number]


def numbered(object: object) -> Numbered:
    """An object's fields under numbers, empty at first."""
    return vars(object).get(NUMBERED, Numbered())


def put_numbered(object: object, number: float, value: Value) -> None:
    """Sets an object's field under a number; None removes it."""
    vars(object).setdefault(NUMBERED, Numbered()).put(number, value)


def own_fields(object: Value) -> Fields:
    """The object's fields that its class does not define, and its own methods."""
    fields: dict[Any, Any] = {}
    for name, value in object.__getstate__().items():
        fields |= value.contents() if isinstance(value, KeptElsewhere) else {name: value}
    return {name: value for name, value in fields.items() if not is_known(object, name)} | own_methods(object)


def take_own_fields(object: object, fields: Fields) -> None:
    """Gives an object the fields of a file that mean nothing else."""
    for name, value in fields.items():
        if not isinstance(name, str):
            put_numbered(object, name, value)
        elif not is_known(object, name) and (not _answers_to(object, name) or of_program(type(object), name)):
            vars(object)[name] = value


def _answers_to(object: object, name: str) -> bool:
    """Whether an object has something under a name, other than what makes another description (`no_bias`)."""
    described = getattr(type(object), "spec_class", None)
    return hasattr(object, name) and (described is None or name not in builder_names(described))


def is_known(object: Value, name: str) -> bool:
    """Whether a field is one that the object's class defines."""
    if name in PARAMETERS and object.is_described:
        named = [each for own in object.own_parameters() for each in (own, grad_name(own))]
        return name in named or name in object._kept_buffers()  # whole numbers of a quantized layer, for one
    if name in PRIVATE or name in object.field_names():
        return True
    if of_program(type(object), name):
        return False
    return any(name in _defined_in(kind) for kind in type(object).__mro__ if is_ours(kind))


def holder_of(kind: type, name: str) -> type:
    """The class that defines a class's attribute: itself or one above it; `object` if there is none."""
    return next((base for base in kind.__mro__ if name in vars(base)), object)


def of_program(kind: type, name: str) -> bool:
    """Whether a class's attribute was put into a class here by a program."""
    return name in OF_PROGRAMS.get(holder_of(kind, name), ())


@cache
def _defined_in(kind: type) -> frozenset[str]:
    """What a class here defines, and what its annotations say that its methods put into objects."""
    return frozenset((*vars(kind), *inspect.get_annotations(kind))) - OF_PROGRAMS.get(kind, frozenset())
