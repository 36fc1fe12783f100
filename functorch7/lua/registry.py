"""Objects by number: a Python object has one as long as Lua has a use for it."""

from __future__ import annotations

from itertools import count
from typing import Any

SHIFT = 32
"""A number is that of a class, and behind it a count of so many bits."""

LUA_TABLE, PYTHON_TABLE = 1, 2
"""The classes of lists and dicts that are tables in Lua: begun there, and begun here."""

FEW = 128
"""With fewer new objects than these nobody looks for unused ones."""

PRESSURE = 64_000_000
"""After tensors of so many bytes Lua is asked to collect its garbage: it does not know how large they are."""

KILOBYTES = 4
"""For each so many that Lua has in use, one more new object may come before it collects, which takes longer then."""


class Registry:
    """The objects that Lua has numbers for, and the numbers of their classes."""

    def __init__(self) -> None:
        self.objects: dict[int, Any] = {}
        self.numbers: dict[int, int] = {}
        self.classes: dict[Any, int] = {LUA_TABLE: LUA_TABLE, PYTHON_TABLE: PYTHON_TABLE}
        self.kinds: list[Any] = [None, LUA_TABLE, PYTHON_TABLE]
        self.limit = FEW
        self.bytes = 0
        self._next: dict[Any, count] = {kind: count(kind << SHIFT | 1) for kind in (LUA_TABLE, PYTHON_TABLE)}

    def class_number(self, kind: type | int) -> int:
        """The number of a class."""
        number = self.classes.get(kind)
        if number is None:
            number = self.classes[kind] = len(self.kinds)
            self.kinds.append(kind)
            self._next[kind] = count(number << SHIFT | 1)
        return number

    def number(self, value: object, kind: type | int) -> int:
        """The number of an object, as one of a class if it has none."""
        return self.numbers.get(id(value)) or self.added(value, kind)

    def added(self, value: object, kind: type | int) -> int:
        """The number of an object that had none."""
        if kind not in self._next:
            self.class_number(kind)
        found = next(self._next[kind])
        self.objects[found] = value
        self.numbers[id(value)] = found
        return found

    def reserved(self, kind: type | int) -> int:
        """A number for an object of a class that Lua has not been given yet."""
        self.class_number(kind)
        return next(self._next[kind])

    def another(self, number: int) -> int:
        """A number of the class that another is of."""
        return self.reserved(self.kinds[number >> SHIFT])

    def put(self, number: int, value: object) -> None:
        """Gives an object a number, in place of what had it."""
        before = self.objects.get(number, self)
        if before is not self:
            del self.numbers[id(before)]
        self.objects[number] = value
        self.numbers[id(value)] = number

    def drop(self, *numbers: int) -> None:
        """Forgets objects that Lua has no use for."""
        for number in numbers:
            value = self.objects.pop(number, self)
            if value is not self:
                del self.numbers[id(value)]

    def settle(self, kilobytes: float) -> None:
        """Says when it is worth looking for unused objects again, where Lua has so many kilobytes in use."""
        self.limit = len(self.objects) + max(FEW, int(kilobytes / KILOBYTES))
        self.bytes = 0

    def is_full(self) -> bool:
        """Whether it is time to look for objects that are not used."""
        return len(self.objects) > self.limit or self.bytes > PRESSURE
