"""Torch's files, with objects of classes that Lua has defined in them. They never run Lua."""

from __future__ import annotations

from typing import Any

from ..interop import t7
from ..legacy.objects.files import Saved, from_file, located
from ..legacy.tensors.types import Constructor
from .border import Border
from .held import LuaFunction, LuaValue
from .kinds import Crossing

FUNCTIONS = ("save", "load", "serialize", "deserialize")


class SavedFromLua(Saved):
    """What is made of values for a file, Lua's functions and objects among them."""

    def __init__(self, border: Border):
        super().__init__()
        self.border = border

    def other(self, each: object, place: str) -> Crossing:
        """The record of a function, or of one of Lua's objects."""
        if isinstance(each, (type, Constructor)):
            return {}  # what makes a class's objects is a table without fields of its own in Torch
        if isinstance(each, LuaFunction):
            return self.once(each, lambda: self._function(each, place))
        if isinstance(each, LuaValue):
            return self.once(each, lambda: self._object(each, place))
        return super().other(each, place)

    def _function(self, function: LuaFunction, place: str) -> t7.LuaFunction:
        """A function as Torch's files have it: its code, and the variables outside that it names."""
        found = self.border.answered(self.border.ask.dumped(function.reference))
        if found is None:
            raise TypeError(f"torch.save: a function that is not written in Lua cannot be saved{located(place)}")
        code, upvalues = found
        return t7.LuaFunction(code.encode("utf-8", "surrogateescape"), self.made(upvalues, place))

    def _object(self, value: LuaValue, place: str) -> t7.T7Object:
        """The record of one of Lua's objects."""
        found = self.border.answered(self.border.ask.taken_apart(value.reference))
        if found is None:
            raise TypeError(
                f"torch.save: expected tables and objects of Torch's classes, got {value!r}{located(place)}"
            )
        name, fields = found
        fields = dict(enumerate(fields, 1)) if isinstance(fields, list) else fields
        return t7.T7Object(name, 1, self.made(fields, place))


class Files:
    """The functions of torch that write and read objects."""

    def __init__(self, border: Border):
        self.border = border

    def save(self, filename: str, object: object, mode: str = "binary", referenced: bool = True) -> None:
        """Writes an object to a file."""
        t7.write(filename, SavedFromLua(self.border).value(object), mode)

    def load(self, filename: str, mode: str | None = None, referenced: bool = True) -> Crossing:
        """What a file holds."""
        return self._from_file(t7.read(filename))

    def serialize(self, object: object, mode: str = "binary") -> bytes:
        """The bytes that `save` writes."""
        return t7.serialize(SavedFromLua(self.border).value(object), mode)

    def deserialize(self, data: str, mode: str | None = None) -> Crossing:
        """The object of such bytes."""
        return self._from_file(t7.deserialize(data.encode("utf-8", "surrogateescape")))

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
            walk(each.fields if isinstance(each, t7.T7Object) else each)
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
