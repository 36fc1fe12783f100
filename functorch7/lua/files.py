"""Torch's files, with objects of classes that Lua has defined in them. They never run Lua."""

from __future__ import annotations

from typing import Any

from ..interop import t7
from ..legacy.objects.files import from_file, load_t7, save_t7, to_file
from .border import Border
from .held import LuaFunction, LuaValue

FUNCTIONS = ("save", "load", "serialize", "deserialize")


class Files:
    """The functions of torch that write and read objects."""

    def __init__(self, border: Border):
        self.border = border

    def save(self, filename: str, object: Any, mode: str = "binary", referenced: bool = True) -> None:
        """Writes an object to a file."""
        save_t7(filename, self._for_file(object, {}), mode)

    def load(self, filename: str, mode: str | None = None, referenced: bool = True) -> Any:
        """What a file holds."""
        return self._from_file(load_t7(filename, allow_unknown=self._names()), {})

    def serialize(self, object: Any, mode: str = "binary") -> bytes:
        """The bytes that `save` writes."""
        return t7.serialize(to_file(self._for_file(object, {})), mode)

    def deserialize(self, data: str, mode: str | None = None) -> Any:
        """The object of such bytes."""
        value = t7.deserialize(data.encode("utf-8", "surrogateescape"))
        return self._from_file(from_file(value, self._names()), {})

    def _names(self) -> list[str]:
        """The classes of Lua's own."""
        return self.border.ask.own_classes().split()

    def _for_file(self, value: Any, made: dict[int, Any]) -> Any:
        """The value with records in place of Lua's objects."""
        if id(value) in made:
            return made[id(value)]
        if isinstance(value, LuaValue) and not isinstance(value, LuaFunction):
            taken = self.border.answered(self.border.ask.taken_apart(value.reference))
            if taken is None:
                raise TypeError(f"torch.save: expected objects of Torch's, got {value!r}")
            made[id(value)] = record = t7.T7Object(taken[0], 1)
            record.fields = to_file(self._for_file(dict(_pairs(taken[1])), made))
            return record
        if type(value) is list:
            made[id(value)] = found = []
            found.extend(self._for_file(each, made) for each in value)
            return found
        if isinstance(value, dict):
            made[id(value)] = table = {}
            table.update((key, self._for_file(each, made)) for key, each in value.items())
            return table
        return value

    def _from_file(self, value: Any, made: dict[int, Any]) -> Any:
        """The value with Lua's objects in place of records."""
        if id(value) in made:
            return made[id(value)]
        if isinstance(value, t7.T7Object):
            made[id(value)] = found = self.border.answered(self.border.ask.blank(value.class_name))
            fields = self._from_file(from_file(value.fields), made)
            self.border.ask.take_fields(found.reference, self.border.encode(fields)[1])
            return found
        if type(value) is list:
            made[id(value)] = value
            value[:] = [self._from_file(each, made) for each in value]
        elif isinstance(value, dict):
            made[id(value)] = value
            for key, each in list(value.items()):
                value[key] = self._from_file(each, made)
        return value


def _pairs(fields: Any) -> Any:
    return enumerate(fields, 1) if isinstance(fields, list) else fields.items()
