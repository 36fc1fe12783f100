"""The same operation on an array, or on all arrays of nested tables (lists and dicts)."""

from collections.abc import Callable

import numpy as np

from ..checks.tables import leaves
from ..core.types import Indices, Input, Value
from ..losses.tables import map_leaves


def recursive_map(function: Callable, tree: Input) -> Value:
    """A table of the same structure, with function(array) for every array.

    >>> import numpy as np
    >>> from functorch7.data import recursive_map
    >>> recursive_map(np.sum, [np.ones(2), {"a": np.ones(3)}])
    [np.float64(2.0), {'a': np.float64(3.0)}]
    """
    return map_leaves(function, tree)


def as_indices(who: str, given: Indices, size: int) -> np.ndarray:
    """Indices as an array. Raises: TypeError for anything but a list of whole numbers, IndexError beyond 1 to size."""
    indices = np.asarray(given)
    if indices.shape == (0,):
        return indices.astype(np.int64)  # NumPy takes an empty list for one of floats
    if indices.ndim != 1 or not np.issubdtype(indices.dtype, np.integer):
        raise TypeError(f"{who}: expected a list of whole numbers, got {indices.dtype} of shape {indices.shape}")
    if indices.size and (indices.min() < 1 or indices.max() > size):
        wrong = indices[(indices < 1) | (indices > size)][0]
        raise IndexError(f"{who}: expected indices from 1 to {size}, got {wrong}")
    return indices


def recursive_index(tree: Input, indices: Indices) -> Value:
    """The rows at indices that count from 1. Raises: as `as_indices`.

    >>> import numpy as np
    >>> from functorch7.data import recursive_index
    >>> recursive_index([np.array([10, 20, 30])], [3, 1])
    [array([30, 10])]
    """

    def taken(array: np.ndarray) -> np.ndarray:
        return array.take(as_indices("recursive_index", indices, len(array)) - 1, axis=0)

    return recursive_map(taken, tree)


def recursive_sub(tree: Input, start: int, stop: int) -> Value:
    """Views of the rows start to stop, both included, counted from 1.

    Raises: IndexError for rows that are not there.

    >>> import numpy as np
    >>> from functorch7.data import recursive_sub
    >>> recursive_sub([np.array([10, 20, 30])], 2, 3)
    [array([20, 30])]
    """

    def part(array: np.ndarray) -> np.ndarray:
        if not 1 <= start <= stop + 1 <= len(array) + 1:
            raise IndexError(f"recursive_sub: expected rows from 1 to {len(array)}, got {start} to {stop}")
        return array[start - 1 : stop]

    return recursive_map(part, tree)


def recursive_size(tree: Input, exclude_dim: int | bool | None = None) -> Value:
    """The sizes as lists, without dimension `exclude_dim` (counted from 1) if one is given.

    >>> import numpy as np
    >>> from functorch7.data import recursive_size
    >>> recursive_size([np.ones((2, 3)), np.ones(4)]), recursive_size(np.ones((2, 3)), 1)
    ([[2, 3], [4]], [3])
    """

    def size(array: np.ndarray) -> list[int]:
        return [n for dim, n in enumerate(array.shape, 1) if exclude_dim is False or dim != exclude_dim]

    return recursive_map(size, tree)


def recursive_batch_size(tree: Input) -> int:
    """The first size of the first array, depth first. Raises: ValueError for tables without an array.

    >>> import numpy as np
    >>> from functorch7.data import recursive_batch_size
    >>> recursive_batch_size([[np.ones((2, 3))], np.ones(4)])
    2
    """
    for array in leaves(tree):
        return array.shape[0]
    raise ValueError("recursive_batch_size: expected at least one array, got empty tables")


def with_size(sizes: Value, size: int, exclude_dim: int | bool) -> Value:
    """Sizes as lists, the first replaced by the number of samples, without dimension `exclude_dim`."""
    if not sizes or (isinstance(sizes, list) and isinstance(sizes[0], int)):
        full = [size, *sizes[1:]]
        return full if exclude_dim is False else full[: exclude_dim - 1] + full[exclude_dim:]
    if isinstance(sizes, dict):
        return {name: with_size(each, size, exclude_dim) for name, each in sizes.items()}
    return [with_size(each, size, exclude_dim) for each in sizes]
