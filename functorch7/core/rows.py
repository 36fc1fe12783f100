"""Large parameters that a call reads only in places: their gradients can be kept as those rows, too."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from .module import Module


class Gathered(NamedTuple):
    """Where a table was read: indices, counted from 0, along an axis."""

    indices: Any
    axis: int

    def update(self, table: Any, rows: Any) -> Any:
        """The table with something added to these rows; indices beyond it are dropped."""
        at = (slice(None),) * self.axis + (self.indices,)
        return table.at[at].add(rows.astype(table.dtype), mode="drop")


class RowTable:
    """Stands for a parameter whose gradient is wanted by rows: `offsets`, zeros, are added to what each read gives.

    `reads` notes where it was read, in the order of the offsets.
    """

    def __init__(self, table: Any, offsets: Iterator[Any] | None = None):
        self.table, self.offsets = lax.stop_gradient(table), offsets
        self.reads: list[Gathered] = []
        self.shape, self.dtype = table.shape, table.dtype

    def gather(self, indices: Any, axis: int) -> Any:
        """The rows at these indices."""
        self.reads.append(Gathered(indices, axis))
        rows = gather(self.table, indices, axis)
        return rows if self.offsets is None else rows + next(self.offsets)


def held(params: Any) -> Any:
    """The params without gradient, `RowTable`s among them."""
    return jax.tree.map(lambda p: RowTable(p.table) if isinstance(p, RowTable) else lax.stop_gradient(p), params)


def gather(table: Any, indices: Any, axis: int = 0) -> Any:
    """Rows of a parameter, NaN for indices outside it. Layers whose parameters are large read them by this."""
    if isinstance(table, RowTable):
        return table.gather(indices, axis)
    at = (slice(None),) * axis + (indices,)
    return jnp.asarray(table).at[at].get(mode="fill", fill_value=jnp.nan, wrap_negative_indices=False)


def _marked(module: Module, params: Any) -> Any:
    """The tree of params with True at what is read by rows."""
    children = module.children()
    if isinstance(children, tuple):
        return [_marked(child, p) for child, p in zip(children, params, strict=True)]
    inner = {name: _marked(child, params[name]) for name, child in children.items()}
    own = {name: p if p is None else name in module.row_parameters for name, p in params.items()}
    return {**own, **inner}  # None stays None: a tie of `Shared`


class RowGradients(NamedTuple):
    """Gradients of params: a flat list with None for tables; for each of these, what was read, and its gradients."""

    dense: list
    reads: list[list[Gathered]]
    rows: list[list]


def value_and_row_grad(module: Module, loss: Callable) -> Callable:
    """As jax.value_and_grad(loss, has_aux=True) of loss(params, *args), with RowGradients.

    Raises jax.errors.UnexpectedTracerError if a table is read inside a scan.
    """

    def run(params: Any, *args: Any) -> tuple[tuple[Any, Any], RowGradients]:
        leaves, treedef = jax.tree.flatten(params)
        marks = jax.tree.leaves(_marked(module, params))

        def called(dense: list, offsets: Any) -> tuple[Any, tuple]:
            tables = [
                RowTable(leaf, None if offsets is None else iter(offsets[sum(marks[:i])]))
                for i, leaf in enumerate(leaves) if marks[i]
            ]  # fmt: skip
            chosen = iter(tables)
            filled = [next(chosen) if mark else value for mark, value in zip(marks, dense, strict=True)]
            value, aux = loss(treedef.unflatten(filled), *args)
            return value, (aux, [table.reads for table in tables])

        def rows_read(dense: list) -> list:
            _, (_, reads) = called(dense, None)
            tables = [leaf for leaf, mark in zip(leaves, marks, strict=True) if mark]
            return [[gather(t, r.indices, r.axis) for r in each] for t, each in zip(tables, reads, strict=True)]

        dense = [None if mark else leaf for leaf, mark in zip(leaves, marks, strict=True)]
        offsets = jax.tree.map(lambda rows: jnp.zeros(rows.shape, rows.dtype), jax.eval_shape(rows_read, dense))
        gradient = jax.value_and_grad(called, argnums=(0, 1), has_aux=True)
        (value, (aux, reads)), (dense_gradients, rows) = gradient(dense, offsets)
        return (value, aux), RowGradients(dense_gradients, reads, rows)

    return run


def descend(params: Any, gradients: RowGradients, rate: Any) -> Any:
    """params - rate * gradients; tables are changed only in the rows that were read."""
    leaves, treedef = jax.tree.flatten(params)
    tables = iter(zip(gradients.reads, gradients.rows, strict=True))
    new = []
    for leaf, gradient in zip(leaves, gradients.dense, strict=True):
        if gradient is not None:
            new.append(leaf - (rate * gradient).astype(leaf.dtype))
            continue
        for read, rows in zip(*next(tables), strict=True):
            leaf = read.update(leaf, -rate * rows)
        new.append(leaf)
    return treedef.unflatten(new)
