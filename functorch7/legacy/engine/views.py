"""Tensors as places in storages, for compiled functions: which elements they show, read and written without a copy."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from ...core.types import Array, Value
from ..tensors.strides import is_contiguous, strided
from ..tensors.tensor import Tensor


class View(NamedTuple):
    """Where a tensor lies: the number of its storage, offset, sizes and strides, in elements."""

    storage: int
    offset: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]

    @property
    def contiguous(self) -> bool:
        return is_contiguous(self.shape, self.stride)

    def positions(self) -> np.ndarray:
        """Each element's position in the storage."""
        grids = np.indices(self.shape) if self.shape else np.zeros((0, 1), int)
        return self.offset + sum(s * g for s, g in zip(self.stride, grids, strict=True)) + np.zeros(self.shape, int)


def place_of(tensor: Tensor) -> tuple:
    """Where a tensor's elements lie: equal for tensors that show the same ones alike."""
    return id(tensor.storage_), tensor.offset, tensor.shape, tensor.strides_


def read(storages: Sequence[Value] | dict[int, Value], view: View) -> Array:
    """The array that a view shows."""
    array = storages[view.storage]
    if is_whole(array, view):
        return array.reshape(view.shape)
    if view.contiguous:
        end = view.offset + math.prod(view.shape)
        return lax.slice_in_dim(array.reshape(-1), view.offset, end).reshape(view.shape)
    return array.reshape(-1)[view.positions()]


def elements_of(arrays: Sequence[np.ndarray], view: View) -> np.ndarray:
    """The elements that a view shows of NumPy's arrays, in their memory."""
    return strided(arrays[view.storage].reshape(-1)[view.offset :], view.shape, view.stride)


def add(storages: list, view: View, value: Array) -> None:
    """Adds a value to what a view shows: replaces its storage in the list."""
    array = storages[view.storage]
    if is_whole(array, view):
        storages[view.storage] = array + value.reshape(array.shape)
    elif view.contiguous:
        storages[view.storage] = _with_rows(array, view, value)
    else:
        storages[view.storage] = _shown(array, view).add(value.reshape(-1)).reshape(array.shape)


ROWS = lax.ScatterDimensionNumbers(
    update_window_dims=(1,), inserted_window_dims=(), scatter_dims_to_operand_dims=(0,)
)  # fmt: skip
"""Windows of a vector, each at a position."""


def _with_rows(array: Array, view: View, value: Array) -> Array:
    """An array with a value added to a window of it, as several rows.

    These XLA adds where they lie. One window is a sum that it fuses with what writes it, and computes for every element
    of the array: of five million a millisecond's work took one second.
    """
    size = math.prod(view.shape)
    rows = view.shape[0] if len(view.shape) > 1 and view.shape[0] > 1 else size
    if not size:
        return array
    values = value.astype(array.dtype).reshape(rows, -1)
    if rows == 1:  # a second one at its place adds nothing
        values = jnp.concatenate([values, jnp.zeros_like(values)])
    places = view.offset + values.shape[1] * (rows > 1) * lax.broadcasted_iota(np.int32, (len(values), 1), 0)
    return lax.scatter_add(jnp.asarray(array).reshape(-1), places, values, ROWS).reshape(array.shape)


def put(storages: list, view: View, value: Array) -> None:
    """Writes a value to what a view shows: replaces its storage in the list."""
    array = storages[view.storage]
    if is_whole(array, view):
        storages[view.storage] = value.reshape(array.shape)
    else:
        storages[view.storage] = _shown(array, view).set(value.reshape(-1)).reshape(array.shape)


def is_whole(array: Value, view: View) -> bool:
    """Whether a view shows all of an array, or of a storage, in its order."""
    return view.offset == 0 and math.prod(array.shape) == math.prod(view.shape) and view.contiguous


def _shown(array: Any, view: View) -> Any:
    """The elements that a view shows, in its order, as an update of the storage's array."""
    first = view.offset
    window = slice(first, first + math.prod(view.shape)) if view.contiguous else view.positions().reshape(-1)
    return jnp.asarray(array).reshape(-1).at[window]
