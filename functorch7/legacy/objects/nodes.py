"""Converts stateful objects to nodes (descriptions with arrays), which files and functional networks use, and back."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import numpy as np

from ...core.contexts import during
from ...core.types import Value
from ...interop.by_identity import ByIdentity
from ...interop.t7.values import viewed
from ...interop.torch7.node import Node
from ...interop.torch7.reader import PARTS, Unknown
from ...interop.torch7.record import FROZEN, WITHOUT_GRADIENT
from ...interop.torch7.schema import grad_name
from ...interop.torch7.table import schema_of
from ...interop.torch7.writer import parts_of
from ...layers.initializers import SOURCE, Zeros
from ..engine.slots import Slot
from ..tensors.parameter import Parameter
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor
from ..tensors.type_names import type_name_of
from .described import Described, class_named
from .generated import class_of
from .tree import ModuleList, Tree

METHODS = ("updateOutput", "updateGradInput", "accGradParameters")
"""The methods with which users define what a module computes."""


class Objects:
    """Makes objects of nodes, and tensors of arrays; each is made once, wherever it occurs."""

    def __init__(self) -> None:
        self.users: ByIdentity[Value, Any] = ByIdentity()  # the objects of users' classes, by their records
        self.objects: ByIdentity[Node, Any] = ByIdentity()
        self.owners: list[tuple[Any, dict[str, Any]]] = []  # objects, and what files have for their own fields
        self.tensors: ByIdentity[np.ndarray, Tensor] = ByIdentity()
        self.storages: ByIdentity[np.ndarray, Storage] = ByIdentity()
        self.fixed: ByIdentity[Tensor, Parameter] = ByIdentity()  # tensors that get no gradient, as such parameters

    def tensor(self, array: np.ndarray) -> Tensor:
        """The tensor of an array; arrays that view one array share a storage."""
        return self.tensors.once(array, self._viewing)

    def take_tensors(self, arrays: Arrays) -> None:
        """Makes arrays that came from tensors become these tensors again."""
        for tensor, array in arrays.arrays.items():
            self.tensors[array] = tensor

    def storage(self, owner: np.ndarray) -> Storage:
        """The storage of an array that owns its elements."""
        return self.storages.once(owner, Storage)

    def _viewing(self, array: np.ndarray) -> Tensor:
        owner, offset, strides = viewed(array)
        if owner not in self.storages and array.size == owner.size and array.flags.c_contiguous:
            self.storages[owner] = Storage(array)  # in the tensor's shape, which calls need not give it then
        return Tensor.viewing(self.storage(owner), offset, array.shape, strides)

    def object(self, node: Node) -> Value:
        """The object of a node."""
        if isinstance(node.spec, Unknown) and node.spec.object in self.users:
            return self.users[node.spec.object]
        return self.objects.once(node, self._made)

    def _made(self, node: Node) -> Any:
        kind = class_named(node.user_class, derived=True) if node.user_class else class_of(type(node.spec))
        made: Any = object.__new__(kind)
        made.__dict__["_type"] = _type_of(node)
        inner = [(child.spec, self.object(child)) for child in node.children]
        parts = {name: self._part(part) for name, part in node.parts.items()}
        given = [(part.spec, self.object(part)) for part in node.parts.values() if isinstance(part, Node)]
        with during(SOURCE, Zeros()):
            made._take(node.spec, [*inner, *given])
        if isinstance(made, Tree) and "modules" in made.__dict__:
            made.__dict__["modules"] = ModuleList(made.typename(), [module for _, module in inner])
        for name, part in parts.items():
            if made.is_criterion or name != "module":  # WeightNorm's is described, without an object
                made.__dict__[PARTS.get(name, name)] = part
        if "criterions" in parts:
            made.__dict__["weights"] = list(node.spec.weights)  # type: ignore[attr-defined]
        self._fill(made.__dict__, node)
        if made.is_criterion:
            made.take_left(node.output, jax.tree.map(self.tensor, node.grad_input))
        _take_settings(made.__dict__, node)
        if node.own:
            self.owners.append((made, node.own))
        return made

    def _fill(self, fields: dict[str, Any], node: Node) -> None:
        """Puts a node's arrays into an object's fields."""
        for name, array in node.parameters.items():
            fields[name] = self.tensor(array)
            if name in node.gradients:  # a few gradients have other sizes than their parameters
                sizes, gradient = fields[grad_name(name)].shape, node.gradients[name]
                # One of another size is a tensor that a program has put in its place.
                is_as_it_is = gradient.shape == sizes or gradient.size != math.prod(sizes)
                fields[grad_name(name)] = self.tensor(gradient if is_as_it_is else gradient.reshape(sizes))
        fields.update((grad_name(name), None) for name in node.settings.get(FROZEN, ()))
        for name in node.settings.get(WITHOUT_GRADIENT, ()):
            if isinstance(fields.get(name), Tensor):
                fields[name] = self.fixed.once(fields[name], partial(_fixed, fields.get(grad_name(name))))
        for name, array in node.buffers.items():
            fields[name] = self.tensor(array)
        if node.state:
            fields["_state"] |= node.state

    def _part(self, part: Any) -> Any:
        if isinstance(part, list):
            return [self.object(each) for each in part]
        return None if part is None else self.object(part)


def _take_settings(fields: dict[str, Any], node: Node) -> None:
    """Puts a node's settings into an object's fields, and what a program has noted about it."""
    if isinstance(node.settings.get("train"), bool):
        fields["train"] = node.settings["train"]
    if node.settings.get("dpnn_serialEmpty"):
        fields["dpnn_serialEmpty"] = tuple(node.settings["dpnn_serialEmpty"])
    if node.annotations:
        fields["_annotations"] = node.annotations


def _type_of(node: Node) -> str:
    for array in (*node.parameters.values(), *node.buffers.values()):
        if array.dtype.kind == "f":
            return type_name_of(array.dtype)
    return host_type(str(node.settings.get("_type", "torch.FloatTensor")))


def host_type(name: str) -> str:
    """The type of the CPU for one of a graphics card: FloatTensor for CudaTensor."""
    name = name.replace("torch.Cuda", "torch.")
    return {"torch.Tensor": "torch.FloatTensor"}.get(name, name)


class Nodes:
    """Makes nodes of objects, with their tensors; each object is one node.

    `record` makes the record of an object that is not described, for files; None of others.
    """

    def __init__(self, record: Callable[[Value], Value] | None = None) -> None:
        self.record = record
        self.nodes: ByIdentity[object, Node] = ByIdentity()
        self.made: list[tuple[Any, Node]] = []  # what was described, an nn.Serial as it is saved, and its node

    def node(self, object: object) -> Node:
        """The node of an object. Raises TypeError for modules with a user's updateOutput."""
        return self.nodes.once(object, self._made)

    def _made(self, object: Any) -> Node:
        tensortype = getattr(object._spec, "tensortype", None)
        if tensortype is not None:  # an nn.Serial is saved in a type of its own
            object = copy.deepcopy(object)
            object._cast(host_type(tensortype), {})
        if self.record is not None:  # in files methods are those of the class that they name, or fields
            if (record := self.record(object)) is not None:
                return Node(Unknown(record))
            return self._described(object, object.own_description() if object.is_criterion else object.description())
        if object.is_criterion and object.description() is not None and object._is_users():
            return Node(object.description(), settings={"_type": object._type})
        if object.is_foreign() and not object.is_criterion:
            own = [name for name in METHODS if object.overrides(name)] or METHODS[:1]
            raise TypeError(f"{object.title()}: a module with its own {' and '.join(own)} has no functional form")
        return self._described(object, object.description())

    def _described(self, object: Any, description: Any) -> Node:
        spec, names = object.own_description(), object.own_parameters()
        given = ((name, object.__dict__.get(grad_name(name))) for name in names)
        gradients = {name: gradient for name, gradient in given if gradient is not None}
        node = Node(
            description,
            {name: object.__dict__[name] for name in names},
            gradients,
            {name: _buffer(Slot(object, name)) for name in spec.init_buffers()},
            [self.node(module) for module in object.children()],
            self._parts(object),
            _settings(object, names, gradients),
            *(object.left() if object.is_criterion and self.record is not None else ()),
            state={} if object.is_criterion else _state(object),
            annotations=object.__dict__.get("_annotations") or {},
        )
        self.made.append((object, node))
        return node

    def _parts(self, object: Described) -> dict[str, Any]:
        parts = parts_of(object._spec)  # those that are described without an object
        for name in (*schema_of(type(object._spec)).parts, "module"):
            value = object.__dict__.get(PARTS.get(name, name))
            if isinstance(value, list):
                parts[name] = [self.node(each) for each in value]
            elif isinstance(value, Described):
                parts[name] = self.node(value)
        return parts


