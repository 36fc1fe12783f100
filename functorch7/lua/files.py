"""Torch's files with objects of classes that Lua defines.

Loading never runs Lua, unless the program was started with permission to call the functions that it loads.
"""

from __future__ import annotations

import io
import mmap
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import numpy as np

from ..interop import t7
from ..interop.by_identity import ByIdentity
from ..interop.t7.values import Fields
from ..interop.torch7.node import Node
from ..interop.torch7.reader import Unknown
from ..legacy.objects.described import Described, overridden_in
from ..legacy.objects.loaded import Loaded
from ..legacy.objects.opening import opening
from ..legacy.objects.own_methods import methods_among
from ..legacy.objects.saved import Saved, version_of
from ..legacy.program.file import File
from ..legacy.program.files import DiskFile, MemoryFile, PipeFile
from ..legacy.tensors.storage import Storage
from ..legacy.tensors.types import Constructor
from .border import Border
from .held import LuaFunction, LuaValue
from .kinds import Crossing
from .own import LuaObject, blank, hides_method, read_itself
from .own_files import own_way
from .records import Recorder
from .text import to_lua
from .written_methods import give_method, keep_beside


class SavedFromLua(Saved):
    """Makes records of values for a file that a Lua program writes."""

    def user(self, user: Crossing) -> Crossing:
        """The record of an object that writes itself, or is not described."""
        write = own_way(type(user), "write")
        if write is None:
            return super().user(user)
        file = Recorder(user.typename(), self.made)
        write(user, file)
        return t7.T7Object(user.typename(), version_of(user), file.written)

    def other(self, each: object, place: str) -> Crossing:
        """In Torch a class is a table without fields of its own."""
        return {} if isinstance(each, (type, Constructor)) else super().other(each, place)


class Inside(File):
    """The rest of a file, for an object that reads itself."""

    def __init__(self, parser: t7.Parser, loaded: LoadedToLua):
        source = parser.source
        mapped = isinstance(source.data, mmap.mmap)
        super().__init__(source.data if mapped else io.BytesIO(source.data), "r")  # type: ignore[arg-type]
        self._parser, self._loaded, self._binary = parser, loaded, source.name == "binary"
        self._file.seek(source.position)

    def readObject(self) -> Crossing:
        """The next object."""
        source = self._parser.source
        source.position = self._file.tell()
        found = self._parser.read_inside()
        self._file.seek(source.position)
        return self._loaded.value(found)


def is_rewritten(kind: type[Described]) -> bool:
    """Whether a class is a program's, or one of Torch's whose constructor and updateOutput the program has replaced."""
    if "compiled" in vars(kind):  # it stands for Torch's own class (`Steps`)
        return False
    own = kind.spec_class is None if issubclass(kind, LuaObject) else "__init" in vars(kind)
    return own and overridden_in(kind, "updateOutput")


class LoadedObjects(Loaded):
    """Makes modules and tensors of a file, and lets Lua call their own methods."""

    def __init__(self, border: Border, allow_unknown: bool | Collection[str] = False):
        super().__init__(allow_unknown)
        self.border = border
        self._named: dict[str, list[type]] = {}

    def rewritten(self, name: str) -> type | None:
        return next(filter(is_rewritten, self._classes_named(name)), None)

    def _classes_named(self, name: str) -> list[type]:
        """The classes of a name that Lua knows, the newest first."""
        if name not in self._named:
            kinds = (kind for kind in reversed(self.border.registry.kinds) if isinstance(kind, type))
            described = (kind for kind in kinds if issubclass(kind, Described))
            self._named[name] = [kind for kind in described if kind._class_name() == name]
        return self._named[name]

    def reading_itself(self, record: t7.T7Object) -> Callable[[File], object] | None:
        """Lets an object of a module's class that has its own `read` read itself; None for others."""
        kind = next(iter(self._classes_named(record.class_name)), None)
        if kind is None or own_way(kind, "read") is None:
            return None
        self.objects.users[record] = made = blank(kind)
        self.reader.know(record, Node(Unknown(record)))
        record.fields = {}
        return partial(read_itself, made, version=record.version or 0)

    def take_methods(self, object: Described, fields: Fields) -> None:
        super().take_methods(object, fields)
        for name, method in methods_among(object, fields, LuaFunction):
            give_method(self.border, object, name, method)
        for name in [name for name, value in vars(object).items() if hides_method(object, name, value)]:
            keep_beside(self.border, object, name)


