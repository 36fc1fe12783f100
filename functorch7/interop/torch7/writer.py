"""Converts nodes to objects of a file, with the fields that Torch saves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import jax
import numpy as np

from ... import core
from ...core.tree import by_position, split
from ...core.types import Tree, Value
from ...layers import DataParallelTable, FakeQuantized, MultiHeadAttention, Observed, Quantized
from ...losses import Criterion
from ...network import Shared
from ..by_identity import ByIdentity
from ..t7 import T7Object
from ..t7.values import NAMES, Fields
from .build import Later
from .node import Node
from .reader import PARTS, Unknown
from .schema import OfOne, Schema
from .table import schema_of

NOT_OF_TORCH = (core.Lambda, FakeQuantized, MultiHeadAttention, Observed, Quantized)
"""Conversions of what Torch7's files cannot hold: Python's functions, modules by their names, weights of 8 bits."""

LEFT = ("output", "gradInput")
"""What calls leave in an object's fields."""


class Writer:
    """Makes objects from nodes; one node becomes one object, wherever it occurs. `array` makes arrays from a node's."""

    def __init__(self, array: Callable[[Value], np.ndarray] = np.asarray):
        self.array = array
        self.objects: ByIdentity[Node, T7Object] = ByIdentity()
        self.arrays: ByIdentity[Value, np.ndarray] = ByIdentity()

    def object(self, node: Node) -> T7Object:
        """The object of a node. Raises TypeError for modules that Torch does not have."""
        if node not in self.objects:
            if isinstance(node.spec, Unknown):
                self.objects[node] = node.spec.object
            elif isinstance(node.spec, DataParallelTable):
                self.objects[node] = self.object(node.children[0])
            else:
                self._write(node)
        return self.objects[node]

    def _write(self, node: Node) -> None:
        _check_has_torch(node.spec)
        schema = schema_of(type(node.spec))
        made = self.objects[node] = T7Object(schema.name_of(node.spec), schema.version, {})
        node = self._with_arrays(node)
        dtype = _dtype_of(node)
        fields = _fields_of(node, schema, dtype)
        left = self._left(node, schema, dtype) | {name: fields.pop(name) for name in LEFT if name in fields}
        written = left | {name: self._resolved(value, dtype) for name, value in fields.items()}
        for name in node.settings.get("dpnn_serialEmpty", ()):
            written[name] = _emptied(written.get(name))
        made.fields = {name: value for name, value in written.items() if value is not None}

    def _left(self, node: Node, schema: Schema, dtype: np.dtype) -> Fields:
        """What the last call has left, or what there is before any."""
        output, grad_input = _empty(schema.output, dtype), _empty(schema.grad_input_of(node.spec), dtype)
        if isinstance(node.spec, Criterion):
            output = 0 if node.output is None else node.output
            if node.grad_input is not None:
                grad_input = jax.tree.map(self._as_array, node.grad_input)
        return dict(zip(LEFT, (output, grad_input), strict=True))

    def _with_arrays(self, node: Node) -> Node:
        def arrays(found: dict[str, Any]) -> dict[str, np.ndarray]:
            return {name: self._as_array(value) for name, value in found.items()}

        kept = {name: node.buffers[name] for name in schema_of(type(node.spec)).buffers if name in node.buffers}
        given, gradients = arrays(node.parameters), arrays(node.gradients)
        state = jax.tree.map(self._as_array, node.state)
        return replace(node, parameters=given, gradients=gradients, buffers=arrays(kept), state=state)

    def _as_array(self, value: Any) -> np.ndarray:
        """The array of a tensor, the same one each time."""
        if value not in self.arrays:
            made = self.array(value)
            self.arrays[value] = made.astype(np.float32) if made.dtype.name == "bfloat16" else made
        return self.arrays[value]

    def _resolved(self, value: Value, dtype: np.dtype) -> Value:
        """A field's value with objects for nodes, and in the network's type where it was made as doubles."""
        if isinstance(value, Node):
            return self.object(value)
        if isinstance(value, Later):
            return value.made(self.object)
        if isinstance(value, list):
            return [self._resolved(each, dtype) for each in value]
        if isinstance(value, dict):
            return {key: self._resolved(each, dtype) for key, each in value.items()}
        if isinstance(value, np.ndarray) and value.dtype == np.float64 and dtype != np.float64:
            return value.astype(dtype)
        if not isinstance(value, T7Object) or not isinstance(value.fields, dict):
            return value
        if id(value) not in self.objects and "_type" not in value.fields:
            common = {"_type": f"torch.{NAMES[dtype]}Tensor", "train": True}
            value.fields = {key: self._resolved(each, dtype) for key, each in (common | value.fields).items()}
        return value


