"""Meshes with `Explicit` axes, which `jax.make_mesh` makes unless it is told otherwise.

On such a mesh the type of an array includes its layout, and every operation has to state the layout of its result
wherever there is more than one possibility. Layers do not state any. Instead, XLA lays out everything inside a call, as
on `Auto` axes, and the results of the call are laid out like its inputs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from itertools import chain
from typing import TypeAlias

import jax
import numpy as np
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding, PartitionSpec, get_abstract_mesh, reshard

from ..checks.errors import is_concrete
from .probe import silent
from .types import Array, Key, Output, Tree, Value

Axes: TypeAlias = Hashable
"""The axes of a mesh over which a dimension is split, as a PartitionSpec has them: a name, or several; None: none."""


def mesh_of(input: Value) -> Mesh | AbstractMesh | None:
    """The mesh with explicit axes for a call with this input: the context's, or the input's; None if there is none.

    Inside `jax.shard_map` there is none, because there JAX lays out nothing.
    """
    mesh = get_abstract_mesh()
    if mesh.empty:
        lying = (each for each in map(_sharding, jax.tree.leaves(input)) if isinstance(each, NamedSharding))
        mesh = next((each.mesh for each in lying), mesh)
    axes = mesh.abstract_mesh
    return mesh if axes.explicit_axes and not axes.manual_axes else None


def _sharding(leaf: Value) -> object:
    return getattr(leaf if is_concrete(leaf) else jax.typeof(leaf), "sharding", None)


def laid_out(
    mesh: Mesh | AbstractMesh, run: Callable, params: Tree, buffers: Tree, input: Value, key: Key
) -> tuple[Output, Tree]:
    """(output, new buffers) of run(params, buffers, input, key=key), which XLA lays out.

    If a dimension of a result grows with a split dimension of the input, it is split the same way. Buffers keep their
    layout, so that a loop can carry them. Where sizes cannot grow, new arrays are not split.
    """
    leaves, structure = jax.tree.flatten((params, buffers, input, key))
    places = [at for at, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]
    arrays = [leaves[at] for at in places]

    def called(arrays: list) -> tuple[Output, Tree]:
        whole = dict(enumerate(leaves)) | dict(zip(places, arrays, strict=True))
        *variables, input, key = structure.unflatten(whole.values())
        return run(*variables, input, key=key)

    split = dict.fromkeys(chain.from_iterable(map(_spec, jax.tree.leaves(input))))
    automatic = dict.fromkeys(mesh.abstract_mesh.explicit_axes, AxisType.Auto)
    with jax.sharding.use_abstract_mesh(mesh.abstract_mesh.update_axis_types(automatic)):
        results = called([reshard(array, PartitionSpec()) for array in arrays])
        larger = {axes: _shapes_with_twice(axes, called, arrays) for axes in split if axes is not None}
    given = dict(jax.tree.leaves_with_path((None, buffers)))

    def lying(path: tuple, leaf: Value) -> Value:
        if not isinstance(leaf, jax.Array):
            return leaf
        before = given.get(path)
        if before is not None and np.shape(before) == leaf.shape:
            return reshard(leaf, NamedSharding(mesh, _spec(before)))
        shapes = {axes: found[path] for axes, found in larger.items() if path in found}
        return reshard(leaf, NamedSharding(mesh, _spec_of_new(leaf, mesh, shapes)))

    return jax.tree.map_with_path(lying, results)


def _spec(leaf: Value) -> PartitionSpec:
    return jax.typeof(leaf).sharding.spec if isinstance(leaf, jax.Array) else PartitionSpec()


def _shapes_with_twice(axes: Axes, called: Callable, arrays: list[Array]) -> dict[tuple, tuple]:
    """The shapes of a call's results, by path, if every dimension that is split over these axes were twice as large."""

    def larger(array: Array) -> jax.ShapeDtypeStruct:
        sizes = [2 * size if found == axes else size for size, found in zip(array.shape, _spec(array), strict=True)]
        return jax.ShapeDtypeStruct(sizes, array.dtype)

    try:
        with silent():
            found = jax.eval_shape(called, list(map(larger, arrays)))
    except (ValueError, TypeError):
        return {}
    return {path: leaf.shape for path, leaf in jax.tree.leaves_with_path(found)}


def _spec_of_new(leaf: Array, mesh: Mesh | AbstractMesh, larger: dict[Axes, tuple]) -> PartitionSpec:
    """A layout: for each entry of `larger`, the first dimension that doubles in its shapes is split over its axes."""
    entries: list = [None] * leaf.ndim
    for axes, sizes in larger.items():
        names = axes if isinstance(axes, tuple) else (axes,)
        parts = math.prod(mesh.shape[name] for name in names)
        grown = [at for at, size in enumerate(leaf.shape) if sizes[at] == 2 * size and not entries[at]]
        if grown and leaf.shape[grown[0]] % parts == 0:
            entries[grown[0]] = axes
    return PartitionSpec(*entries)
