"""Torch7's files as Torch's own functions gave them: tables, tensors, modules; and back."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from numbers import Real
from typing import Any

import numpy as np

from ...core.types import Value
from ...interop import t7
from ...interop.by_identity import ByIdentity
from ...interop.t7.values import GENERATOR, HASHES, VECTORS, Content, Fields
from ...interop.torch7.node import Node as ModuleNode
from ...interop.torch7.reader import Reader
from ...interop.torch7.record import OWN_FIELDS, PLAIN_KINDS, T7ModuleError
from ...interop.torch7.writer import Writer
from ...layers.graph_nodes import Node, Split
from ..tensors.changes import changed
from ..tensors.generator import Generator
from ..tensors.lua_values import OfLua
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor
from .described import Described, class_named, is_derived, parent_of
from .node_files import NODE, NodesForFiles
from .nodes import Arrays, Nodes, Objects
from .own_fields import own_fields, take_own_fields
from .own_methods import MethodOfFile, methods_among
from .packed import Hash, Vec, fill
from .torch_object import InFiles, TorchObject, plain_class_named

TABLES: dict[str, type[Hash | Vec]] = {**dict.fromkeys(HASHES, Hash), **dict.fromkeys(VECTORS, Vec)}
"""tds's tables, by the names that files have for them."""

NO_KEYS = (list, dict, bool, Storage)
"""What Python's dicts do not have as keys, or not beside the numbers that booleans are."""

OF_FILES = (*PLAIN_KINDS, bytes, t7.T7Object, t7.T7Storage, t7.LuaFunction)
"""What files have as it is."""


def load_t7(
    path: str | os.PathLike, *, allow_unknown: bool | Collection[str] = False, all: bool = False
) -> Content:  # fmt: skip
    """What a Torch7 file holds, at a path or a URL for fsspec: tables as lists and dicts, tensors and storages, modules
    and criterions as objects, and those of tds as `tds.Hash` and `tds.Vec`.

    Tensors share storages, and tables and objects are one where they were one. Objects of unknown classes raise
    UnknownClassError, which names them all, their places and fields; with `allow_unknown` (True, or the names of
    classes) they are modules that cannot run, or T7Objects outside of networks. Functions stay bytes. Raises
    T7FormatError for anything else than a Torch7 file. Of several objects one after the other it is the first, with a
    warning that says how many bytes follow; with `all` a list of all of them. A class with an updateOutput of the
    user's own has to be defined when the file is loaded; the object gets its fields, and `__init__` does not run.
    Source: torch7/doc/serialization.md, torch.load.
    """
    return from_file(t7.read(path, all=all), allow_unknown)


def save_t7(path: str | os.PathLike, value: object, format: str = "binary") -> None:
    """Writes tensors, tables, modules and criterions to a file that Torch7 loads; "binary" or "ascii".

    `path` may be a URL for fsspec; a file that was there is replaced when the new one is whole. Modules are saved as in
    Torch, with their gradients, or less after `mediumSerial()` and `lightSerial()`; those of users' classes by these
    classes' names, which have to be known where the file is loaded. Raises TypeError for what Torch has not: objects
    of other classes.
    Source: torch7/doc/serialization.md, torch.save; dpnn/README.md, Serial.
    """
    t7.write(path, to_file(value), format)


def from_file(value: object, allow_unknown: bool | Collection[str] = False) -> Content:
    """The value with objects and tensors in place of records and arrays; lists and dicts are changed in place."""
    return Loaded(allow_unknown).value(value)


def to_file(value: object) -> Content:
    """The value with records and arrays in place of objects and tensors."""
    return Saved().value(value)


