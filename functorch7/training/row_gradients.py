"""Gradients by rows: of a large parameter that a call reads only in places, those of what was read."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from ..core import Module
from ..core.probe import Keyed
from ..core.rows import Gathered, RowTable, reading
from ..core.tree import mapped, places, with_at
from ..core.types import Array, Scalar, Tree, Value
from ..network import Shared


def read_by_rows(module: Module, params: Tree) -> Tree:
    """The tree of params with True at what is read by rows; None stays None: a tie of `Shared`.

    What is tied to a parameter that is read as a whole, as words' vectors to the weight of an output layer, is so, too.
    """

    def marks(module: Module, own: dict[str, Any]) -> dict[str, Any]:
        return {name: p if p is None else name in module.traits.row_parameters for name, p in own.items()}

    found = mapped(module, marks, params)
    for path, shared in places(module):
        if isinstance(shared, Shared):
            inside = dict(places(shared.module))
            for owner, (*to, name) in shared.ties:
                if tuple(to) not in inside or name not in inside[tuple(to)].traits.row_parameters:
                    found = with_at(found, (*path, 0, *owner), False)
    return found


class RowGradients(NamedTuple):
    """Gradients of params: a flat list with None for tables; for each of these, what was read, and its gradients."""

    dense: list
    reads: list[Keyed]
    rows: list[Keyed]


def value_and_row_grad(module: Module, loss: Callable) -> Callable:
    """As jax.value_and_grad(loss, has_aux=True) of loss(params, *args), with RowGradients."""

    def run(params: Tree, *args: Any) -> tuple[tuple[Any, Any], RowGradients]:
        leaves, treedef = jax.tree.flatten(params)
        marks = jax.tree.leaves(read_by_rows(module, params))
        large = [leaf for leaf, mark in zip(leaves, marks, strict=True) if mark]

        def called(dense: list, offsets: list | None) -> tuple[Any, tuple]:
            tables = [RowTable(leaf) for leaf in large]
            chosen = iter(tables)
            filled = [next(chosen) if mark else value for mark, value in zip(marks, dense, strict=True)]
            with reading(tables, offsets) as reads:
                value, aux = loss(treedef.unflatten(filled), *args)
            return value, (aux, [Keyed.of(reads[table].taps) for table in tables])

        dense = [None if mark else leaf for leaf, mark in zip(leaves, marks, strict=True)]
        read = jax.eval_shape(lambda: called(dense, None)[1][1])
        offsets = [
            jax.tree.map(lambda each, table=table: each.zeros(table), reads, is_leaf=_is_read)
            for reads, table in zip(read, large, strict=True)
        ]
        gradient = jax.value_and_grad(called, argnums=(0, 1), has_aux=True)
        (value, (aux, reads)), (dense_gradients, rows) = gradient(dense, offsets)
        return (value, aux), RowGradients(dense_gradients, reads, rows)

    return run


def _is_read(node: Any) -> bool:
    return isinstance(node, Gathered)


def descend(params: Tree, gradients: RowGradients, rate: Scalar) -> Tree:
    """params - rate * gradients; tables are changed only in the rows that were read."""
    leaves, treedef = jax.tree.flatten(params)
    tables = iter(zip(gradients.reads, gradients.rows, strict=True))
    new = []
    for leaf, gradient in zip(leaves, gradients.dense, strict=True):
        if gradient is not None:
            new.append(leaf - (rate * gradient).astype(leaf.dtype))
            continue
        reads, rows = next(tables)
        for read, change in zip(jax.tree.leaves(reads, is_leaf=_is_read), jax.tree.leaves(rows), strict=True):
            leaf = read.update(leaf, -rate * change)
        new.append(leaf)
    return treedef.unflatten(new)


def merged_reads(table: Value, reads: Value, rows: Value) -> tuple[Gathered, Array]:
    """All that was read of a table, as one read of each row at most, and the sums of what each row was given.

    There are as many as were read; those left over are zeros, with indices beyond the table.
    Raises: ValueError for a table that was read along several axes.
    """
    found = jax.tree.leaves(reads, is_leaf=_is_read)
    axes = {read.axis for read in found} or {0}
    if len(axes) > 1:
        raise ValueError(f"rows: a table of shape {table.shape} is read along the axes {sorted(axes)}; expected one")
    axis = axes.pop()
    size, rest = table.shape[axis], table.shape[:axis] + table.shape[axis + 1 :]
    indices = jnp.concatenate([jnp.zeros(0, jnp.int32), *(read.indices.ravel() for read in found)])
    changes = jnp.concatenate(
        [jnp.zeros((0, *rest), table.dtype), *(each.reshape(-1, *rest) for each in jax.tree.leaves(rows))]
    )
    inside = jnp.where((indices >= 0) & (indices < size), indices, size)
    each, group = jnp.unique(inside, return_inverse=True, size=len(inside), fill_value=size)
    sums = jnp.zeros_like(changes).at[group].add(changes)
    return Gathered(each, axis), jnp.where((each < size).reshape(-1, *[1] * len(rest)), sums, 0)
