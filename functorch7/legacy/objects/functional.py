"""Converts a stateful network to a pure function and its arrays, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import core
from ...core.contexts import during
from ...core.hooks import attached
from ...core.tree import Path, split
from ...core.types import Tree
from ...interop.torch7 import node
from ...interop.torch7.schema import grad_name
from ...layers.initializers import SOURCE, Zeros
from ...network import Shared, leaves_by_name, misfits, structure_of
from ..engine.slots import Slot
from ..engine.views import place_of
from ..tensors.casting import is_floating
from ..tensors.tensor import Tensor
from ..tensors.type_names import precision_of, type_name_of
from .described import Described
from .generated import object_of
from .nodes import Nodes


def functional(root: Described) -> tuple[core.Module, core.Variables]:
    """(module, variables) of a network; tensors that are views of the same elements become ties of `Shared`.

    Hooks that have replaced a value become hooks of the description; those that only look do not.
    Raises TypeError for modules with a user's updateOutput, which have no description.
    """
    module, variables = without_hooks(root)
    traced = root._planned().traced_hooks(below=(0,) if isinstance(module, Shared) else ())
    return (attached(module, (*traced, *module._hooks)) if traced else module), variables


def without_hooks(root: Described) -> tuple[core.Module, core.Variables]:
    """The same, of the modules alone."""
    with precision_of(root._type):
        return node.functional(Nodes().node(root), place_of)


def wrap(module: core.Module, params: Tree, buffers: Tree) -> Described:
    """The stateful network of a description over these arrays, which are not copied; the opposite of `functional`.

    Ties of `Shared` become shared tensors, with shared gradients. The network's type is that of the parameters.
    Raises: ValueError that lists all parameters that are missing, unexpected or of another shape.
    """
    wrong = misfits(leaves_by_name(structure_of(module).params), leaves_by_name(params))
    if wrong:
        raise ValueError(f"wrap: the arrays do not fit {module.torch_name()}: " + "; ".join(wrong))
    types = [leaf.dtype for leaf in leaves_by_name([params, buffers]).values() if hasattr(leaf, "dtype")]
    floating = list(filter(is_floating, types))
    shared = module if isinstance(module, Shared) else None
    if shared is not None:
        module, (params,), (buffers, *_) = shared.module, params, buffers
    with during(SOURCE, Zeros()):
        made = object_of(module)
    if floating:
        made.type(type_name_of(floating[0]))
    _fill(made, params, buffers)
    if shared is not None:
        _tie(made, shared)
    return made


def _fill(module: Any, params: Any, buffers: Any) -> None:
    """Gives these arrays to a module and to all inside it."""
    spec: Any = module.own_description()
    for name in module.own_parameters():
        if params[name] is not None:  # None: tied to another, which _tie sees to
            array = params[name] if hasattr(params[name], "dtype") else np.asarray(params[name])
            module._put_parameter(name, Tensor.of(array))
    (_, below), (own, buffers_below) = split(spec, params), split(spec, buffers)
    for name in spec.init_buffers():
        Slot(module, name).write(own[name])
    for each in zip(module.children(), below, buffers_below, strict=True):
        _fill(*each)
    if isinstance(spec, Shared):
        _tie(module.children()[0], spec)


def _tie(module: Any, shared: Shared) -> None:
    """Makes each alias the tensor of its owner, gradients too."""

    def place(path: Path) -> tuple[Any, str]:
        found = module
        for name in path[:-1]:
            found = found.children()[found.child_names().index(name)]
        return found, str(path[-1])

    for owner, alias in (*shared.ties, *shared.tied_buffers):
        (theirs, owned), (mine, aliased) = place(owner), place(alias)
        for own, other in ((aliased, owned), (grad_name(aliased), grad_name(owned))):
            if other in theirs.__dict__:
                mine.__dict__[own].set(theirs.__dict__[other])
        mine.shared = theirs.shared = True