class Loaded:
    """What is made of a file's values, one after the other: what occurs in several of them is one object."""

    reads_itself: t7.Own | None = None
    """What reads objects that have a way of their own."""

    def __init__(self, allow_unknown: bool | Collection[str] = False):
        self.users: dict[int, Any] = {}
        self.reader = Reader(allow_unknown, lambda name: class_named(name) is not None, parent_of)
        self.objects = Objects(self.users)
        self.nodes: dict[int, Any] = {}
        self.plain: dict[int, Any] = {}  # objects that are no modules, by their records' numbers
        self.packed: list[t7.T7Object] = []  # tables of tds that are to be filled
        self.owners: list[tuple[type[InFiles], t7.T7Object]] = []  # no modules, which are to take their fields
        self.new_users: list[Any] = []  # modules of users' classes that are to take their methods

    def value(self, value: object) -> Content:
        """The value with objects and tensors; raises UnknownClassError as `load_t7` does."""
        root = [value]
        tables = self._noted(root)
        self.reader.check()
        for table in tables:
            if isinstance(table, list):
                table[:] = [self._made(each) for each in table]
            else:
                pairs = [(self._key(key), self._made(each)) for key, each in table.items()]
                table.clear()
                table.update(pairs)
        while self.packed:
            record = self.packed.pop()
            fill(self.plain[id(record)], record.fields)
        while self.objects.owners:
            object, fields = self.objects.owners.pop()
            take_own_fields(object, fields)
            self.take_methods(object, fields)
        while self.new_users:
            user = self.new_users.pop()
            self.take_methods(user, dict(vars(user)))
        while self.owners:
            kind, record = self.owners.pop()
            with _of_record(record):
                kind.take_saved(self.plain[id(record)])
        return root[0]

    def take_methods(self, object: Described, fields: Fields) -> None:
        """Gives an object the functions among a file's fields that take the places of its class's methods."""
        for name, method in methods_among(object, fields, MethodOfFile):
            vars(object)[name] = method
            changed(object)

    def _noted(self, root: list) -> list[Any]:
        """All tables in a value; objects in them are described."""
        waiting: list[tuple[Any, str]] = [(root, "")]
        seen = {id(root)}
        tables: list[Any] = []

        def described(each: Any, path: str) -> None:
            kind = plain_class_named(each.class_name) if isinstance(each, t7.T7Object) else None
            if kind is not None:
                if not isinstance(each.fields, dict):
                    found = type(each.fields).__name__
                    raise T7ModuleError(f"{each.class_name}: expected fields, got {found}", each.offset)
                if id(each) not in self.plain:
                    own = issubclass(kind, InFiles)
                    self.plain[id(each)] = kind.blank(each.fields) if own else object.__new__(kind)
                    self.plain[id(each)].__dict__ = each.fields  # which become tensors and modules in place
                    if own:
                        self.owners.append((kind, each))
                described(each.fields, path)
            elif isinstance(each, t7.T7Object) and each.class_name == GENERATOR:
                self.plain.setdefault(id(each), _generator(each))
            elif isinstance(each, t7.T7Object) and each.class_name in TABLES:
                if id(each) not in self.plain:
                    self.plain[id(each)] = TABLES[each.class_name]()
                    self.packed.append(each)
                described(each.fields, path)
            elif isinstance(each, t7.T7Object):
                self.nodes[id(each)] = self.reader.noted(each, path or "the top")
            elif isinstance(each, (list, dict)) and id(each) not in seen:
                seen.add(id(each))
                waiting.append((each, path))

        while waiting or self.reader.users or self.reader.owned:
            while self.reader.owned:
                own, path = self.reader.owned.pop()
                seen.add(id(own))
                waiting.append((own, path))
            if self.reader.users:
                record, path = self.reader.users.pop()
                user = self.users[id(record)] = object.__new__(class_named(record.class_name))
                self.new_users.append(user)
                for own in (record.fields, *user.take_fields(record.fields)):  # tensors and modules take their places
                    seen.add(id(own))
                    waiting.append((own, path))
                record.fields = {}  # descriptions keep the record: they are not to hold the object's fields with it
                continue
            table, path = waiting.pop()
            tables.append(table)
            pairs = table.items() if isinstance(table, dict) else enumerate(table, 1)
            for key, each in pairs:
                described(key.value if isinstance(key, t7.Key) else key, f"{path} (a key)")
                described(each, "" if table is root else _entry(path, key))
        return tables

    def _made(self, each: Any) -> Any:
        if isinstance(each, np.ndarray):
            return self.objects.tensor(each)
        if isinstance(each, t7.T7Storage):
            return self.objects.storage(each.array)
        if id(each) in self.plain:
            return self.plain[id(each)]
        node = self.nodes.get(id(each)) if isinstance(each, t7.T7Object) else None
        return each if node is None else self._object(each, node)

    def _key(self, key: Any) -> Any:
        """A table's key: one that cannot be a dict's is a `t7.Key` of what it is."""
        if not isinstance(key, (t7.Key, t7.T7Object, t7.T7Storage)):
            return key
        made = self._made(key.value if isinstance(key, t7.Key) else key)
        return t7.Key(made) if isinstance(made, NO_KEYS) else made

    def _object(self, record: t7.T7Object, node: ModuleNode) -> Any:
        with _of_record(record):
            return self.objects.object(node)


@contextmanager
def _of_record(record: t7.T7Object) -> Iterator[None]:
    """Errors in it are the file's: a description that objects cannot have, such as a criterion among modules."""
    try:
        yield
    except t7.T7FormatError:
        raise
    except Exception as error:
        raise T7ModuleError(f"{record.class_name}: {error}", record.offset) from error


def _generator(record: t7.T7Object) -> Generator:
    made = Generator()
    try:
        made.state = record.fields
    except ValueError as error:
        raise T7ModuleError(f"{GENERATOR}: {str(error).removeprefix('torch.setRNGState: ')}", record.offset) from error
    return made


def located(place: str) -> str:
    """The end of a sentence about what is at a place, which is nothing for the whole."""
    return f", at {place}" if place else ""


