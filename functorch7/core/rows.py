"""Large parameters that a call reads only in places: their gradients can be kept as those rows, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from .contexts import during


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Gathered:
    """Where a table was read: indices, counted from 0, along an axis. Rows are kept with the indices' dimensions first.

    What a loop has read is one of these, too, with the steps as first dimension.
    """

    indices: Any
    axis: int = field(metadata={"static": True})

    def zeros(self, table: Any) -> jax.Array:
        """Rows of zeros."""
        rest = table.shape[: self.axis] + table.shape[self.axis + 1 :]
        return jnp.zeros((*self.indices.shape, *rest), table.dtype)

    def placed(self, rows: Any) -> Any:
        """The rows with the indices' dimensions where the axis is in the table."""
        places = range(self.indices.ndim)
        return jnp.moveaxis(rows, places, [self.axis + place for place in places]) if self.axis else rows

    def update(self, table: Any, rows: Any) -> Any:
        """The table with something added to these rows; indices beyond it are dropped."""
        at = (slice(None),) * self.axis + (self.indices,)
        return table.at[at].add(self.placed(rows).astype(table.dtype), mode="drop")


class RowTable:
    """Stands for a parameter whose gradient is wanted by rows: `offsets`, zeros, are added to what each read gives.

    `reads` notes where it was read, in the order of the offsets; what a loop has read is a list in it.
    """

    def __init__(self, table: Any, offsets: Iterator[Any] | None = None):
        self.table, self.offsets = lax.stop_gradient(table), offsets
        self.reads: list = []
        self.shape, self.dtype = table.shape, table.dtype

    def astype(self, dtype: Any) -> RowTable:
        """The same table, whose rows change their dtype when they are read."""
        return _InDtype(self, dtype)

    def held(self) -> RowTable:
        """The table without gradient."""
        return RowTable(self.table)

    def gather(self, indices: Any, axis: int) -> Any:
        """The rows at these indices."""
        read = Gathered(indices, axis)
        self.reads.append(read)
        rows = gather(self.table, indices, axis)
        return rows if self.offsets is None else rows + read.placed(next(self.offsets))


class _InDtype(RowTable):
    def __init__(self, whole: RowTable, dtype: Any):
        self.whole, self.shape, self.dtype = whole, whole.shape, jnp.dtype(dtype)

    def held(self) -> RowTable:
        return self.whole.held().astype(self.dtype)

    def gather(self, indices: Any, axis: int) -> Any:
        return self.whole.gather(indices, axis).astype(self.dtype)


_open: ContextVar[tuple[RowTable, ...]] = ContextVar("open", default=())
"""The tables of the function that is being differentiated."""


def reading(tables: list[RowTable]) -> AbstractContextManager[tuple[RowTable, ...]]:
    """A block whose loops hand out what is read of these tables."""
    return during(_open, tuple(tables))


@contextmanager
def _afresh(offsets: list) -> Iterator[list]:
    """In this block the tables note what is read there alone, and add these offsets. Gives the lists of reads."""
    outer = [(table.reads, table.offsets) for table in _open.get()]
    for table, own in zip(_open.get(), offsets, strict=True):
        table.reads, table.offsets = [], None if own is None else iter(own)
    try:
        yield [table.reads for table in _open.get()]
    finally:
        for table, kept in zip(_open.get(), outer, strict=True):
            table.reads, table.offsets = kept


def unread() -> Any:
    """A block whose reads do not count: one that finds out shapes."""
    return _afresh([None] * len(_open.get()))


def _looped(loop: Callable, body: Callable, carry: Any, xs: Any) -> tuple[Any, Any]:
    """loop(body, carry, xs), where what the body reads of tables comes out beside its results."""

    def noting(carry: Any, each: tuple) -> tuple[Any, Any]:
        x, offsets = each
        with _afresh(offsets) as reads:
            carry, y = body(carry, x)
        return carry, (y, reads)

    offsets = [None if table.offsets is None else next(table.offsets) for table in _open.get()]
    carry, (ys, reads) = loop(noting, carry, (xs, offsets))
    for table, of_steps in zip(_open.get(), reads, strict=True):
        table.reads.append(of_steps)
    return carry, ys


def scan(body: Callable, carry: Any, xs: Any) -> tuple[Any, Any]:
    """`lax.scan` whose body may read tables."""
    return _looped(lax.scan, body, carry, xs)


def at_once(function: Callable, *xs: Any) -> Any:
    """`jax.vmap(function)(*xs)` of a function that may read tables."""

    def loop(body: Callable, carry: Any, xs: Any) -> tuple[Any, Any]:
        return carry, jax.vmap(lambda x: body(carry, x)[1])(xs)

    return _looped(loop, lambda carry, x: (carry, function(*x)), None, xs)[1]


def held(params: Any) -> Any:
    """The params without gradient, `RowTable`s among them."""
    return jax.tree.map(lambda p: p.held() if isinstance(p, RowTable) else lax.stop_gradient(p), params)


def gather(table: Any, indices: Any, axis: int = 0) -> Any:
    """Rows of a parameter, NaN for indices outside it. Layers whose parameters are large read them by this."""
    if isinstance(table, RowTable):
        return table.gather(indices, axis)
    at = (slice(None),) * axis + (indices,)
    return jnp.asarray(table).at[at].get(mode="fill", fill_value=jnp.nan, wrap_negative_indices=False)
