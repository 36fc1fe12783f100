"""Lua tables and Python lists and dicts with the same contents, paired as long as the Lua table exists.

A table that is an argument has a list or dict, the same one each time. It gets the table's contents before the call,
and the table gets its changes after the call.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from ..checks.tables import as_dict
from ..legacy.program.lua import Table
from ..legacy.tensors.marked import Marked
from .kinds import Bridge, Crossing
from .registry import ENTRY, PYTHON_TABLE

CHUNK = 200
"""How many values cross at a time."""


class Listed(Marked, list):
    """The list of a table that has a metatable."""

    def __reduce_ex__(self, _: object) -> tuple:  # copies are their own
        return list, (list(self),)


class Indexed(Marked, Table):
    """The dict of a table that has a metatable: it asks Lua for missing entries."""

    def __init__(self, border: Bridge, number: int):
        vars(self).update(_border=border, _number=number)

    def __missing__(self, key: Crossing) -> Crossing:
        border, code = vars(self)["_border"], vars(self)["_border"].encode(key)
        found = border.answered(border.ask.indexed(vars(self)["_number"], *code))
        if found is None:
            raise KeyError(key)
        return found

    def __contains__(self, key: object) -> bool:
        return self.get(key, Indexed) is not Indexed

    def get(self, key: Crossing, default: Crossing = None) -> Crossing:
        """As in any dict."""
        try:
            return self[key]
        except KeyError:
            return default

    def setdefault(self, key: Crossing, default: Crossing = None) -> Crossing:
        """As in any dict."""
        if key not in self:
            self[key] = default
        return self[key]

    def __reduce_ex__(self, _: object) -> tuple:  # copies are their own
        return Table, (dict(self),)


class Called(Indexed):
    """The dict of a table that can also be called."""

    def __call__(self, *given: Crossing) -> Crossing:
        border = vars(self)["_border"]
        return border.answered(border.ask.as_function(vars(self)["_number"]))(*given)


LIST, LISTED, DICT, INDEXED, CALLED = range(5)
"""What a table becomes, as in `glue/tables.lua`."""

MADE = (list, Listed, Table, Indexed, Called)


class Tables:
    """The lists and dicts that have a table in Lua."""

    def __init__(self, border: Bridge):
        self.border = border
        self.registry = border.registry
        self.sent: dict[int, Any] = {}  # what a table holds, as it was when both were last the same
        self.touched: list[int] = []
        self._waiting: list[int] = []  # tables whose content is still to be brought to Lua
        self._is_sending = False

    # From Lua -------------------------------------------------------------------------------------------------------

    def fill(self, number: int, kind: int, begins: bool, ends: bool, codes: str, *values: object) -> None:
        """Adds part of a table's contents to its list or dict, which the first part empties and the last completes."""
        decoded = self.border.decoded
        target = self._begun(number, kind) if begins else self.registry.objects[number]
        found = [decoded(ord(code) - 48, value) for code, value in zip(codes, values, strict=True)]
        self.registry.bytes += ENTRY * len(found)
        if kind <= LISTED:
            target.extend(found)
        else:
            target.update(zip(found[::2], found[1::2], strict=True))
            self.border.has_unfit = True
        if ends:
            self.sent[number] = target.copy()
            self.touched.append(number)

    def fill_with_objects(self, number: int, *numbers: int) -> None:
        """Fills the list of a table that is a list of objects with those of these numbers."""
        objects = self.registry.objects
        target = objects.get(number)
        found = [objects[each] for each in numbers]
        if type(target) is list:
            target[:] = found
        else:
            self.registry.put(number, found.copy())
        self.sent[number] = found
        self.touched.append(number)

    def _begun(self, number: int, kind: int) -> Any:
        target = self.registry.objects.get(number)
        if type(target) is not MADE[kind]:
            target = MADE[kind](*[self.border, number] * (kind >= INDEXED))
            self.registry.put(number, target)
        target.clear()
        return target

    def empty_as_dicts(self, arguments: Iterable[Crossing]) -> list:
        """The arguments of a call with dicts for empty tables, which could be either.

        Empty tables inside others stay lists, as the others hold them.
        """
        numbers = {
            id(each): self.registry.numbers.get(id(each)) for each in arguments if type(each) is list and not each
        }
        dicts = {key: self._as_dict(number) for key, number in numbers.items() if number in self.touched}
        return [dicts.get(id(each), each) for each in arguments]

    def _as_dict(self, number: int) -> Table:
        found = Table()
        self.registry.put(number, found)
        self.sent[number] = Table()
        return found

    # To Lua ---------------------------------------------------------------------------------------------------------

    def number(self, value: object) -> int:
        """The number of the table of a list or dict, which is made or updated.

        Tables inside it are sent after it, without recursion: they may nest deeper than calls can.
        """
        found = self.registry.numbers.get(id(value))
        if found is None:
            value = list(value) if isinstance(value, tuple) else value
            found = self.registry.added(value, PYTHON_TABLE)
        elif found not in self.sent:
            return found
        self._waiting.append(found)
        if not self._is_sending:
            self._send_waiting()
        return found

    def added(self, value: list) -> int:
        """The number of a list that Lua makes a table of with what it holds."""
        number = self.registry.added(value, PYTHON_TABLE)
        self.sent[number] = value.copy()
        return number

    def _send_waiting(self) -> None:
        self._is_sending = True
        try:
            while self._waiting:
                number = self._waiting.pop()
                if number in self.sent:
                    self._push(number)
                else:
                    self._send(number, self.registry.objects[number])
        finally:
            self._is_sending = False  # what still waits, where a signal came, is sent with the next

    def send_again(self, number: int) -> None:
        """Puts the contents of a list or dict into a new table, as Lua's collector has taken the old one."""
        self._send(number, self.registry.objects[number])

    def taken(self) -> list[int]:
        """The tables that came with a call."""
        if not self.touched:
            return self.touched
        given, self.touched = self.touched, []
        return given

    def push(self, numbers: list[int]) -> None:
        """Puts a call's changes into Lua's tables."""
        for number in numbers:
            if number in self.sent:
                self._push(number)

    def _send(self, number: int, value: Any) -> None:
        """Puts the contents of a list or dict into its empty table."""
        self.sent[number] = value.copy()
        if isinstance(value, dict):
            self._change(number, value.items())
            return
        for start in range(0, len(value), CHUNK):
            codes, values = zip(*map(self.border.encode, value[start : start + CHUNK]), strict=True)
            self.border.ask.extend(number, start, bytes(codes), *values)

    def _push(self, number: int) -> None:
        """Puts the changes of a list or dict into its table."""
        value, sent = self.registry.objects[number], self.sent[number]
        if not _is_same(value, sent):
            self.sent[number] = value.copy()
            self._change(number, _changes(value, sent))

    def _change(self, number: int, changed: Iterable[tuple]) -> None:
        encoded = [self.border.encode(each) for pair in changed for each in pair]
        for start in range(0, len(encoded), CHUNK):
            codes, values = zip(*encoded[start : start + CHUNK], strict=True)
            self.border.ask.change(number, bytes(codes), *values)

    def forget(self) -> None:
        """Drops what is known of tables that no longer exist."""
        for number in [each for each in self.sent if each not in self.registry.objects]:
            del self.sent[number]


def _is_same(value: Any, sent: Any) -> bool:
    """Whether a list or dict still holds the very same objects."""
    if len(value) != len(sent):
        return False
    if isinstance(value, list):
        return all(map(operator.is_, value, sent))
    return all(key in sent and sent[key] is each for key, each in value.items())


def _changes(value: Any, sent: Any) -> list[tuple]:
    """The changed entries of a list or dict: first removed ones, with None, then the others.

    In this order, because two keys in Python (each a `t7.Key` around true) may be the same key in Lua.
    """
    new, old = as_dict(value), as_dict(sent)
    changed = [(key, each) for key, each in new.items() if key not in old or old[key] is not each]
    return [(key, None) for key in old if key not in new] + changed
