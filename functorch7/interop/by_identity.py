"""A dictionary whose keys are objects, compared by identity."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Generic, TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")


class ByIdentity(Generic[Given, Made]):
    """Maps objects to what was made of them. It keeps the objects alive, so that their ids stay unique."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[Given, Made]] = {}

    def __contains__(self, each: object) -> bool:
        return id(each) in self._found

    def __getitem__(self, each: Given) -> Made:
        return self._found[id(each)][1]

    def __setitem__(self, each: Given, made: Made) -> None:
        self._found[id(each)] = each, made

    def once(self, each: Given, make: Callable[[Given], Made]) -> Made:
        """What was made of an object; it is made the first time."""
        if each not in self:
            self[each] = make(each)
        return self[each]

    def items(self) -> Collection[tuple[Given, Made]]:
        """The objects, each with what was made of it."""
        return self._found.values()
