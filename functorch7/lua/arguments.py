"""Lua's arguments for Python's functions: surplus ones are dropped, nil takes a default, and numbers and numeric texts
are converted to each other.
"""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable
from functools import lru_cache
from types import BuiltinFunctionType, FunctionType
from typing import NamedTuple

from ..checks.tables import entries_from_1
from ..legacy.objects.described import Described
from ..legacy.program.lua import Table, number
from ..legacy.tensors.lua_values import text
from ..legacy.tensors.types import Constructor
from .kinds import Crossing
from .surplus import taken


class Shape(NamedTuple):
    """How many arguments a function takes at most, with their defaults; and at least, if it takes any number.

    `texts`, `numbers` and `flags` are the places of arguments of these kinds. A number becomes a text where a text is
    expected, a numeric text becomes a number, and numbers and texts count as true for a flag. Torch's functions in C
    (`is_in_c`) see a table as the list of its entries from 1 on.
    """

    most: float
    defaults: tuple = ()
    least: int = 0
    texts: range | tuple[int, ...] = ()
    numbers: range | tuple[int, ...] = ()
    is_in_c: bool = False
    flags: tuple[int, ...] = ()

    def fitted(self, given: Crossing) -> Crossing:
        """The arguments as the function takes them."""
        if len(given) > self.most:
            given = given[: int(self.most)]
        if any(each is None for each in given):
            if self.most == math.inf:
                while len(given) > self.least and given[-1] is None:
                    given = given[:-1]
            else:
                given = [self.defaults[i] if each is None else each for i, each in enumerate(given)]
        if self.texts and any(type(each) in (int, float) for each in given):
            given = [
                text(each) if i in self.texts and type(each) in (int, float) else each for i, each in enumerate(given)
            ]
        if self.flags:
            given = [(i in self.flags and type(each) in (int, float, str)) or each for i, each in enumerate(given)]
        if self.is_in_c:
            given = list(map(listed, given))
        if self.numbers:
            given = [
                counted(each) if i in self.numbers and i not in self.texts else each for i, each in enumerate(given)
            ]
        return given


def listed(value: Crossing) -> Crossing:
    """A value as Torch's functions in C see it: a table is the list of its entries from 1 on."""
    if isinstance(value, Table) and not callable(value):
        value = entries_from_1(value)
    if type(value) is list and any(type(each) is list or isinstance(each, Table) for each in value):
        return [listed(each) for each in value]
    return value


def counted(value: Crossing) -> Crossing:
    """Converts numeric texts to numbers, also in lists; other values stay as they are."""
    if type(value) is list:
        return [counted(each) for each in value] if any(type(each) in (str, list) for each in value) else value
    if type(value) is not str:
        return value
    try:
        return number(value)
    except ValueError:
        return value


NEEDED = inspect.Parameter.empty
TEXT = (str, "str", "str | None", "str | bytes | None")
ANY = Shape(math.inf)
FLAG = (bool, "bool", "bool | None")
NUMBER = (int, float, "int", "float", "int | None", "float | None")
EVERY = range(sys.maxsize)
NUMBERS = Shape(math.inf, numbers=EVERY, is_in_c=True)
MODULE = Shape(16, (None,) * 16)
"""The arguments of a call of a module: nil in place of a node is an error, and no node at all an input of the graph."""


KNOWN = (FunctionType, BuiltinFunctionType, type)
"""Kinds of functions whose signature is known."""

IN_C = tuple(f"functorch7.legacy.{place}" for place in ("tensors.", "torch"))
"""The modules of functions that Torch has in C."""


def shape_for(function: Callable) -> Shape:
    """The arguments that a function takes, as far as known."""
    if isinstance(function, Described):
        return MODULE
    if isinstance(function, Constructor):
        return NUMBERS
    return shape_of(function) if isinstance(function, KNOWN) else ANY


@lru_cache(4096)
def shape_of(function: Callable) -> Shape:
    """The positional arguments of a function; for a described class, those of its description."""
    described = getattr(function, "spec_class", None) if inspect.isclass(function) else None
    try:
        parameters = list(inspect.signature(described or function).parameters.values())
    except (TypeError, ValueError):  # one of C's
        return ANY
    parameters = parameters[: taken(function)]
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    texts = _annotated(positional, TEXT)
    has_objects = bool(_annotated(positional, ("object",)))
    is_in_c = (function.__module__ or "").startswith(IN_C) and not has_objects
    is_number = is_in_c or (described is not None and not has_objects)
    numbers = EVERY if is_number else _annotated(positional, NUMBER)
    rest = next((each for each in parameters if each.kind is each.VAR_POSITIONAL), None)
    if rest is not None:
        more = range(len(positional), sys.maxsize) if rest.annotation in TEXT else ()
        return Shape(math.inf, (), sum(each.default is NEEDED for each in positional), more or texts, numbers, is_in_c)
    defaults = tuple(None if each.default is NEEDED else each.default for each in positional)
    return Shape(len(positional), defaults, 0, texts, numbers, is_in_c, _annotated(positional, FLAG))


def _annotated(parameters: list[inspect.Parameter], annotations: tuple) -> tuple[int, ...]:
    return tuple(i for i, each in enumerate(parameters) if each.annotation in annotations)
