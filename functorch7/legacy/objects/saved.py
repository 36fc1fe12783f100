"""Makes records, arrays and tables of values, for a file."""

from __future__ import annotations

from collections.abc import Callable
from inspect import isroutine
from numbers import Real
from typing import Any

from ...core.types import Value
from ...interop import t7
from ...interop.by_identity import ByIdentity
from ...interop.t7.values import GENERATOR, Content
from ...interop.torch7.node import Node as ModuleNode
from ...interop.torch7.record import OWN_FIELDS, PLAIN_KINDS
from ...interop.torch7.writer import Writer
from ...layers.graph_nodes import Node, Split
from ..tensors.generator import Generator
from ..tensors.lua_values import OfLua
from ..tensors.named import Named
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor
from .described import Described, is_derived
from .located import entry, located
from .node_files import NODE, NodesForFiles
from .nodes import Arrays, Nodes
from .own_fields import own_fields
from .own_methods import MethodOfFile
from .packed import Hash, Vec
from .torch_object import InFiles, TorchObject

OF_FILES = (*PLAIN_KINDS, bytes, t7.T7Object, t7.T7Storage, t7.LuaFunction)
"""What files contain unchanged."""


class Saved:
    """Makes records of values for a file, one after the other; what occurs in several of them becomes one record."""

    def __init__(self) -> None:
        self.arrays = Arrays()
        self.nodes = Nodes(self.user)
        self.writer = Writer(self.arrays)
        self.described: list[tuple[Any, ModuleNode]] = []  # modules and criterions, and their nodes
        self.records: ByIdentity[object, t7.T7Object] = ByIdentity()  # of objects that are no modules
        self.tables: ByIdentity[object, Any] = ByIdentity()
        self.waiting: list[tuple[Any, str]] = []  # tables, and where they are
        self.graph_nodes = NodesForFiles()

    def value(self, value: object) -> Content:
        """The value with records and arrays. Raises TypeError, naming the place, for what Torch does not have."""
        result = self.made(value, "")
        while self.waiting or self.nodes.made:
            while self.nodes.made:
                self._add_own_fields(*self.nodes.made.pop())
            if self.waiting:
                self._fill(*self.waiting.pop())
        return result

    def made(self, each: object, place: str) -> Content:
        """The record or array of a value; tables are filled later."""
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
        """The same for other values than tables and objects of these classes."""
        if isinstance(each, MethodOfFile):
            return self.made(each.function, place)
        if isinstance(each, (Node, Split)):
            return self.once(each, lambda: t7.T7Object(NODE, 1, self._table(self.graph_nodes.fields(each), place)))
        if each is None or isinstance(each, OF_FILES) or hasattr(each, "__array__"):
            return each
        if isinstance(each, OfLua):
            return self.once(each, lambda: each.record(self.made, place))
        way = "; delete it before saving, since files hold no functions of Python's" if isroutine(each) else ""
        if isinstance(each, Named):
            raise TypeError(f"objects of {each.typename()} are not written to files here{located(place)}")
        raise TypeError(f"Torch7 has no type for {type(each).__name__}: {each!r}{located(place)}{way}")

    def once(self, each: object, make: Callable[[], Value]) -> Content:
        """What is made of a value, once."""
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
                made[self.key(key, in_key)] = self.made(each, entry(place, key))
        else:
            made.extend(self.made(each, entry(place, i)) for i, each in enumerate(table, 1))

    def key(self, key: object, place: str) -> Content:
        """The record of a table's key, which may be anything in Lua."""
        if isinstance(key, (str, bytes, Real)):
            return key
        key = key.as_value() if isinstance(key, OfLua) else key
        return t7.Key(self.made(key.value if isinstance(key, t7.Key) else key, place))

    def user(self, user: Value) -> Content:
        """The record of an object whose class a user wrote, or of what it stands for; None for described ones."""
        if user.is_described:
            return None
        if user.stands_for is not None:
            return self.made(user.stands_for, user.typename())
        return t7.T7Object(user.typename(), version_of(user), self._table(user.saved_fields(), user.typename()))

    def _add_own_fields(self, object: Any, node: ModuleNode) -> None:
        """Writes the fields that a program has put into an object, and their names."""
        self.described.append((object, node))
        record, own = self.writer.object(node), own_fields(object)
        if is_derived(object):
            record.class_name, record.version = object.typename(), version_of(object)
        made = {name: self.made(each, entry(object.typename(), name)) for name, each in own.items()}
        taken = record.fields.keys() - {"name"}  # which descriptions have, too
        made = {name: each for name, each in made.items() if name not in taken and each is not None}
        if made:
            record.fields |= made | {OWN_FIELDS: list(made)}


def version_of(user: object) -> int:
    """The version in which files have the objects of a user's class: 1, unless the class itself says another."""
    return vars(type(user)).get("__version", 1)
