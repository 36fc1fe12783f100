"""Torch's files, with objects of classes that Lua has defined in them. They never run Lua."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..interop import t7
from ..legacy.objects.files import Loaded, Saved, located
from ..legacy.objects.opening import opening
from ..legacy.program.file import File
from ..legacy.program.files import DiskFile, MemoryFile, PipeFile
from ..legacy.tensors.storage import Storage
from ..legacy.tensors.types import Constructor
from .border import Border
from .held import LuaFunction, LuaValue
from .kinds import Crossing
from .text import to_lua


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


class LoadedToLua:
    """What is made of a file's values, one after the other: objects of Lua's classes are tables of Lua's."""

    def __init__(self, border: Border):
        self.border = border
        self._loaded = Loaded()
        self._made: dict[int, LuaValue] = {}  # by the numbers of records
        self._seen: dict[int, Any] = {}
        self._is_own: dict[str, bool] = {}  # by the names of classes that records have

    def value(self, value: object) -> Crossing:
        """The value with objects in place of records."""
        records: list[tuple[LuaValue, Any]] = []
        whole = self._replaced(value, records)
        whole, *fields = self._loaded.value([whole, *(each for _, each in records)])
        for (object, _), each in zip(records, fields, strict=True):
            self.border.ask.take_fields(object.reference, self.border.encode(each)[1])
        return whole

    def _is_of_lua(self, name: str) -> bool:
        """Whether a class is one of Lua's without a parent in Python; a program may make one that it is asked for."""
        if name not in self._is_own:
            self._is_own[name] = self.border.ask.is_own_class(to_lua(name))
        return self._is_own[name]

    def _replaced(self, each: Any, records: list) -> Any:
        if not isinstance(each, t7.T7Object):
            self._walk(each, records)
            return each
        if not self._is_of_lua(each.class_name):
            self._walk(each.fields, records)
            return each
        if id(each) not in self._made:
            self._made[id(each)] = self.border.answered(self.border.ask.blank(to_lua(each.class_name)))
            self._seen[id(each)] = each  # whose number is its own as long as it is there
            records.append((self._made[id(each)], each.fields))
            self._walk(each.fields, records)
        return self._made[id(each)]

    def _walk(self, table: Any, records: list) -> None:
        if isinstance(table, (list, dict)) and id(table) not in self._seen:
            self._seen[id(table)] = table
            for key, each in enumerate(table) if isinstance(table, list) else list(table.items()):
                table[key] = self._replaced(each, records)


class Files:
    """What of torch writes and reads objects."""

    def __init__(self, border: Border):
        self.border = border

    def replaced(self) -> dict[str, Callable]:
        """Functions and classes by the names of torch's whose places they take."""
        named = (self.save, self.load, self.serialize, self.deserialize, self.serializeToStorage,
                 self.deserializeFromStorage)  # fmt: skip
        return {each.__name__: each for each in named} | {
            kind.__name__: self._knowing_lua(kind) for kind in (DiskFile, MemoryFile, PipeFile)
        }

    def _knowing_lua(self, kind: type[File]) -> type[File]:
        """A class of files that write and read Lua's objects, too."""
        makers = {"_saving": lambda _: SavedFromLua(self.border), "_loading": lambda _: LoadedToLua(self.border)}
        return type(kind.__name__, (kind,), {**makers, "__doc__": kind.__doc__})

    def save(self, filename: str, object: object, mode: str = "binary", referenced: bool = True) -> None:
        """Writes an object to a file."""
        record = SavedFromLua(self.border).value(object)
        with opening("torch.save", filename, "w"):
            t7.write(filename, record, mode)

    def load(self, filename: str, mode: str | None = None, referenced: bool = True) -> Crossing:
        """What a file holds."""
        with opening("torch.load", filename, "r"):
            found = t7.read(filename)
        return LoadedToLua(self.border).value(found)

    def serialize(self, object: object, mode: str = "binary") -> bytes:
        """The bytes that `save` writes."""
        return t7.serialize(SavedFromLua(self.border).value(object), mode)

    def deserialize(self, data: str, mode: str | None = None) -> Crossing:
        """The object of such bytes."""
        return self._of_bytes(data.encode("utf-8", "surrogateescape"))

    def serializeToStorage(self, object: Crossing, mode: str = "binary") -> Storage:
        """The same bytes in a CharStorage."""
        return Storage(np.frombuffer(self.serialize(object, mode), np.int8).copy())

    def deserializeFromStorage(self, storage: Storage, mode: str = "binary") -> Crossing:
        """The object of such a storage."""
        return self._of_bytes(np.asarray(storage).tobytes())

    def _of_bytes(self, data: bytes) -> Crossing:
        return LoadedToLua(self.border).value(t7.deserialize(data))
