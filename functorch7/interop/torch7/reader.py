"""From the objects of a file to nodes: descriptions with arrays."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from ... import core
from ...layers import SpatialMaxUnpooling, VolumetricMaxUnpooling
from ...layers.pooling import Record as PoolingRecord
from ...recurrent import AbstractRecurrent, Recursor, Repeater, Sequencer
from ..t7 import T7FormatError, T7Object
from .names import REPLICAS, known_name, upgraded
from .node import Node
from .record import Record, records_in
from .table import schema_of

SETTINGS = ("train", "dpnn_serialEmpty", "_type")
UNPOOLINGS = tuple(each.torch_name() for each in (SpatialMaxUnpooling, VolumetricMaxUnpooling))
PARTS = {"input_module": "inputModule", "target_module": "targetModule"}


class UnknownClassError(T7FormatError):
    """A file holds objects of classes that functorch7 has not; `classes` has (name, place, fields) of each."""

    def __init__(self, classes: list[tuple[str, str, list[str]]], offset: int):
        lines = [f"  {name} at {place}, with the fields {', '.join(fields)}" for name, place, fields in classes]
        text = ["no module stands for these Torch classes:", *lines, "allow_unknown=True loads what is around them"]
        super().__init__("\n".join(text), offset)
        self.classes = classes


class Unknown(core.Module, abstract=True):
    """The place of an object whose class functorch7 has not; it cannot be run, only replaced."""

    object: Any

    def forward(self, params: Any, buffers: Any, input: Any, *, key: Any, train: bool) -> tuple[Any, Any]:
        raise NotImplementedError(f"{self.object.class_name}: functorch7 has no such class; put a module in its place")

    def printed(self) -> str:
        return f"{self.object.class_name} (unknown)"


readers: dict[str, Callable[[Reader, Record], Node]] = {}
"""How objects of a class are read that no schema can describe, by the name in the file: from a record to a node."""


class Reader:
    """Makes nodes of objects; one object is one node, wherever it occurs."""

    def __init__(self, allow_unknown: bool | Collection[str] = False, is_users: Callable[[str], bool] | None = None):
        self.allow_unknown = allow_unknown
        self.is_users = is_users  # whether a class is one that the user has written
        self.users: list[tuple[T7Object, str]] = []
        self.unknown: list[tuple[str, str, list[str]]] = []
        self.first_unknown = 0
        self.nodes: dict[int, Node] = {}
        self.pooled: dict[int, PoolingRecord] = {}
        self.searched: set[int] = set()
        self.kept: list[Any] = []

    def read(self, object: T7Object, path: str = "the top") -> Node:
        """The node of an object. Raises UnknownClassError, and T7ModuleError for fields that make no module."""
        node = self.noted(object, path)
        self.check()
        return node

    def noted(self, object: T7Object, path: str) -> Node:
        """The same, without raising UnknownClassError before `check` does."""
        try:
            self._find_unpoolings(object)
            return self.node(object, path)
        except RecursionError:
            raise T7FormatError("modules are nested too deeply", 0) from None

    def check(self) -> None:
        """Raises UnknownClassError if something was found that may not be there."""
        allowed = self.allow_unknown
        refused = [] if allowed is True else [each for each in self.unknown if not allowed or each[0] not in allowed]
        if refused:
            raise UnknownClassError(refused, self.first_unknown)

    def node(self, object: T7Object, path: str) -> Node:
        """The node of an object; what is unknown is noted."""
        key = id(object)
        if key not in self.nodes:
            self.kept.append(object)
            self.nodes[key] = self._made(object, path)
        return self.nodes[key]

    def _made(self, object: T7Object, path: str) -> Node:
        if object.class_name in REPLICAS:
            replicas = records_in(object.fields.get("modules"))
            if replicas:
                return self.node(replicas[0], f"{path}.modules[1]")
        name = known_name(object.class_name)
        own_reader = readers.get(object.class_name)
        is_unknown = name is None and own_reader is None
        if is_unknown and self.is_users is not None and self.is_users(object.class_name):
            if not isinstance(object.fields, dict):
                raise T7FormatError(
                    f"{object.class_name} at {path}: expected fields, got {object.fields!r}", object.offset
                )
            self.users.append((object, path))
            return Node(Unknown(object))
        if is_unknown:
            fields = sorted(map(str, object.fields)) if isinstance(object.fields, dict) else []
            self.first_unknown = self.first_unknown or object.offset
            self.unknown.append((object.class_name, path, fields))
            return Node(Unknown(object))
        try:
            fields = upgraded(object)
            if id(object) in self.pooled:
                fields = fields | {"record": self.pooled[id(object)]}
            record = Record(object, name or object.class_name, fields, path)
            return self.described(record) if own_reader is None else own_reader(self, record)
        except (T7FormatError, RecursionError):
            raise
        except Exception as error:  # whatever a description finds wrong with what the file says
            raise Record(object, object.class_name, {}, path).error(str(error)) from error

    def described(self, record: Record) -> Node:
        """The node of an object whose class a schema describes."""
        schema = schema_of(core.registry[record.class_name])
        children = [self.node(each, f"{record.path}.modules[{i}]") for i, each in enumerate(schema.children(record), 1)]
        if schema.spec_class in (Sequencer, Repeater):
            children = [_as_step(child) for child in children]
        parts = {name: self._part(record, name) for name in schema.parts}
        described = {name: _spec_of(part) for name, part in parts.items()}
        spec = schema.describe(record, tuple(child.spec for child in children), described)
        if schema.has_free_name and isinstance(record.get("name"), str) and record.get("name"):
            spec = spec.named(record.get("name"))
        children = children if spec.child_modules() else []  # what Torch composes, and a description does at once
        if spec.child_modules() and not children:  # a criterion's
            children = [
                node for part in parts.values() for node in (part if isinstance(part, list) else [part]) if node
            ]
        parameters, gradients = schema.arrays(record, spec)
        buffers = {name: array for name in schema.buffers if (array := record.array(name)) is not None}
        settings = {name: record.fields[name] for name in SETTINGS if name in record.fields}
        if isinstance(record.fields.get("module"), T7Object) and "criterion" in parts:
            parts["module"] = self.node(record.fields["module"], f"{record.path}.module")
        return Node(spec, parameters, gradients, buffers, children, parts, settings, record.fields.get("output"))

    def _part(self, record: Record, name: str) -> Any:
        torch = PARTS.get(name, name)
        value = record.get(torch)
        if torch == "module" and value is None:
            value = records_in(record.get("modules"))[0]
        if isinstance(value, T7Object):
            return self.node(value, f"{record.path}.{torch}")
        if name == "criterions":
            found = enumerate(records_in(value), 1)
            return [self.node(each, f"{record.path}.{torch}[{i}]") for i, each in found]
        return None

    def _find_unpoolings(self, root: T7Object) -> None:
        """Poolings that belong to an unpooling get a record that both share."""
        waiting, seen = [root], self.searched
        while waiting:
            value = waiting.pop()
            if id(value) in seen or isinstance(value, (np.ndarray, str, bytes, int, float)) or value is None:
                continue
            seen.add(id(value))
            if isinstance(value, T7Object):
                fields = value.fields if isinstance(value.fields, dict) else {}
                pooling = fields.get("pooling")
                if value.class_name in UNPOOLINGS and isinstance(pooling, T7Object):
                    self.pooled.setdefault(id(pooling), PoolingRecord())
                waiting += fields.values()
            elif isinstance(value, dict):
                waiting += value.values()
            elif isinstance(value, list):
                waiting += value


def _spec_of(part: Any) -> Any:
    if isinstance(part, list):
        return tuple(each.spec for each in part)
    return None if part is None else part.spec


def _as_step(node: Node) -> Node:
    """The node as a step of a sequence; older files have no Recursor around what is not recurrent."""
    if isinstance(node.spec, AbstractRecurrent):
        return node
    return Node(Recursor(node.spec), children=[node], settings=dict(node.settings))
