"""Torch's C structures of tensors and storages."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class StorageData(NamedTuple):
    """The fields of Torch's C structure of a storage."""

    data: np.ndarray
    size: int


class TensorData(NamedTuple):
    """The fields of Torch's C structure of a tensor."""

    size: tuple[int, ...]
    stride: tuple[int, ...]
    nDimension: int
    storage: StorageData
    storageOffset: int
