"""The same operation on an array, or on all arrays of nested tables (lists and dicts)."""

from collections.abc import Callable, Iterator

import numpy as np

from ..core.types import Input, Value


def recursive_map(function: Callable, tree: Input) -> Value:
    """A table of the same structure, with function(array) for every array."""
    if isinstance(tree, (list, tuple)):
        return [recursive_map(function, each) for each in tree]
    if isinstance(tree, dict):
        return {name: recursive_map(function, each) for name, each in tree.items()}
    return function(tree)


def leaves(tree: Input) -> Iterator[Value]:
    """All arrays, depth first."""
    if isinstance(tree, (list, tuple, dict)):
        for each in tree.values() if isinstance(tree, dict) else tree:
            yield from leaves(each)
    else:
        yield tree


def recursive_index(tree: Input, indices: np.ndarray) -> Value:
    """The rows at indices that count from 1."""
    from_zero = indices - 1
    return recursive_map(lambda array: array.take(from_zero, axis=0), tree)


def recursive_sub(tree: Input, start: int, stop: int) -> Value:
    """Views of the rows start to stop, both included, counted from 1."""
    return recursive_map(lambda array: array[start - 1 : stop], tree)


def recursive_size(tree: Input, exclude_dim: int | bool | None = None) -> Value:
    """The sizes as lists, without dimension `exclude_dim` (counted from 1) if one is given."""

    def size(array: np.ndarray) -> list[int]:
        return [n for dim, n in enumerate(array.shape, 1) if exclude_dim is False or dim != exclude_dim]

    return recursive_map(size, tree)


def recursive_batch_size(tree: Input) -> int:
    """The first size of the first array, depth first."""
    return next(leaves(tree)).shape[0]


def with_size(sizes: Value, size: int, exclude_dim: int | bool) -> Value:
    """Sizes as lists, the first replaced by the number of samples, without dimension `exclude_dim`."""
    if not sizes or (isinstance(sizes, list) and isinstance(sizes[0], int)):
        full = [size, *sizes[1:]]
        return full if exclude_dim is False else full[: exclude_dim - 1] + full[exclude_dim:]
    if isinstance(sizes, dict):
        return {name: with_size(each, size, exclude_dim) for name, each in sizes.items()}
    return [with_size(each, size, exclude_dim) for each in sizes]
