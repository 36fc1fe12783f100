"""Several results of a method written in Lua: networks take the first, a program that calls it gets all of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps

from ..legacy.modules.criterion import Criterion
from ..legacy.modules.module import Module
from .kinds import Crossing

ONE_RESULT = ("updateOutput", "updateGradInput")
"""Methods that may return several results."""

HANDING_ON = (Module.forward, Criterion.forward, Criterion.backward)
"""Methods that, as Torch's, return whatever those return."""

_wanted: dict[int, tuple] = {}
"""The other results of the objects on which one of these is being called, by their ids."""


def first_of(found: tuple, owner: object) -> Crossing:
    """The first result of an object's method; the others are kept if they are wanted."""
    if id(owner) in _wanted:
        _wanted[id(owner)] = found[1:]
    return found[0]


@cache
def with_all_results(method: Callable) -> Callable:
    """One of these methods as Lua calls it: it returns the other results, too."""

    @wraps(method)
    def called(self: object, *given: object) -> Crossing:
        around, _wanted[id(self)] = _wanted.get(id(self)), ()  # it may be called within its own call
        try:
            first = method(self, *given)
        finally:
            others = _wanted.pop(id(self))
            if around is not None:
                _wanted[id(self)] = around
        return (first, *others) if others else first

    return called