def _entry(path: str, key: Any) -> str:
    """The place of a table's entry, in a text that does not grow without end."""
    name = repr(key[:40] if isinstance(key, str) else key) if isinstance(key, (str, int, float)) else "..."
    return f"{path[:40]}...{path[-120:]}[{name}]" if len(path) > 200 else f"{path}[{name}]"


class Saved:
    """What is made of values for a file, one after the other: what occurs in several of them is one record."""

    def __init__(self) -> None:
        self.arrays = Arrays()
        self.nodes = Nodes(self._user)
        self.writer = Writer(self.arrays)
        self.described: list[tuple[Any, ModuleNode]] = []  # modules and criterions, and their nodes
        self.records: ByIdentity[object, t7.T7Object] = ByIdentity()  # of objects that are no modules
        self.tables: ByIdentity[object, Any] = ByIdentity()
        self.waiting: list[tuple[Any, str]] = []  # tables, and where they are
        self.graph_nodes = NodesForFiles()

    def value(self, value: object) -> Content:
        """The value with records and arrays. Raises TypeError for what Torch has not, with its place."""
        result = self.made(value, "")
        while self.waiting or self.nodes.made:
            while self.nodes.made:
                self._add_own_fields(*self.nodes.made.pop())
            if self.waiting:
                self._fill(*self.waiting.pop())
        return result

    def made(self, each: object, place: str) -> Content:
        """What stands for a value; tables are filled later."""
        if isinstance(each, Tensor):
            return self.arrays(each)
        if isinstance(each, Storage):
            return t7.T7Storage(self.arrays.storage(each))
        if isinstance(each, Generator):
            return self.once(each, lambda: t7.T7Object(GENERATOR, 1, each.state))
        if isinstance(each, Described):
            return self.writer.object(self.nodes.node(each))
        if isinstance(each, (Hash, Vec)):
            return self.once(each, lambda: t7.T7Object(each.typename(), 0, self._table(each, place)))
        if isinstance(each, (list, tuple, dict)):
            return self._table(each, place)
        if isinstance(each, (InFiles, TorchObject)):
            fields = each.saved_fields() if isinstance(each, InFiles) else each.__dict__
            return self.once(each, lambda: t7.T7Object(each.typename(), 1, self._table(fields, place)))
        return self.other(each, place)

    def other(self, each: object, place: str) -> Content:
        """The same for what is neither a table nor an object of these classes."""
        if isinstance(each, MethodOfFile):
            return self.made(each.function, place)
        if isinstance(each, (Node, Split)):
            return self.once(each, lambda: t7.T7Object(NODE, 1, self._table(self.graph_nodes.fields(each), place)))
        if each is None or isinstance(each, OF_FILES) or hasattr(each, "__array__"):
            return each
        if isinstance(each, OfLua):
            return self.once(each, lambda: each.record(self.made, place))
        raise TypeError(f"Torch7 has no type for {type(each).__name__}: {each!r}{located(place)}")

    def once(self, each: object, make: Callable[[], Value]) -> Content:
        """What is made of a value when it first occurs."""
        return self.records.once(each, lambda _: make())

    def _table(self, table: Any, place: str) -> Any:
        if table not in self.tables:
            self.tables[table] = {} if isinstance(table, dict) else []
            self.waiting.append((table, place))
        return self.tables[table]

    def _fill(self, table: Any, place: str) -> None:
        made = self.tables[table]
        if isinstance(table, dict):
            in_key = f"{place} (a key)".strip()
            for key, each in [*table.items()]:  # as they are now, whatever Lua is asked for meanwhile
                made[self.key(key, in_key)] = self.made(each, _entry(place, key))
        else:
            made.extend(self.made(each, _entry(place, i)) for i, each in enumerate(table, 1))

    def key(self, key: object, place: str) -> Content:
        """What stands for a table's key, which may be anything in Lua's tables."""
        if isinstance(key, (str, bytes, Real)):
            return key
        key = key.as_value() if isinstance(key, OfLua) else key
        return t7.Key(self.made(key.value if isinstance(key, t7.Key) else key, place))

    def _user(self, user: Any) -> t7.T7Object:
        """The record of an object whose class a user wrote."""
        return t7.T7Object(user.typename(), 1, self._table(user.saved_fields(), user.typename()))

    def _add_own_fields(self, object: Any, node: ModuleNode) -> None:
        """Writes the fields that a program has put into an object, and their names."""
        self.described.append((object, node))
        record, own = self.writer.object(node), own_fields(object)
        if is_derived(object):
            record.class_name = object.typename()
        made = {name: self.made(each, _entry(object.typename(), name)) for name, each in own.items()}
        taken = record.fields.keys() - {"name"}  # which descriptions have, too
        made = {name: each for name, each in made.items() if name not in taken and each is not None}
        if made:
            record.fields |= made | {OWN_FIELDS: list(made)}
