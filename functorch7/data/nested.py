"""The same operation on an array, or on all arrays of nested tables (lists and dicts)."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


def recursive_map(function: Callable, tree: Any) -> Any:
    """A table of the same structure, with function(array) for every array."""
    if isinstance(tree, (list, tuple)):
        return [recursive_map(function, each) for each in tree]
    if isinstance(tree, dict):
        return {name: recursive_map(function, each) for name, each in tree.items()}
    return function(tree)


def leaves(tree: Any) -> Iterator[Any]:
    """All arrays, depth first."""
    if isinstance(tree, (list, tuple, dict)):
        for each in tree.values() if isinstance(tree, dict) else tree:
            yield from leaves(each)
    else:
        yield tree


def recursive_index(tree: Any, indices: np.ndarray) -> Any:
    """The rows at indices that count from 1."""
    from_zero = indices - 1
    return recursive_map(lambda array: array.take(from_zero, axis=0), tree)


def recursive_sub(tree: Any, start: int, stop: int) -> Any:
    """Views of the rows start to stop, both included, counted from 1."""
    return recursive_map(lambda array: array[start - 1 : stop], tree)


def recursive_size(tree: Any, exclude_dim: int | bool | None = None) -> Any:
    """The sizes as lists, without dimension `exclude_dim` (counted from 1) if one is given."""

    def size(array: np.ndarray) -> list[int]:
        return [n for dim, n in enumerate(array.shape, 1) if exclude_dim is False or dim != exclude_dim]

    return recursive_map(size, tree)


def recursive_batch_size(tree: Any) -> int:
    """The first size of the first array, depth first."""
    return next(leaves(tree)).shape[0]


def with_size(sizes: Any, size: int, exclude_dim: int | bool) -> Any:
    """Sizes as lists, the first replaced by the number of samples, without dimension `exclude_dim`."""
    if not sizes or (isinstance(sizes, list) and isinstance(sizes[0], int)):
        full = [size, *sizes[1:]]
        return full if exclude_dim is False else full[: exclude_dim - 1] + full[exclude_dim:]
    if isinstance(sizes, dict):
        return {name: with_size(each, size, exclude_dim) for name, each in sizes.items()}
    return [with_size(each, size, exclude_dim) for each in sizes]
