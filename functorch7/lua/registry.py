"""Numbers of Python objects, as long as Lua uses them."""

from __future__ import annotations

import math
from itertools import count
from typing import Any

from ..legacy.tensors.storage import Storage
from ..legacy.tensors.tensor import Tensor

SHIFT = 32
"""A number consists of its class's number and a count of so many bits."""

LUA_TABLE, PYTHON_TABLE = 1, 2
"""The classes of lists and dicts that are tables in Lua: made there, and made here."""

FEW = 128
"""Unused objects are searched only after more new ones than these, of which it is not known how large they are."""

MANY = 2048
"""After so many new objects they are searched in any case."""

PRESSURE = 64_000_000
"""After new tensors and tables of so many bytes they are searched: Lua does not know their size."""

ENTRY = 64
"""So many bytes are an entry of a list or dict."""

KILOBYTES = 4
"""One more new object may be made before a search for every so many that Lua uses, as it takes longer."""


class Registry:
    """The objects that Lua has numbers for, and the numbers of their classes."""

    def __init__(self) -> None:
        self.objects: dict[int, Any] = {}
        self.numbers: dict[int, int] = {}
        self.classes: dict[Any, int] = {LUA_TABLE: LUA_TABLE, PYTHON_TABLE: PYTHON_TABLE}
        self.kinds: list[Any] = [None, LUA_TABLE, PYTHON_TABLE]
        self.limit, self.bytes, self._bytes_of_unknown = MANY, 0.0, PRESSURE / FEW
        self._next: dict[Any, count] = {kind: count(kind << SHIFT | 1) for kind in (LUA_TABLE, PYTHON_TABLE)}
        self._tensors = self._counting(Tensor)

    def _counting(self, kind: type | int) -> count:
        self.class_number(kind)
        return self._next[kind]

    def class_number(self, kind: type | int) -> int:
        """The number of a class."""
        number = self.classes.get(kind)
        if number is None:
            number = self.classes[kind] = len(self.kinds)
            self.kinds.append(kind)
            self._next[kind] = count(number << SHIFT | 1)
        return number

    def number(self, value: object, kind: type | int) -> int:
        """The number of an object; a new one of its class if it has none."""
        return self.numbers.get(id(value)) or self.added(value, kind)

    def added(self, value: object, kind: type | int) -> int:
        """The number of an object that had none."""
        self.bytes += self._size_of(value)
        found = next(self._next.get(kind) or self._counting(kind))
        self.objects[found] = value
        self.numbers[id(value)] = found
        return found

    def added_tensor(self, value: Tensor) -> int:
        """The same for a tensor, of which there are the most."""
        self.bytes += math.prod(value.shape) * value.storage_.dtype.itemsize
        found = next(self._tensors)
        self.objects[found] = value
        self.numbers[id(value)] = found
        return found

    def _size_of(self, value: object) -> float:
        if isinstance(value, (Tensor, Storage)):
            return math.prod(value.shape) * value.dtype.itemsize
        return ENTRY * len(value) if isinstance(value, (list, dict)) else self._bytes_of_unknown

    def reserved(self, kind: type | int) -> int:
        """A number for an object of a class that Lua does not have yet."""
        return next(self._counting(kind))

    def another(self, number: int) -> int:
        """A new number of the same class as another."""
        return self.reserved(self.kinds[number >> SHIFT])

    def put(self, number: int, value: object) -> None:
        """Gives an object a number that another object had."""
        self.drop(number)
        self.objects[number] = value
        self.numbers[id(value)] = number

    def drop(self, *numbers: int) -> None:
        """Drops objects that Lua no longer uses."""
        for number in numbers:
            value = self.objects.pop(number, self)
            if value is not self:
                del self.numbers[id(value)]

    def settle(self, kilobytes: float) -> None:
        """Sets when to search for unused objects again, given how many kilobytes Lua uses."""
        unknown = max(FEW, kilobytes / KILOBYTES)
        self.limit = len(self.objects) + max(MANY, int(unknown))
        self.bytes, self._bytes_of_unknown = 0.0, PRESSURE / unknown

    def is_full(self) -> bool:
        """Whether it is time to search for unused objects."""
        return len(self.objects) > self.limit or self.bytes > PRESSURE
