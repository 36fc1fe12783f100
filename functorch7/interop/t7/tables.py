"""A file's tables: lists or dicts in Python, which is decided when a table has been read completely."""

import math
from typing import Any

import numpy as np

from ...core.types import Value
from .values import Content, Key, LuaFunction, T7Object

Pairs = list[Any]
"""A table's keys and values in turn, until its type is decided; one that becomes a list stays this object."""


class Tables:
    """Tables of a file. A table may take few bytes in a file, so it must not take many here, either."""

    def __init__(self) -> None:
        self.waiting: list[Pairs] = []
        self.holders: list[T7Object | LuaFunction] = []  # objects that hold tables, in attributes
        self.dicts: dict[int, dict] = {}
        self.became: list[Pairs] = []  # dicts, whose numbers find them above

    def inside(self) -> "Tables":
        """The tables of an object inside, which are settled before these."""
        made = Tables()
        made.dicts, made.became = self.dicts, self.became
        return made

    def begin(self) -> Pairs:
        """A table, to be filled with its keys and values."""
        pairs: Pairs = []
        self.waiting.append(pairs)
        return pairs

    def as_dict(self, value: object) -> None:
        """Makes a dict of a table that might become a list, such as that of an object's fields."""
        if type(value) is list and id(value) not in self.dicts:
            self.dicts[id(value)] = {}
            self.became.append(value)

    def settled(self, root: object) -> Content:
        """The value, with every table in it replaced by its list or dict."""
        for pairs in self.waiting:
            if id(pairs) not in self.dicts and not _is_list(pairs):
                self.as_dict(pairs)
        for pairs in self.waiting:
            if id(pairs) not in self.dicts:
                pairs[:] = map(self._final, _in_order(pairs))
                continue
            found, numbers = self.dicts[id(pairs)], _numbers(pairs)
            for key, value in zip(pairs[::2], pairs[1::2], strict=True):
                found[_python_key(self._final(key), numbers)] = self._final(value)
            pairs.clear()
        for holder in self.holders:
            name = "fields" if isinstance(holder, T7Object) else "upvalues"
            setattr(holder, name, self._final(getattr(holder, name)))
        self.waiting, self.holders = [], []
        return self._final(root)

    def _final(self, value: Value) -> Value:
        return self.dicts.get(id(value), value) if type(value) is list else value


def is_key(value: object) -> bool:
    """Whether Lua's tables can have such a key: anything but nil and NaN."""
    return not (value is None or (isinstance(value, float) and math.isnan(value)))


def _counts_up(pairs: Pairs) -> bool:
    return all(type(key) is int and key == i for i, key in enumerate(pairs[::2], 1))


def _is_list(pairs: Pairs) -> bool:
    if _counts_up(pairs):
        return True
    keys = {key for key in pairs[::2] if type(key) is int}
    return len(keys) * 2 == len(pairs) and min(keys) == 1 and max(keys) == len(keys)


def _in_order(pairs: Pairs) -> Value:
    if _counts_up(pairs):
        return pairs[1::2]
    return [value for _, value in sorted(zip(pairs[::2], pairs[1::2], strict=True), key=lambda pair: pair[0])]


def _numbers(pairs: Pairs) -> Value:
    """The keys that are numbers, if there are booleans, which Python treats as equal to numbers."""
    if not any(isinstance(key, bool) for key in pairs[::2]):
        return set()
    return {key for key in pairs[::2] if type(key) in (int, float)}


def _python_key(key: object, numbers: set) -> Value:
    if isinstance(key, (list, dict, np.ndarray)) or (isinstance(key, bool) and key in numbers):
        return Key(key)
    return key
