"""Arrays read from files, as tensors."""

from __future__ import annotations

import numpy as np

from .tensor import Tensor

WIDTHS = {2: np.int16, 4: np.int32, 8: np.int64}


def tensor_of(who: str, array: np.ndarray) -> Tensor:
    """A tensor of an array's numbers: booleans become bytes, unsigned numbers of 16 bits or more keep their bits.

    An array without dimensions gets one of size 1. Raises TypeError for complex numbers, texts and the like; the
    message begins with `who`.
    """
    array = np.atleast_1d(array)
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind not in "biuf" or (kind == "f" and size > 8):
        raise TypeError(f"{who}: Torch has no tensors of {array.dtype}")
    array = np.array(array, array.dtype.newbyteorder("="), order="C")
    return Tensor.of(
        array.view(np.uint8) if kind == "b" else array.view(WIDTHS[size]) if kind == "u" and size > 1 else array
    )