class LoadedToLua:
    """Makes Lua's values of a file's values, one after the other: objects of Lua's classes become Lua tables.

    Functions become Lua functions if they may be called; otherwise they stay records.
    """

    def __init__(self, border: Border, functions: bool = False, allow_unknown: bool | Collection[str] = False):
        self.border, self.functions = border, functions
        self._loaded = LoadedObjects(border, allow_unknown)
        self._made: ByIdentity[object, LuaValue] = ByIdentity()  # of records
        self._seen: ByIdentity[object, None] = ByIdentity()  # tables
        self._is_own: dict[str, bool] = {}  # by the names of classes that records have
        self._variables: dict[Any, tuple[LuaFunction, int]] = {}  # by the file's numbers who has them, and where

    def reads_itself(self, record: t7.T7Object, parser: t7.Parser) -> bool:
        """Lets an object of a class that has its own `read` read itself from a file; False for others."""
        is_of_lua = self._is_of_lua(record.class_name)
        read = self._reading_itself(record) if is_of_lua else self._loaded.reading_itself(record)
        if read is None:
            return False
        file = Inside(parser, self)
        read(file)
        parser.source.position = file.position() - 1
        return True

    def _reading_itself(self, record: t7.T7Object) -> Callable[[File], object] | None:
        if not self.border.ask.has_own_read(to_lua(record.class_name)):
            return None
        border, made = self.border, self._blank(record)
        self._made[record] = made
        return lambda file: border.answered(
            border.ask.read_itself(made.reference, record.version or 0, *border.encode(file))
        )

    def value(self, value: object) -> Crossing:
        """The value with objects in place of records."""
        records: list[tuple[LuaValue, Any]] = []
        waiting: list[Any] = []  # tables that are to be gone through: files may nest deeper than calls can
        whole = self._replaced(value, records, waiting)
        while waiting:
            self._go_through(waiting.pop(), records, waiting)
        whole, *contents = self._loaded.value([whole, *(each for _, each in records)])
        for (made, _), content in zip(records, contents, strict=True):
            if isinstance(made, LuaFunction):
                self._take_variables(made, content)
            else:
                self.border.ask.take_fields(made.reference, *self.border.encode(content))
        return whole

    def _take_variables(self, function: LuaFunction, variables: Any) -> None:
        """Sets a function's variables; functions of one file that shared a variable share it again."""
        for place, each in enumerate(variables or (), 1):
            is_named = isinstance(each, dict) and "name" in each
            number = each.get("id") if is_named else None
            if number in self._variables:
                holder, other = self._variables[number]
                self.border.ask.join_variable(function.reference, place, holder.reference, other)
                continue
            if number is not None:
                self._variables[number] = (function, place)
            value = each.get("value") if is_named else each
            self.border.ask.take_variable(function.reference, place, *self.border.encode(value))

    def _is_of_lua(self, name: str) -> bool:
        """Whether a class is Lua's, without a Python parent; a program may define it when it is asked for."""
        if name not in self._is_own:
            self._is_own[name] = self.border.ask.is_own_class(to_lua(name))
        return self._is_own[name]

    def _replaced(self, each: Any, records: list, waiting: list) -> Any:
        if isinstance(each, t7.LuaFunction) and self.functions:
            return self._once(each, self._function, each.upvalues, records, waiting)
        if isinstance(each, t7.T7Object) and self._is_of_lua(each.class_name):
            return self._once(each, self._blank, each.fields, records, waiting)
        self._wait(each.fields if isinstance(each, t7.T7Object) else each, waiting)
        return each

    def _once(
        self, record: Any, make: Callable[[Any], LuaValue], content: Any, records: list, waiting: list
    ) -> LuaValue:
        """What is made of a record; its content is put in when everything is made."""
        if record not in self._made:
            self._made[record] = make(record)
            records.append((self._made[record], content))
            self._wait(content, waiting)
        return self._made[record]

    def _blank(self, record: t7.T7Object) -> LuaValue:
        return self.border.answered(self.border.ask.blank(to_lua(record.class_name)))

    def _function(self, record: t7.LuaFunction) -> LuaFunction:
        """A function from a file, with empty variables. Raises ValueError for the bytecode of another LuaJIT."""
        made = self.border.answered(self.border.ask.undumped(record.bytecode.decode("latin-1")))
        if isinstance(made, str):
            raise ValueError(f"torch.load: a function in the file is not of this LuaJIT: {made}")
        return made

    def _wait(self, table: Any, waiting: list) -> None:
        if isinstance(table, (list, dict)) and table not in self._seen:
            self._seen[table] = None
            waiting.append(table)

    def _go_through(self, table: Any, records: list, waiting: list) -> None:
        def replaced(each: Any) -> Any:
            return self._replaced(each, records, waiting)

        if isinstance(table, list):
            table[:] = map(replaced, table)
            return
        pairs = [
            (t7.Key(replaced(key.value)) if isinstance(key, t7.Key) else replaced(key), replaced(each))
            for key, each in table.items()
        ]
        table.clear()
        table.update(pairs)


