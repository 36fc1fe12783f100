"""Torch's files, with objects of classes that Lua has defined in them. They never run Lua."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..interop import t7
from ..legacy.objects.files import from_file, to_file
from ..legacy.tensors.types import Constructor
from .border import Border
from .held import LuaFunction, LuaValue

FUNCTIONS = ("save", "load", "serialize", "deserialize")


class Files:
    """The functions of torch that write and read objects."""

    def __init__(self, border: Border):
        self.border = border

    def save(self, filename: str, object: Any, mode: str = "binary", referenced: bool = True) -> None:
        """Writes an object to a file."""
        t7.write(filename, self._for_file(object), mode)

    def load(self, filename: str, mode: str | None = None, referenced: bool = True) -> Any:
        """What a file holds."""
        return self._from_file(t7.read(filename))

    def serialize(self, object: Any, mode: str = "binary") -> bytes:
        """The bytes that `save` writes."""
        return t7.serialize(self._for_file(object), mode)

    def deserialize(self, data: str, mode: str | None = None) -> Any:
        """The object of such bytes."""
        return self._from_file(t7.deserialize(data.encode("utf-8", "surrogateescape")))

    def _for_file(self, value: Any) -> Any:
        """The value with records in place of all objects and functions. Raises TypeError with the place of others."""
        records: list[tuple[Callable[[Any], None], Any]] = []
        made: dict[int, Any] = {}
        kept: list[Any] = []  # what has its number above

        def replaced(each: Any, place: str = "") -> Any:
            if id(each) in made:
                return made[id(each)]
            if isinstance(each, (type, Constructor)):
                return {}  # what makes a class's objects is a table without fields of its own in Torch
            kept.append(each)
            if type(each) is list:
                made[id(each)] = found = []
                found.extend(replaced(item, f"{place}[{i}]") for i, item in enumerate(each, 1))
            elif isinstance(each, dict):
                made[id(each)] = found = {}
                found.update((replaced(key, place), replaced(item, f"{place}[{key!r}]")) for key, item in each.items())
            elif isinstance(each, LuaFunction):
                code, upvalues = self._dumped(each, place)
                made[id(each)] = found = t7.LuaFunction(code, None)
                records.append((partial(setattr, found, "upvalues"), replaced(upvalues, place)))
            elif isinstance(each, LuaValue):
                name, fields = self._taken_apart(each, place)
                made[id(each)] = found = t7.T7Object(name, 1)
                records.append((partial(setattr, found, "fields"), replaced(fields, place)))
            else:
                return each
            return found

        whole = replaced(value)
        # In one go, so that what several of them hold is written once.
        whole, *contents = to_file([whole, *(each for _, each in records)])
        for (put, _), each in zip(records, contents, strict=True):
            put(each)
        return whole

    def _dumped(self, function: LuaFunction, place: str) -> tuple[bytes, list]:
        """A function as Torch's files have it: its code, and the variables outside that it names."""
        found = self.border.answered(self.border.ask.dumped(function.reference))
        if found is None:
            raise TypeError(f"torch.save: a function that is not written in Lua cannot be saved{_at(place)}")
        code, upvalues = found
        return code.encode("utf-8", "surrogateescape"), upvalues

    def _taken_apart(self, value: LuaValue, place: str) -> tuple[str, dict]:
        """The name of the class of one of Lua's objects, and its fields."""
        found = self.border.answered(self.border.ask.taken_apart(value.reference))
        if found is None:
            raise TypeError(f"torch.save: expected tables and objects of Torch's classes, got {value!r}{_at(place)}")
        name, fields = found
        return name, dict(enumerate(fields, 1)) if isinstance(fields, list) else fields

    def _from_file(self, value: Any) -> Any:
        """The value with objects in place of records."""
        own = set(self.border.ask.own_classes().split())
        records: list[tuple[LuaValue, Any]] = []
        made: dict[int, LuaValue] = {}
        seen: set[int] = set()

        def replaced(each: Any) -> Any:
            if isinstance(each, t7.T7Object) and each.class_name in own:
                if id(each) not in made:
                    made[id(each)] = self.border.answered(self.border.ask.blank(each.class_name))
                    records.append((made[id(each)], each.fields))
                    walk(each.fields)
                return made[id(each)]
            walk(each)
            return each

        def walk(table: Any) -> None:
            if isinstance(table, (list, dict)) and id(table) not in seen:
                seen.add(id(table))
                for key, each in enumerate(table) if isinstance(table, list) else list(table.items()):
                    table[key] = replaced(each)

        whole = replaced(value)
        whole, *fields = from_file([whole, *(each for _, each in records)])
        for (object, _), each in zip(records, fields, strict=True):
            self.border.ask.take_fields(object.reference, self.border.encode(each)[1])
        return whole


def _at(place: str) -> str:
    return f", at {place}" if place else ""
