"""The arguments of a tensor's constructor: sizes, numbers, a storage, another tensor."""

import numbers
from functools import partial
from typing import Any

import numpy as np

from .arguments import array_of
from .arithmetic import Arithmetic
from .named_errors import naming
from .sizes import numbers_given, sizes_given
from .storage import Storage
from .strides import reach


@partial(naming, "torch.Tensor")
def place_given(dtype: np.dtype, given: tuple) -> tuple:
    """The storage of the new tensor and, unless it views the whole storage, offset, sizes and strides."""
    first = given[0] if given else None
    if isinstance(first, Storage) and first.dtype == dtype:
        return _part(first, *given[1:])
    if isinstance(first, Arithmetic) and first.dtype == dtype:  # what comes after a tensor does not count, as in Torch
        return first.storage_, first.offset, first.shape, first.strides_
    if len(given) == 1 and not isinstance(first, (Storage, numbers.Real)):
        return (Storage(array_of(given[0], dtype)),)
    if len(given) == 2 and all(isinstance(each, Storage) for each in given):
        shape, strides = _sizes_and_strides(given)
        return Storage.zeros((reach(shape, strides),), dtype), 0, shape, strides
    return (Storage.zeros(sizes_given(*given) or (0,), dtype),)


def _part(storage: Storage, offset: float = 1, *place: Any) -> tuple:
    """A part of a storage, which grows if the part reaches beyond its end, as with `resize`."""
    start = int(offset) - 1
    shape, strides = _sizes_and_strides(place) if place else ((len(storage) - start,), (1,))
    if start < 0 or shape[0] < 0:
        raise IndexError(f"torch.Tensor: offset {start + 1} in {len(storage)} elements; it counts from 1")
    if length := reach(shape, strides):
        storage.resize(max(len(storage), start + length))
    return storage, start, shape, strides


def _sizes_and_strides(given: tuple) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """From two LongStorages, or from alternating numbers; negative or missing strides mean row by row."""
    if isinstance(given[0], numbers.Real):
        given = (given[::2], given[1::2])
    shape, strides = sizes_given(given[0]) or (0,), list(numbers_given(given[1])) if len(given) > 1 else []
    strides += [-1] * (len(shape) - len(strides))
    step = 1
    for axis in reversed(range(len(shape))):
        strides[axis] = step if strides[axis] < 0 else strides[axis]
        step = shape[axis] * strides[axis]
    return shape, tuple(strides)
