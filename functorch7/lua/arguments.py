"""Lua's arguments for Python's functions: surplus ones are dropped, and nil takes a default."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from ..legacy.tensors.lua_values import text
from .kinds import Crossing


class Shape(NamedTuple):
    """How many arguments a function takes at most, with their defaults; how many it needs if it takes any number.

    `texts` are the places of arguments that are texts, for which Lua's numbers count as such.
    """

    most: float
    defaults: tuple = ()
    least: int = 0
    texts: range | tuple[int, ...] = ()

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
        return given


NEEDED = inspect.Parameter.empty
TEXT = (str, "str", "str | None")
ANY = Shape(math.inf)
MODULE = Shape(16, (None,) * 16)
"""What modules take that are called: where a node is meant, nil is an error, and none is an input of the graph."""


@lru_cache(4096)
def shape_of(function: Callable) -> Shape:
    """What a function takes by position; of a class that is described, what its description takes."""
    described = getattr(function, "spec_class", None) if inspect.isclass(function) else None
    try:
        parameters = list(inspect.signature(described or function).parameters.values())
    except (TypeError, ValueError):  # one of C's
        return ANY
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    texts = tuple(i for i, each in enumerate(positional) if each.annotation in TEXT)
    rest = next((each for each in parameters if each.kind is each.VAR_POSITIONAL), None)
    if rest is not None:
        more = range(len(positional), sys.maxsize) if rest.annotation in TEXT else ()
        return Shape(math.inf, (), sum(each.default is NEEDED for each in positional), more or texts)
    defaults = tuple(None if each.default is NEEDED else each.default for each in positional)
    return Shape(len(positional), defaults, texts=texts)