def _check_has_torch(spec: core.Module) -> None:
    """Raises TypeError for modules that Torch does not have."""
    if not type(spec).__module__.startswith("functorch7."):
        raise TypeError(
            f"{spec.torch_name()}: only Torch's own classes can be written to a .t7 file, and users' with "
            "updateOutput; write its state_dict, or pickle it"
        )
    if isinstance(spec, NOT_OF_TORCH):
        raise TypeError(f"{spec}: Torch7 has no such layer; write the network as it was before, or its state_dict")


def _fields_of(node: Node, schema: Schema, dtype: np.dtype) -> dict[str, Any]:
    """The fields of a node, with nodes for the objects inside."""
    is_criterion = isinstance(node.spec, Criterion)
    fields: dict[str, Any] = {"_type": f"torch.{NAMES[dtype]}Tensor"} | ({} if is_criterion else {"train": True})
    fields |= {name: value for name, value in node.settings.items() if name != "_type"}
    if node.spec.own_name is not None:
        fields[schema.name_field] = node.spec.own_name
    fields |= schema.write(node)
    if by_position(node.spec) and not is_criterion:
        fields.setdefault("modules", list(node.children))
    parts = {PARTS.get(name, name): part for name, part in node.parts.items()}
    return fields | {name: part for name, part in parts.items() if name not in fields}


def _dtype_of(node: Node) -> np.dtype:
    constants = [value.value for value in vars(node.spec).values() if isinstance(value, core.Const)]
    own = [*node.parameters.values(), *node.buffers.values()]
    for each in (*own, *(constants if isinstance(node.spec, Criterion) else ())):
        if each.dtype in NAMES and each.dtype.kind == "f":
            return each.dtype
    name = str(node.settings.get("_type", "")).removeprefix("torch.").removesuffix("Tensor").removeprefix("Cuda")
    single = np.dtype("<f4")
    return {"Float": single, "BFloat16": single, "Half": np.dtype("<f2"), "": single}.get(name, np.dtype("<f8"))


def _empty(kind: type, dtype: np.dtype) -> Any:
    """An output or gradInput before any call: a separate object, since Torch writes into it."""
    if issubclass(kind, tuple):
        return [np.zeros(int(kind is OfOne), dtype) for _ in range(2)]
    return [] if kind is list else np.zeros(0, dtype)


def _emptied(value: Value) -> Value:
    if isinstance(value, np.ndarray):
        return np.zeros(0, value.dtype)
    return [] if isinstance(value, (list, dict)) else value


def node_of(module: core.Module, variables: core.Variables) -> Node:
    """The node of a description with its arrays; tied parameters are one array, as are their gradients."""
    gradients: dict[int, np.ndarray] = {}

    def gradient(value: Any) -> np.ndarray:
        return gradients.setdefault(id(value), np.zeros(value.shape, value.dtype))

    def made(module: core.Module, params: Tree, buffers: Tree) -> Node:
        if isinstance(module, Shared):
            return made(module.module, *module.filled(params, buffers))
        own, below = split(module, params)
        own_buffers, buffers_below = split(module, buffers)
        inner = zip(module.child_modules(), below, buffers_below, strict=True)
        node = Node(module, own, children=[made(*each) for each in inner])
        node.parts = parts_of(module, node.children)
        node.gradients = {name: gradient(value) for name, value in own.items()}
        node.buffers = {name: own_buffers[name] for name in schema_of(type(module)).buffers}
        return node

    return made(module, *variables)


def parts_of(module: core.Module, children: Sequence[Node] = ()) -> Fields:
    """The nodes of modules and criterions in a description's own fields.

    These are the nodes of the children, in order, if they are children; others have no arrays here.
    """
    rest = list(children)

    def made(value: Any) -> Any:
        if isinstance(value, tuple):
            return [made(each) for each in value]
        if value is None:
            return None
        return rest.pop(0) if rest else Node(value, parts=parts_of(value))

    return {name: made(getattr(module, name)) for name in schema_of(type(module)).parts}