class Files:
    """torch's functions that write and read objects; `functions` says whether functions in files may be called."""

    def __init__(self, border: Border, functions: bool):
        self.border, self.functions = border, functions

    def replaced(self) -> dict[str, Callable]:
        """The replacements for torch's functions and classes, by name."""
        named = (self.save, self.load, self.serialize, self.deserialize, self.serializeToStorage,
                 self.deserializeFromStorage)  # fmt: skip
        return {each.__name__: each for each in named} | {
            kind.__name__: self._knowing_lua(kind) for kind in (DiskFile, MemoryFile, PipeFile)
        }

    def _knowing_lua(self, kind: type[File]) -> type[File]:
        """A class of files that also write and read Lua's objects."""
        makers = {"_saving": lambda _: SavedFromLua(), "_loading": lambda _: self._loading()}
        return type(kind.__name__, (kind,), {**makers, "__doc__": kind.__doc__})

    def save(self, filename: str, object: object = None, mode: str = "binary", referenced: bool = True) -> None:
        """Writes an object to a file."""
        record = SavedFromLua().value(object)
        with opening("torch.save", filename, "w"):
            t7.write(filename, record, mode)

    def load(self, filename: str, mode: str | None = None, referenced: bool = True) -> Crossing:
        """What a file holds."""
        with opening("torch.load", filename, "r"):
            loading = self._loading()
            found = t7.read(filename, own=loading.reads_itself)
        return loading.value(found)

    def serialize(self, object: object = None, mode: str = "binary") -> bytes:
        """The bytes that `save` writes."""
        return t7.serialize(SavedFromLua().value(object), mode)

    def deserialize(self, data: str, mode: str | None = None) -> Crossing:
        """The object of such bytes."""
        return self._of_bytes(data.encode("utf-8", "surrogateescape"))

    def serializeToStorage(self, object: Crossing = None, mode: str = "binary") -> Storage:
        """The same bytes in a CharStorage."""
        return Storage(np.frombuffer(self.serialize(object, mode), np.int8).copy())

    def deserializeFromStorage(self, storage: Storage, mode: str = "binary") -> Crossing:
        """The object of such a storage."""
        return self._of_bytes(np.asarray(storage).tobytes())

    def _of_bytes(self, data: bytes) -> Crossing:
        loading = self._loading()
        return loading.value(t7.deserialize(data, loading.reads_itself))

    def _loading(self) -> LoadedToLua:
        return LoadedToLua(self.border, self.functions)
