"""Fields of Torch's objects that descriptions do without: objects of what a file has there.

Torch composes modules for what a description does at once: a cell's step, the parts of sequencers. Files contain these
modules (`interop/torch7`); objects show them around the same modules and over the same tensors. Torch's layers also
make tensors and storages into which their methods write: an object has them, as they are at first, once they are read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import core
from ...core.types import Value
from ...interop.t7 import T7Object, T7Storage
from ...interop.t7.values import Fields
from ...interop.torch7.node import Node
from ...interop.torch7.reader import Reader, Unknown
from ...interop.torch7.table import schema_of
from ...interop.torch7.writer import Writer
from ...losses.tables import map_leaves
from ..engine.fields import LEFT
from ..tensors.casting import is_floating
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor
from .described import Described, among, described_among
from .nodes import Arrays, Nodes, Objects
from .own_fields import PARAMETERS, numbered

SCRATCH = T7Storage, np.ndarray
"""What files have of tensors and storages that no description has."""

PRIVATE_NAMES = ("_remember", "_fwd", "_bwd", "_merge")
"""Torch's fields that begin with an underscore."""

_names: dict[core.Module, frozenset[str]] = {}
MOST = 4096
"""The descriptions whose names are kept."""


class _Shown(Nodes):
    """Nodes of an object and of those inside it, to make objects of them again; users' objects stay as they are.

    The object itself has its class's fields, whatever methods a user has given it.
    """

    def __init__(self, shown: Described):
        super().__init__()
        self.shown = shown

    def _made(self, object: Any) -> Node:
        if not object.is_foreign():
            return super()._made(object)
        if object is self.shown:
            return self._described(object, object.own_description())
        return Node(Unknown(T7Object(object.typename(), 1, {})))


def has(object: Described, name: str) -> bool:
    """Whether a file of the object has a field of this name, which is text, a number or modules."""
    if vars(object).get("_spec") is None or (name.startswith("_") and name not in PRIVATE_NAMES):
        return False
    return name not in PARAMETERS and name in names_of(object)


def names_of(object: Described) -> frozenset[str]:
    """The names of these fields."""
    spec = object._spec
    if spec not in _names:
        fields = schema_of(type(spec)).write(_Shown(object).node(object))
        if len(_names) == MOST:
            _names.clear()
        _names[spec] = frozenset(name for name, value in fields.items() if _is_shown(value))
    return _names[spec]


def _is_shown(value: Any) -> bool:
    return isinstance(value, (str, bool, int, float, *SCRATCH)) or bool(_records_among(value))


def _records_among(value: Any) -> list[Any]:
    return among(value, (T7Object, Node))


def fields(object: Described) -> Fields:
    """All fields that a file of the object has, and the results of its last call, without tables of steps."""
    written = {} if object._spec is None else schema_of(type(object._spec)).write(_Shown(object).node(object))
    found = {name: field(object, name) if _is_shown(value) else value for name, value in written.items()}
    found |= {name: getattr(object, name) for name in LEFT if hasattr(object, name)}
    found |= {name: value for name, value in vars(object).items() if not name.startswith("_")}
    found |= {"_type": object._type} | numbered(object)
    return {name: value for name, value in found.items() if value is not None}


def field(object: Described, name: str) -> Value:
    """The value of such a field."""
    value = kept(object, name, lambda: _composed(object, name))
    if not isinstance(value, SCRATCH):
        return value
    made = _scratch(object, value)
    if name not in object._spec.traits.exposes:  # which calls give
        vars(object)[name] = made
    return made


def _scratch(object: Described, value: Any) -> Tensor | Storage:
    if isinstance(value, T7Storage):
        return Storage(value.array)
    return object._made(value) if is_floating(value.dtype) else Tensor.of(value)


def kept(object: Described, name: str, make: Callable[[], Value]) -> Value:
    """A field's value. Modules in it are kept until the object's description or its modules change."""
    state = object._spec, [*map(id, object.children())]  # type: ignore[attr-defined]
    before = object.__dict__.get("_composed", {}).get(name)
    if before is not None and before[0] == state:
        return before[1]
    value = make()
    if described_among(value):
        object.__dict__.setdefault("_composed", {})[name] = (state, value)
    return value


def _composed(object: Described, name: str) -> Any:
    shown = _Shown(object)
    node = shown.node(object)
    value = schema_of(type(object._spec)).write(node)[name]
    own = {node: each for each, node in shown.nodes.items()}
    if all(record in own for record in _records_among(value)):
        return _replaced(value, own.__getitem__)
    return _around(shown, node, name)


def _around(shown: _Shown, node: Node, name: str) -> Any:
    """New objects for what Torch composes around the given ones, over the same tensors."""
    arrays, reader, objects = Arrays(), Reader(allow_unknown=True), Objects()
    writer = Writer(arrays)
    record = writer.object(node).fields[name]
    objects.take_tensors(arrays)
    of_record = {writer.objects[node]: own for own, node in shown.nodes.items() if node in writer.objects}

    def made(value: T7Object) -> Any:
        if value in of_record:
            return of_record[value]
        node = reader.node(value, name)
        for each, own in of_record.items():
            if each in reader.nodes:
                objects.objects[reader.nodes[each]] = own
        return objects.object(node)

    return _replaced(record, made)


def _replaced(value: Any, by: Callable[[Any], Any]) -> Any:
    """A field's value with its nodes or records replaced."""
    return map_leaves(lambda each: by(each) if isinstance(each, (T7Object, Node)) else each, value)
