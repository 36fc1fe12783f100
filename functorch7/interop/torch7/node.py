"""A network between a file and what runs: descriptions, each with its own arrays, in a tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ... import core
from ...core.tree import Path, child_names, join
from ...core.types import Value
from ...network import Shared
from ..t7.sources import let_go
from ..t7.values import Fields


@dataclass(eq=False)
class Node:
    """A module with its own arrays, and the nodes of the modules inside.

    `parameters`, `gradients` and `buffers` are by the description's names; arrays that share memory share a storage.
    `parts` are modules and criterions in other fields than `children()` (a criterion's own criterions). A node that
    occurs twice in a tree is one object.
    """

    spec: core.Module
    parameters: dict[str, np.ndarray] = field(default_factory=dict)
    gradients: dict[str, np.ndarray] = field(default_factory=dict)
    buffers: dict[str, np.ndarray] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)
    parts: Fields = field(default_factory=dict)
    settings: Fields = field(default_factory=dict)
    """What the object is besides: `train`, the type of its tensors, what its Serial form empties."""
    output: Value = None
    """What a file has recorded as the module's last output."""
    grad_input: Value = None
    """The same of its last gradient."""
    own: Fields = field(default_factory=dict)
    """What a program may have put into the object beside what its class defines, as the file has it."""
    user_class: str | None = None
    """The name of the object's class, where a user has derived it from the description's."""
    annotations: dict[Any, Fields] = field(default_factory=dict)
    """What a program has noted of a graph's nodes, by what they give (`layers.graph.Source`)."""


def shared_clone(node: Node) -> Node:
    """Another node of the same arrays, as Torch's modules need where one runs at several time steps."""
    children = [shared_clone(child) for child in node.children]
    return replace(node, children=children)


def place_of(array: np.ndarray) -> tuple:
    """Where an array's elements lie in memory, as something that can be compared."""
    return (array.__array_interface__["data"][0], array.shape, array.strides, array.dtype)


def functional(node: Node, place: Callable[[Value], Value] = place_of) -> tuple[core.Module, core.Variables]:
    """(module, variables) of a node; parameters at one place become ties of `Shared`."""
    owners: dict[Any, Path] = {}
    ties: list[tuple[Path, Path]] = []

    def parameter(array: Any, path: Path) -> Any:
        where = place(array)
        if where in owners:
            ties.append((owners[where], path))
            return None
        owners[where] = path
        if not isinstance(array, np.ndarray):
            return jnp.array(array)
        made = jax.device_put(array).block_until_ready()
        let_go(array)  # one large array after the other, so that a file's memory and JAX's do not add up
        return made

    def variables(node: Node, path: Path) -> tuple[Any, Any]:
        inner = zip(node.children, child_names(node.spec), strict=True)
        below = [variables(child, (*path, name)) for child, name in inner]
        buffers = node.spec.init_buffers() | jax.tree.map(jnp.array, node.buffers)
        params = {name: parameter(array, (*path, name)) for name, array in node.parameters.items()}
        return join(node.spec, params, [p for p, _ in below]), join(node.spec, buffers, [b for _, b in below])

    params, buffers = variables(node, ())
    if ties:
        return Shared(node.spec, tuple(ties)), core.Variables([params], [buffers])
    return node.spec, core.Variables(params, buffers)
