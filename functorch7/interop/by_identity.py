"""What is made once of each object, wherever it occurs."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Generic, TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")


class ByIdentity(Generic[Given, Made]):
    """What is made of objects. They are kept with it: as long as one is there its number is its own."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[Given, Made]] = {}

    def __contains__(self, each: object) -> bool:
        return id(each) in self._found

    def __getitem__(self, each: Given) -> Made:
        return self._found[id(each)][1]

    def __setitem__(self, each: Given, made: Made) -> None:
        self._found[id(each)] = each, made

    def once(self, each: Given, make: Callable[[Given], Made]) -> Made:
        """What is made of an object, when it first occurs."""
        if each not in self:
            self[each] = make(each)
        return self[each]

    def items(self) -> Collection[tuple[Given, Made]]:
        """The objects, each with what is made of it."""
        return self._found.values()
