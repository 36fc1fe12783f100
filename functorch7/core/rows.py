"""Large parameters of which a call reads only some rows: their gradients can be kept as just these rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.typing import DTypeLike

from .precision import narrow_type
from .probe import Keyed, Probe, opened, probing
from .types import Array, Value
from .way_back import linear


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Gathered:
    """Where a table was read: indices, counted from 0, along an axis.

    Rows are kept with the indices' dimensions first.
    """

    indices: Array
    axis: int = field(metadata={"static": True})

    def zeros(self, table: Array | RowTable) -> Array:
        """Rows of zeros."""
        rest = table.shape[: self.axis] + table.shape[self.axis + 1 :]
        return jnp.zeros((*self.indices.shape, *rest), table.dtype)

    def placed(self, rows: Array) -> Array:
        """The rows with the indices' dimensions where the axis is in the table."""
        places = range(self.indices.ndim)
        return jnp.moveaxis(rows, places, [self.axis + place for place in places]) if self.axis else rows

    def update(self, table: Array, rows: Array) -> Array:
        """The table with something added to these rows; indices outside it are dropped."""
        return _added(table, self.axis, self.indices, self.placed(rows))


class ReadAsAWhole(TypeError, AttributeError):
    """What stands for a parameter was taken for an array."""

    def __init__(self, *shapes: tuple[int, ...]):
        super().__init__(
            f"a parameter of shape {' or '.join(map(str, shapes))} is learned by the rows that a batch reads, "
            "but here all of it is read; make_train_step, and a Trainer without by_rows, learn it"
        )


BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "matmul", "pow")
SINGLE = ("neg", "abs", "getitem", "iter", "len", "contains", "lt", "le", "gt", "ge", "float", "int")
OPERATORS = (*BINARY, *(f"r{name}" for name in BINARY), *SINGLE, "array")
"""What Python and NumPy ask of an array by methods of its class alone."""


class RowTable:
    """Stands for a parameter whose gradient is wanted by rows, which are added to what each read gives (`Reads`).

    It is no array: who reads it otherwise than by `gather`, as an output layer that shares it, is told.
    """

    def __init__(self, table: Array):
        self.table = lax.stop_gradient(table)
        self.shape, self.dtype = table.shape, table.dtype

    def astype(self, dtype: DTypeLike) -> RowTable:
        """The same table, whose rows change their dtype when they are read."""
        return _InDtype(self, dtype)

    def __getattr__(self, name: str) -> object:
        raise ReadAsAWhole(self.__dict__.get("shape", ()))

    def __repr__(self) -> str:
        return f"RowTable{self.shape}"

    def gather(self, indices: Array, axis: int) -> Array:
        """The rows at these indices."""
        rows, reads = gather(self.table, indices, axis), opened(self)
        return rows if reads is None else reads.read(Gathered(indices, axis), rows)


def _refusing(name: str) -> Callable:
    return lambda self, *_, **__: getattr(self, name)


for _name in OPERATORS:
    setattr(RowTable, f"__{_name}__", _refusing(_name))


class _InDtype(RowTable):
    def __init__(self, whole: RowTable, dtype: DTypeLike):
        self.whole, self.shape, self.dtype = whole, whole.shape, jnp.dtype(dtype)

    def gather(self, indices: Array, axis: int) -> Array:
        return self.whole.gather(indices, axis).astype(self.dtype)


class Reads(Probe):
    """What is read of a table. The sinks are rows of zeros that are added, one for each read.

    Of a loop over time all steps' reads are kept, as one tap, with the steps as first dimension.
    """

    def read(self, read: Gathered, rows: Array) -> Array:
        """The rows of this read."""
        key = len(self.taps)
        self.note(key, read)
        return rows + read.placed(self.sinks[key]) if key in self.sinks else rows

    def sinks_of_steps(self, step: Callable[[], object], length: int) -> Value:
        return self.sinks.get(len(self.taps))

    def at_step(self, time: Array, sinks: Value, first: int) -> Reads:
        return Reads(None if sinks is None else dict(sinks.items()))

    def take(self, seen: Keyed) -> None:
        self.note(len(self.taps), seen)


@contextmanager
def reading(tables: list[RowTable], sinks: list[Keyed] | None = None) -> Iterator[Mapping[RowTable, Reads]]:
    """A block that notes what is read of these tables, and adds these sinks, shaped as what was noted before.

    A function of JAX's that is given one asks nothing of it, but names its class in an error, which is told here.
    """
    given = [None] * len(tables) if sinks is None else [dict(each.items()) for each in sinks]
    try:
        with probing({table: Reads(each) for table, each in zip(tables, given, strict=True)}) as probes:
            yield probes
    except (TypeError, ValueError) as error:
        if isinstance(error, ReadAsAWhole) or f"{__name__}." not in str(error):
            raise
        shapes = [table.shape for table in tables]
        raise ReadAsAWhole(*([each for each in shapes if f"RowTable{each}" in str(error)] or shapes)) from error


def gather(table: Array | RowTable, indices: Array, axis: int = 0) -> Array:
    """Rows of a parameter, NaN for indices outside it. Layers whose parameters are large read them by this.

    The gradients of a row that is read many times are added up in 32 bits at least.
    """
    if isinstance(table, RowTable):
        return table.gather(indices, axis)
    table = jnp.asarray(table)
    if narrow_type(table) is not None:
        return linear(partial(_read, axis), partial(_added_up, table.shape, axis), jnp.asarray(indices), table)
    return _read(axis, indices, table)


def _along(axis: int, indices: Array) -> tuple:
    """The index of a table for places along an axis."""
    return (slice(None),) * axis + (indices,)


def _read(axis: int, indices: Array, table: Array) -> Array:
    return table.at[_along(axis, indices)].get(mode="fill", fill_value=jnp.nan, wrap_negative_indices=False)


def _added(table: Array, axis: int, indices: Array, rows: Array) -> Array:
    """The table with something added to these rows; indices outside it are dropped, as `_read` finds nothing there."""
    rows = rows.astype(table.dtype)
    return table.at[_along(axis, indices)].add(rows, mode="drop", wrap_negative_indices=False)


def _added_up(shape: tuple[int, ...], axis: int, indices: Array, rows: Array) -> Array:
    """What is added to each row of a table, in the rows' type: `_read` backwards."""
    return _added(jnp.zeros(shape, jnp.float32), axis, indices, rows).astype(rows.dtype)
