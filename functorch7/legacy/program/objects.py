"""What values are to Torch: their types' names and base classes; and settings of the whole program."""

from __future__ import annotations

import builtins
import os
import re
from typing import Any
from weakref import WeakValueDictionary

from ...interop.torch7.names import KIN
from ...layers import Node
from ..engine.user_classes import is_ours
from ..objects.ancestry import names_above
from ..objects.described import Described
from ..objects.torch_object import TorchObject
from ..tensors.lua_values import kind
from ..tensors.named import Named
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor
from ..torch import typename


def type(obj: object) -> str:
    """Torch's name of a value's class, or Lua's of its type: "nn.Linear", "torch.FloatTensor", "number", "table"."""
    return typename(obj) or kind(obj)


def isTypeOf(obj: object, typeSpec: str | builtins.type) -> bool:
    """Whether a value is an object of a class or its subclasses, given as class, name, or pattern found in a name.
    cudnn's names stand for nn's.

    >>> from functorch7.legacy import nn
    >>> isTypeOf(nn.Sequential(), nn.Container), isTypeOf(nn.Linear(2, 3), "nn.Module")
    (True, True)
    """
    if typeSpec is Node:  # those that a gModule shows are of the same class in Torch
        typeSpec = "nngraph.Node"
    if not isinstance(typeSpec, str):
        if isinstance(obj, Described) and issubclass(typeSpec, Described) and is_ours(typeSpec):
            return typeSpec._class_name() in type_names(obj)
        return isinstance(obj, typeSpec)  # users' classes may share a name
    names = type_names(obj)
    if re.fullmatch(r"[\w.]+", typeSpec):
        return typeSpec in names or KIN.get(typeSpec) in names
    return any(re.search(typeSpec, name) for name in names)


def type_names(obj: object) -> list[str]:
    """Torch's names for a value's class and its base classes."""
    kind = obj.__class__
    above = names_above(kind) if issubclass(kind, Described) else map(_name_of_class, kind.__mro__[1:])
    return [name for name in (typename(obj), *above) if name]


def _name_of_class(kind: Any) -> str | None:
    if issubclass(kind, Named) and kind is not Named:
        return kind.typename()
    if not issubclass(kind, TorchObject) or kind is TorchObject:
        return None
    return vars(kind).get("given_name", f"nn.{kind.__name__}")


def isStorage(value: object) -> bool:
    """Whether a value is a storage."""
    return isinstance(value, Storage)


def totable(object: Tensor | Storage) -> list:
    """The elements of a tensor or storage as lists. Raises TypeError for other values."""
    if not isinstance(object, (Tensor, Storage)):
        raise TypeError(f"torch.totable: expected a Storage or a Tensor, got a {type(object)}")
    return object.totable()


_pointed: WeakValueDictionary[int, Storage] = WeakValueDictionary()


def pointer(object: object) -> int:
    """A value's own number; tensors share their elements if their storages have the same number."""
    if isinstance(object, Storage):
        _pointed[id(object)] = object
    return id(object)


def pointed(number: int) -> Storage | None:
    """The storage with this number from `pointer`, if the storage still exists."""
    return _pointed.get(number)


def setnumthreads(n: int) -> None:
    """Does nothing: XLA starts its threads when the program begins (XLA_FLAGS and taskset set how many)."""


def getnumthreads() -> int:
    """The number of processors that this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
