"""Torch's files, with objects of classes that Lua has defined in them. They never run Lua."""

from __future__ import annotations

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
        """The value with records in place of all objects."""
        records: list[tuple[t7.T7Object, Any]] = []
        made: dict[int, Any] = {}

        def replaced(each: Any) -> Any:
            if id(each) in made:
                return made[id(each)]
            if isinstance(each, (type, Constructor)):
                return {}  # what makes a class's objects is a table without fields of its own in Torch
            if type(each) is list:
                made[id(each)] = found = []
                found.extend(map(replaced, each))
            elif isinstance(each, dict):
                made[id(each)] = found = {}
                found.update((replaced(key), replaced(item)) for key, item in each.items())
            elif isinstance(each, LuaValue) and not isinstance(each, LuaFunction):
                name, fields = self._taken_apart(each)
                made[id(each)] = found = t7.T7Object(name, 1)
                records.append((found, replaced(fields)))
            else:
                return each
            return found

        whole = replaced(value)
        # In one go, so that what several of them hold is written once.
        whole, *fields = to_file([whole, *(each for _, each in records)])
        for (record, _), each in zip(records, fields, strict=True):
            record.fields = each
        return whole

    def _taken_apart(self, value: LuaValue) -> tuple[str, dict]:
        """The name of the class of one of Lua's objects, and its fields."""
        found = self.border.answered(self.border.ask.taken_apart(value.reference))
        if found is None:
            raise TypeError(f"torch.save: expected tables and objects of Torch's classes, got {value!r}")
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
