"""Networks in a form between files and what runs: a tree of descriptions, each with its own arrays."""

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

    `parameters`, `gradients` and `buffers` have the description's names as keys; arrays that share memory share a
    storage. `parts` are modules and criterions in other fields than `children()` (a criterion's own criterions). A
    node that occurs twice in a tree is one object.
    """

    spec: core.Module
    parameters: dict[str, np.ndarray] = field(default_factory=dict)
    gradients: dict[str, np.ndarray] = field(default_factory=dict)
    buffers: dict[str, np.ndarray] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)
    parts: Fields = field(default_factory=dict)
    settings: Fields = field(default_factory=dict)
    """Other properties of the object: `train`, the type of its tensors, what its Serial form empties."""
    output: Value = None
    """The module's last output, as recorded in a file."""
    grad_input: Value = None
    """The module's last gradient, likewise."""
    own: Fields = field(default_factory=dict)
    """Fields that a program may have added to those of the object's class, as the file has them."""
    user_class: str | None = None
    """The name of the object's class, if a user has derived it from the description's."""
    state: Fields = field(default_factory=dict)
    """Recurrent state, in files only: functions start from none."""
    annotations: dict[Any, Fields] = field(default_factory=dict)
    """What a program has noted about a graph's nodes, by their values (`layers.graph.Source`)."""


def shared_clone(node: Node) -> Node:
    """Another node with the same arrays, as Torch's modules need it when one runs at several time steps."""
    children = [shared_clone(child) for child in node.children]
    return replace(node, children=children)


def place_of(array: np.ndarray) -> tuple:
    """The place of an array's elements in memory, as a value that can be compared."""
    return (array.__array_interface__["data"][0], array.shape, array.strides, array.dtype)


def functional(node: Node, place: Callable[[Value], Value] = place_of) -> tuple[core.Module, core.Variables]:
    """(module, variables) of a node; parameters and buffers at one place become ties of `Shared`."""
    owners: dict[Any, Path] = {}
    ties: list[tuple[Path, Path]] = []
    tied_buffers: list[tuple[Path, Path]] = []

    def is_first(array: Any, path: Path, ties: list[tuple[Path, Path]]) -> bool:
        owner = owners.setdefault(place(array), path)
        if owner is not path:
            ties.append((owner, path))
        return owner is path

    def parameter(array: Any, path: Path) -> Any:
        if not is_first(array, path, ties):
            return None
        if not isinstance(array, np.ndarray):
            return jnp.array(array)
        made = jax.device_put(array).block_until_ready()
        let_go(array)  # one large array after the other, so that the memory of the file and of JAX does not add up
        return made

    def variables(node: Node, path: Path) -> tuple[Any, Any]:
        inner = zip(node.children, child_names(node.spec), strict=True)
        below = [variables(child, (*path, name)) for child, name in inner]
        buffers = node.spec.init_buffers() | jax.tree.map(jnp.array, node.buffers)
        for name, array in node.buffers.items():
            if np.shape(array) and name not in node.spec.traits.transient:
                is_first(array, (*path, name), tied_buffers)
        params = {name: parameter(array, (*path, name)) for name, array in node.parameters.items()}
        return join(node.spec, params, [p for p, _ in below]), join(node.spec, buffers, [b for _, b in below])

    params, buffers = variables(node, ())
    if ties or tied_buffers:
        return Shared(node.spec, tuple(ties), tuple(tied_buffers)), core.Variables([params], [buffers])
    return node.spec, core.Variables(params, buffers)
