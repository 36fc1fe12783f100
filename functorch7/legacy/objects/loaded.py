"""Makes tensors, tables and objects of a file's values."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...checks.tables import as_dict
from ...core.types import Value
from ...interop import t7
from ...interop.t7.values import GENERATOR, HASHES, VECTORS, Content, Fields
from ...interop.torch7.node import Node
from ...interop.torch7.reader import Reader
from ...interop.torch7.record import T7ModuleError
from ..tensors.changes import changed
from ..tensors.generator import Generator
from ..tensors.storage import Storage
from .described import Described, class_named, parent_of
from .located import entry
from .methods_of import has_methods
from .nodes import Objects
from .own_fields import take_own_fields
from .own_methods import MethodOfFile, methods_among
from .packed import Hash, Vec, fill
from .torch_object import InFiles, plain_class_named

TABLES: dict[str, type[Hash | Vec]] = {**dict.fromkeys(HASHES, Hash), **dict.fromkeys(VECTORS, Vec)}
"""tds's tables, by the names that files have for them."""

NO_KEYS = (list, dict, bool, Storage)
"""What cannot be a key of Python's dicts; booleans cannot, because they are equal to numbers."""


class Loaded:
    """Makes objects of a file's values, one after the other; what occurs in several of them becomes one object."""

    reads_itself: t7.Own | None = None
    """Reads objects of classes that read themselves."""

    def __init__(self, allow_unknown: bool | Collection[str] = False):
        self.reader = Reader(allow_unknown, self.users_class, parent_of, self.adopted, self.rewritten)
        self.objects = Objects()
        self.nodes: dict[t7.T7Object, Node] = {}
        self.plain: dict[t7.T7Object, Any] = {}  # objects that are no modules, by their records
        self.packed: list[t7.T7Object] = []  # tables of tds that are to be filled
        self.owners: list[tuple[type[InFiles], t7.T7Object]] = []  # no modules, which are to take their fields
        self.new_users: list[Any] = []  # modules of users' classes that are to take their methods

    def value(self, value: object) -> Content:
        """The value with objects and tensors; raises UnknownClassError as `load_t7` does."""
        root = [value]
        tables = list(_Walk(self, root).tables())
        self.reader.check()
        for table in tables:
            self._replace_entries(table)
        self._complete_objects()
        return root[0]

    def _replace_entries(self, table: list | dict) -> None:
        if isinstance(table, list):
            table[:] = [self._made(each) for each in table]
        else:
            pairs = [(self._key(key), self._made(each)) for key, each in table.items()]
            table.clear()
            table.update(pairs)

    def _complete_objects(self) -> None:
        """Gives objects what can only be given when all of the value is made."""
        while self.packed:
            record = self.packed.pop()
            fill(self.plain[record], record.fields)
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
                kind.take_saved(self.plain[record])

    def users_class(self, name: str) -> type | None:
        """The class of a name with an updateOutput of the user's."""
        return self.rewritten(name) or class_named(name)

    def rewritten(self, name: str) -> type | None:
        """The class that a program has put in the place of Torch's of this name."""
        return None

    def take_methods(self, object: Described, fields: Fields) -> None:
        """Gives an object the functions among a file's fields that replace methods of its class."""
        for name, method in methods_among(object, fields, MethodOfFile):
            vars(object)[name] = method
            changed(object)

    def note(self, record: t7.T7Object, path: str) -> bool:
        """Notes what a record at a path becomes; returns whether it is an object with fields to go through."""
        kind = plain_class_named(record.class_name)
        if kind is not None:
            self._note_plain(record, kind)
        elif record.class_name == GENERATOR:
            self.plain.setdefault(record, _generator(record))
            return False
        elif record.class_name not in TABLES:
            self.nodes[record] = self.reader.noted(record, path or "the top")
            return False
        elif record not in self.plain:
            self.plain[record] = TABLES[record.class_name]()
            self.packed.append(record)
        return True

    def _note_plain(self, record: t7.T7Object, kind: type) -> None:
        if not isinstance(record.fields, dict):
            found = type(record.fields).__name__
            raise T7ModuleError(f"{record.class_name}: expected fields, got {found}", record.offset)
        if record in self.plain:
            return
        own = issubclass(kind, InFiles)
        self.plain[record] = kind.blank(record.fields) if own else object.__new__(kind)
        self.plain[record].__dict__ = record.fields  # which become tensors and modules in place
        if own:
            self.owners.append((kind, record))

    def adopted(self, value: Value) -> Value:
        """The object that a value in a graph stands for: a table or object with a module's methods; None for others."""
        if not isinstance(value, t7.T7Object):
            return value if has_methods(value) else None
        kind = plain_class_named(value.class_name)
        if kind is None or not has_methods(kind):
            return None
        self._note_plain(value, kind)
        return self.plain[value]

    def take_user(self, record: t7.T7Object) -> list[Content]:
        """Makes the object of a user's class; the tables whose entries become tensors and modules in place."""
        kind: Any = self.users_class(record.class_name)
        user = self.objects.users[record] = object.__new__(kind)
        self.new_users.append(user)
        tables = [record.fields, *user.take_fields(record.fields)]
        record.fields = {}  # descriptions keep the record: they are not to hold the object's fields with it
        return tables

    def _made(self, each: Any) -> Any:
        if isinstance(each, np.ndarray):
            return self.objects.tensor(each)
        if isinstance(each, t7.T7Storage):
            return self.objects.storage(each.array)
        if not isinstance(each, t7.T7Object):
            return each
        if each in self.plain:
            return self.plain[each]
        return self._object(each, self.nodes[each]) if each in self.nodes else each

    def _key(self, key: Any) -> Any:
        """A table's key: one that cannot be a dict's is a `t7.Key` of what it is."""
        if not isinstance(key, (t7.Key, t7.T7Object, t7.T7Storage)):
            return key
        made = self._made(key.value if isinstance(key, t7.Key) else key)
        return t7.Key(made) if isinstance(made, NO_KEYS) else made

    def _object(self, record: t7.T7Object, node: Node) -> Any:
        with _of_record(record):
            return self.objects.object(node)


class _Walk:
    """Goes through all tables of a value and notes their records; without recursion, as files may be deeply nested."""

    def __init__(self, loaded: Loaded, root: list):
        self.loaded, self.root = loaded, root
        self.waiting: list[tuple[Any, str]] = [(root, "")]
        self.seen = {id(root)}

    def tables(self) -> Iterator[Any]:
        """The tables, each after its entries were noted."""
        reader = self.loaded.reader
        while self.waiting or reader.users or reader.owned:
            while reader.owned:
                self._wait(*reader.owned.pop())
            if reader.users:
                record, path = reader.users.pop()
                for table in self.loaded.take_user(record):
                    self._wait(table, path)
                continue
            table, path = self.waiting.pop()
            for key, each in as_dict(table).items():
                self._note(key.value if isinstance(key, t7.Key) else key, f"{path} (a key)")
                self._note(each, "" if table is self.root else entry(path, key))
            yield table

    def _note(self, each: Any, path: str) -> None:
        if isinstance(each, t7.T7Object):
            if self.loaded.note(each, path):
                self._wait(each.fields, path)
        elif isinstance(each, (list, dict)):
            self._wait(each, path)

    def _wait(self, table: Any, path: str) -> None:
        if id(table) not in self.seen:
            self.seen.add(id(table))
            self.waiting.append((table, path))


@contextmanager
def _of_record(record: t7.T7Object) -> Iterator[None]:
    """A block whose errors are the file's: objects cannot have the description, such as a criterion among modules."""
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