def _settings(object: Any, names: list[str], gradients: dict[str, Tensor]) -> dict[str, Any]:
    """The fields that are not the description's: type, mode, and which parameters have no gradient."""
    settings = {"_type": object._type} | ({} if object.is_criterion else {"train": object.train})
    if object.dpnn_serialEmpty:
        settings["dpnn_serialEmpty"] = list(object.dpnn_serialEmpty)
    if frozen := [name for name in names if name not in gradients and grad_name(name) in object.__dict__]:
        settings[FROZEN] = frozen
    if fixed := [name for name in names if not getattr(object.__dict__[name], "requires_grad", True)]:
        settings[WITHOUT_GRADIENT] = fixed
    return settings


def _state(object: Any) -> dict[str, Value]:
    """The recurrent state that it goes on from, without what is drawn anew for each sequence."""
    traits = object._spec.traits
    found = {name: object._state.get(name) for name in traits.transient if name not in traits.drawn}
    return {} if any(value is None for value in found.values()) else found


def _buffer(slot: Slot) -> Value:
    """The tensor that holds it, by which it is known whether others share it, or its value."""
    return slot.read() if slot.tensor is None else slot.tensor


class Arrays:
    """Makes arrays of tensors: tensors on one storage are views of one array."""

    def __init__(self) -> None:
        self.flat: ByIdentity[Storage, np.ndarray] = ByIdentity()
        self.arrays: ByIdentity[Tensor, np.ndarray] = ByIdentity()

    def storage(self, storage: Storage) -> np.ndarray:
        """The elements of a storage, as one flat array."""
        return self.flat.once(storage, lambda _: _owned(np.asarray(storage.array)))

    def __call__(self, tensor: Tensor) -> np.ndarray:
        """The array of a tensor."""
        return self.arrays.once(tensor, self._made) if isinstance(tensor, Tensor) else np.asarray(tensor)

    def _made(self, tensor: Tensor) -> np.ndarray:
        flat = self.storage(tensor.storage_)
        steps = tuple(stride * flat.itemsize for stride in tensor.strides_)
        return np.ndarray(tensor.shape, flat.dtype, flat, tensor.offset * flat.itemsize, steps)


def _fixed(gradient: Tensor | None, tensor: Tensor) -> Parameter:
    """Makes a parameter without gradient of a tensor."""
    made = Parameter(tensor, requires_grad=False)
    if gradient is not None:
        made.add_up_in(gradient)
    return made


def _owned(array: np.ndarray) -> np.ndarray:
    """The elements as a flat array that is not a view of another array; those of a buffer are not copied."""
    contiguous = np.ascontiguousarray(array)
    flat = contiguous.reshape(-1)
    return np.frombuffer(flat.view(np.uint8).data, flat.dtype) if flat.size else flat  # bfloat16 itself has no buffer
