"""What a tensor's constructor may be given: sizes, numbers, a storage, another tensor."""

import math

import numpy as np

from .arithmetic import Arithmetic
from .operations import sizes_text
from .storage import Storage, sizes_given


def place_given(dtype: np.dtype, given: tuple) -> tuple:
    """The storage that the new tensor views, and, where they are not the whole storage's, offset, sizes and strides."""
    first = given[0] if given else None
    if isinstance(first, Storage) and first.dtype == dtype:
        offset = given[1] if len(given) > 1 else 1
        shape = sizes_given(*given[2:]) if len(given) > 2 else (len(first) - offset + 1,)
        if offset < 1 or offset - 1 + math.prod(shape) > len(first):
            raise IndexError(f"torch.Tensor: offset {offset} and size {sizes_text(shape)} in {len(first)} elements")
        return first, offset - 1, shape
    if len(given) == 1 and isinstance(first, Arithmetic) and first.dtype == dtype:
        return first.storage_, first.offset, first.shape, first.strides_
    if len(given) == 1 and not isinstance(first, (Storage, int, np.integer)):
        return (Storage(np.array(first, dtype)),)
    return (Storage.zeros(sizes_given(*given) or (0,), dtype),)
