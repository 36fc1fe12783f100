"""A stateful network as a pure function and its arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import core
from ..interop.torch7 import node
from .storage import dtype_of, precision

if TYPE_CHECKING:
    from .module import Module


def functional(root: Module) -> tuple[core.Module, core.Variables]:
    """(module, variables) of a network; parameters that are views of the same elements become ties of `Shared`.

    Raises TypeError for modules whose updateOutput a user wrote: these have no description.
    """
    from .nodes import Nodes

    with precision(dtype_of(root._type)):
        return node.functional(Nodes().node(root), _place)


def _place(tensor: Any) -> tuple:
    return (id(tensor.storage_), tensor.offset, tensor.shape, tensor.strides_)
