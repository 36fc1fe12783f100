"""What the fields of a description hold: numbers, modules, true or false, as their class declares."""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from dataclasses import fields
from functools import cache, partial
from types import UnionType
from typing import Any, NamedTuple, get_args, get_origin

from .declared import alternatives, number_fits
from .errors import MISUSE, Described, describe

WORDS = {"float": "a number", "int": "a whole number", "bool": "true or false", "None": "None"}
"""What errors say for the types of fields that are numbers."""


class UnfitValue(TypeError):
    """A value that no field can have; the module that was given it adds its own name to the message."""


class FieldRule(NamedTuple):
    """What a class says of one of its fields."""

    name: str
    wanted: str
    """What errors say that it should be."""
    fits: Callable[[Any], bool]
    shown: Callable[[Any], str] = reprlib.repr
    """How errors show what it is instead."""


def check_fields(module: Described) -> None:
    """Raises TypeError for a field that is not what its class declares."""
    wrong = _unfit_value(module)
    if wrong is not None:
        raise wrong


def unfit_field(module: Described, error: Exception) -> TypeError | None:
    """The error that names a field that is not what its class declares, for a module that has failed.

    None if there is no such field, or the error says it already.
    """
    if not isinstance(error, MISUSE) or str(error).startswith(f"{module.package}."):
        return None
    if isinstance(error, UnfitValue):
        return TypeError(f"{module.torch_name()}: {error}")
    return _unfit_value(module)


def _unfit_value(module: Described) -> TypeError | None:
    values = vars(module)
    for name, wanted, fits, shown in _declared(type(module)):
        if name in values and not fits(values[name]):
            return TypeError(f"{module.torch_name()}: expected {wanted}, got {shown(values[name])}")
    return None


@cache
def _declared(kind: type) -> list[FieldRule]:
    """Those of a class's fields that are nothing but numbers, arrays of them, modules, or true or false."""
    found = [_truth(each) or _number(each) or _array(each) or _module(each) for each in fields(kind)]
    return [each for each in found if each is not None]


def _truth(field: Any) -> FieldRule | None:
    kinds = alternatives(field.type)
    if kinds - {"None"} != {"bool"}:
        return None
    may_be = (bool, type(None)) if "None" in kinds else bool
    return FieldRule(field.name, f"True or False as {field.name}", lambda value: isinstance(value, may_be))


def _number(field: Any) -> FieldRule | None:
    kinds = frozenset(alternatives(field.type))
    if not kinds <= WORDS.keys():
        return None
    wanted = next(word for kind, word in WORDS.items() if kind in kinds)
    return FieldRule(field.name, f"{wanted} as {field.name}", partial(number_fits, kinds))


def _array(field: Any) -> FieldRule | None:
    """Of what arrays may be otherwise the class says itself."""
    kinds = alternatives(field.type)
    if "None" in kinds or not any(kind.endswith(".Const") for kind in kinds):
        return None
    return FieldRule(field.name, f"numbers as {field.name}", lambda value: value is not None)


def _module(field: Any) -> FieldRule | None:
    may_be: Any = get_args(field.type) if get_origin(field.type) is UnionType else (field.type,)
    classes = [one for one in may_be if hasattr(one, "torch_name")]
    if not classes:
        return None
    word = classes[0].__name__.lower()
    wanted = f"a {word}" if field.name == word else f"a {word} as {field.name}"
    return FieldRule(field.name, wanted, lambda value: isinstance(value, field.type), describe)
