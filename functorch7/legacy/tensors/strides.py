"""Views of elements that lie one after another, by their strides."""

import math
from functools import lru_cache
from typing import Any

import jax
import numpy as np
from jax.typing import ArrayLike

from .casting import as_type
from .kinds import Elements


@lru_cache(4096)
def contiguous_stride(size: tuple[int, ...]) -> tuple[int, ...]:
    """The row-major strides, in elements, of a size."""
    return tuple(math.prod(size[i + 1 :]) for i in range(len(size)))


@lru_cache(4096)
def is_contiguous(size: tuple[int, ...], stride: tuple[int, ...]) -> bool:
    """Whether elements of these strides lie row by row; the stride of a dimension of size 1 does not matter."""
    return all(n == 1 or mine == step for n, mine, step in zip(size, stride, contiguous_stride(size), strict=True))


def reach(shape: tuple[int, ...], strides: tuple[int, ...]) -> int:
    """The number of the storage's elements from the first one to the last one."""
    return sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True)) + 1 if math.prod(shape) else 0


def strided(flat: np.ndarray, shape: tuple, stride: tuple) -> np.ndarray:
    """A view of a vector's elements, in steps of `stride`; the vector may itself be a slice with steps."""
    if is_contiguous(shape, stride):
        return flat[: math.prod(shape)].reshape(shape)
    (step,) = flat.strides
    return np.lib.stride_tricks.as_strided(flat, shape, tuple([s * step for s in stride]))


def cut_out(array: Elements, offset: int, shape: tuple, stride: tuple) -> jax.Array:
    """The elements of a view of an array on the host, as a JAX array."""
    part = strided(np.asarray(array).reshape(-1)[offset:], shape, stride)
    # The type is kept, whatever precision JAX computes in.
    with jax.enable_x64(part.dtype.itemsize == 8 or jax.config.read("jax_enable_x64")):
        return jax.device_put(part)


def part(array: jax.Array, offset: ArrayLike, shape: tuple, stride: tuple) -> jax.Array:
    """The elements of a view of an array, inside programs; the offset may change between calls."""
    flat, axes = array.reshape(-1), _order(shape, stride)
    if axes is None:
        return flat[_positions(offset, shape, stride)]
    lying = jax.lax.dynamic_slice_in_dim(flat, offset, math.prod(shape)).reshape([shape[axis] for axis in axes])
    return lying.transpose(np.argsort(axes))


def with_part(array: jax.Array, values: jax.Array, offset: ArrayLike, shape: tuple, stride: tuple) -> jax.Array:
    """The array with other values for the elements of a view."""
    flat, axes, values = array.reshape(-1), _order(shape, stride), as_type(values, array.dtype)
    if axes is None:
        flat = flat.at[_positions(offset, shape, stride)].set(values)
    else:
        flat = jax.lax.dynamic_update_slice_in_dim(flat, values.transpose(axes).reshape(-1), offset, 0)
    return flat.reshape(array.shape)


def _order(shape: tuple, stride: tuple) -> tuple | None:
    """The order of dimensions in which the elements lie one after another; None if there are gaps."""
    axes = tuple(sorted(range(len(shape)), key=lambda axis: -stride[axis]))
    lies = tuple(stride[axis] for axis in axes) == contiguous_stride(tuple(shape[axis] for axis in axes))
    return axes if lies else None


def _positions(offset: Any, shape: tuple, stride: tuple) -> Any:
    """Each element's position, computed where the program runs."""
    steps = [jax.lax.broadcasted_iota(np.int32, shape, axis) * step for axis, step in enumerate(stride)]
    return sum(steps, offset)
