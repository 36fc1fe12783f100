"""TensorLoader: data sets that are in memory."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..checks.errors import describe
from ..checks.numbers import check_amount
from ..checks.taken import array_of
from ..core.types import Indices, Value
from .loader import DataLoader
from .nested import (
    as_indices,
    leaves,
    recursive_batch_size,
    recursive_index,
    recursive_map,
    recursive_size,
    recursive_sub,
)
from .seeds import Seed, generator


class TensorLoader(DataLoader):
    """Samples in arrays, or in nested tables of arrays, whose first dimension is the sample.

    `inputs` and `targets`: arrays, or lists and dicts of them; they keep their dtypes and are never written to.
    Raises: ValueError if the arrays differ in their numbers of samples; TypeError for what is no array; IndexError for
    indices outside 1 to size().
    Source: dataload/README.md#TensorLoader.
    """

    def __init__(self, inputs: Value, targets: Value):
        array = partial(array_of, "TensorLoader")
        self.inputs, self.targets = recursive_map(array, inputs), recursive_map(array, targets)
        found = list(leaves([self.inputs, self.targets]))
        single = next((array for array in found if array.ndim == 0), None)
        if single is not None:
            given = describe(single.item())
            raise ValueError(f"TensorLoader: expected arrays, got {given}; np.asarray(...) makes an array of a list")
        if len({len(array) for array in found}) != 1:
            given = ", ".join(str(array.shape) for array in found) or "none"
            raise ValueError(f"TensorLoader: expected arrays with equal numbers of samples, got shapes {given}")

    def size(self) -> int:
        return recursive_batch_size(self.inputs)

    def isize(self, exclude_dim: int | bool = 1) -> Value:
        return recursive_size(self.inputs, exclude_dim)

    def tsize(self, exclude_dim: int | bool = 1) -> Value:
        return recursive_size(self.targets, exclude_dim)

    def index(self, indices: Indices) -> tuple:
        indices = as_indices("TensorLoader.index", indices, self.size())
        return recursive_index(self.inputs, indices), recursive_index(self.targets, indices)

    def shuffle(self, seed: Seed) -> tuple[TensorLoader, np.ndarray]:
        """Applies one permutation to inputs and targets, as new arrays; returns (self, the old index of each)."""
        indices = generator(seed, "TensorLoader.shuffle").permutation(self.size()) + 1
        self.inputs, self.targets = recursive_index(self.inputs, indices), recursive_index(self.targets, indices)
        return self, indices

    def split(self, ratio: float) -> tuple[TensorLoader, TensorLoader]:
        """Two loaders over views of the arrays: of the first floor(ratio * size) samples, and of the others."""
        size, first = self.size(), count_of_first(self.size(), ratio)
        parts = ((1, first), (first + 1, size))
        first_part, rest = (
            TensorLoader(recursive_sub(self.inputs, *part), recursive_sub(self.targets, *part)) for part in parts
        )
        return first_part, rest


def check_part(who: str, name: str, part: float) -> None:
    """Refuses what is no part of a data set, before it is read. Raises: TypeError; ValueError beyond 0 to 1."""
    check_amount(who, name, part)
    if not 0 < part < 1:
        raise ValueError(f"{who}: expected {name} between 0 and 1, got {part}")


def count_of_first(size: int, ratio: float) -> int:
    """How many of so many samples `split` puts first. Raises: TypeError for no number, ValueError beyond 0 to 1."""
    if not hasattr(ratio, "__float__") or np.ndim(ratio):
        raise TypeError(f"TensorLoader.split: expected a number between 0 and 1, got {ratio!r}")
    if not 0 < ratio < 1:
        raise ValueError(f"TensorLoader.split: Expecting 0 < arg < 1, got {ratio}")
    return int(size * ratio)
