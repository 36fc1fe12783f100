"""Makes tensors from sizes and numbers, from random numbers, or by joining other tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .arguments import described, given_as, in_type, is_number, of_one_type
from .computing import computed
from .distributions import drawn, permutation
from .kinds import Made, Maker
from .random import given_generator
from .sizes import some_sizes

LONG = np.dtype(np.int64)
SIZES = "numbers or a LongStorage"


class Making(NamedTuple):
    """Makes an array without other arrays: `compute(dtype, ...)`, its other arguments, and its result in words."""

    compute: Callable[..., np.ndarray]
    usage: str
    words: str


def _range(first: float, last: float, step: float = 1) -> np.ndarray:
    if not step or (last - first) / step < 0:
        raise ValueError(f"torch.range: expected a step from {first} towards {last}, got {step}")
    return first + step * np.arange(int((last - first) / step + 1))


def _spaced(name: str, space: Callable) -> Callable:
    def compute(first: float, last: float, n: float = 100) -> np.ndarray:
        if n < 1 or (int(n) == 1 and first != last):
            raise ValueError(f"torch.{name}: expected 2 numbers or more from {first} to {last}, got {n}")
        return space(first, last, int(n))

    return compute


def _eye(rows: int, columns: int | None = None) -> np.ndarray:
    if rows < 1:
        raise ValueError(f"torch.eye: expected a positive size, got {rows}")
    return np.eye(int(rows), int(columns) if columns and columns > 0 else None)


def _of_numbers(name: str, usage: str, make: Callable, words: str) -> Making:
    """A maker that only takes numbers; NumPy's functions would accept tensors, and repeat them.

    For tensors of whole numbers, the numbers are converted as in C.
    """

    def compute(dtype: np.dtype, *args: float) -> np.ndarray:
        if not all(map(is_number, args)):
            given = ", ".join(map(described, args))
            raise TypeError(f"torch.{name}: expected ({usage}), numbers, got ({given})")
        numbers = [in_type(each, LONG) for each in args] if dtype.kind in "iu" else args
        return make(*numbers).astype(dtype, copy=False)

    return Making(compute, usage, words)


def _of_sizes(make: Callable, words: str) -> Making:
    return Making(lambda dtype, *sizes: make(some_sizes(*sizes), dtype), "sizes...", f"{words} of these sizes, {SIZES}")


def _of_draws(draw: str, words: str) -> Making:
    def compute(dtype: np.dtype, *args: object) -> np.ndarray:
        generator, sizes = given_generator(args)
        return drawn(getattr(generator, draw), some_sizes(*sizes), dtype)

    return Making(compute, "[generator], sizes...", f"{words}, of these sizes, {SIZES}")


MAKERS = {
    "zeros": _of_sizes(np.zeros, "zeros"),
    "ones": _of_sizes(np.ones, "ones"),
    "eye": _of_numbers("eye", "n, [m]", _eye, "n x n, or n x m, with ones on the diagonal and zeros elsewhere"),
    "range": _of_numbers(
        "range", "first, last, [step]", _range,
        "first, first + step, ... up to last, which is included; the step is 1 by default",
    ),
    "linspace": _of_numbers(
        "linspace", "first, last, [n]", _spaced("linspace", np.linspace),
        "n numbers, 100 by default, at equal distances",
    ),
    "logspace": _of_numbers(
        "logspace", "first, last, [n]", _spaced("logspace", np.logspace),
        "10 to the power of n numbers at equal distances",
    ),
}  # fmt: skip
"""Functions of numbers: `torch.f(...)` returns the result, `torch.f(result, ...)` and `result.f(...)` write it."""

DRAWN = {
    "rand": _of_draws("uniform", "uniform numbers from [0, 1)"),
    "randn": _of_draws("normal", "normal numbers of mean 0 and standard deviation 1"),
    "randperm": Making(
        lambda dtype, *args: permutation(args).astype(dtype), "[generator], n", "the numbers 1 to n in random order"
    ),
}
"""Those that draw random numbers; a generator may come first."""

IN_ORDER = ("range", "linspace", "logspace")
"""Those that fill a result with the right number of elements in its own sizes, row by row."""


def _without(shape: tuple, axis: int) -> tuple:
    axis %= max(len(shape), 1)
    return (*shape[:axis], *shape[axis + 1 :])


def joined(args: tuple, like: Maker[Made]) -> Made:
    """cat([result,] tensors, [dim]), cat([result,] tensor, tensor, [dim]): the last dimension by default."""
    parts, dim = (args[:-1], int(args[-1])) if is_number(args[-1]) else (args, -1)
    is_table = bool(parts) and isinstance(parts[-1], (list, tuple))
    tensors, results = (parts[-1], parts[:-1]) if is_table else (parts[-2:], parts[:-2])
    if len(tensors) < 1 + (not is_table) or len(results) > 1 or not all(hasattr(t, "storage_") for t in tensors):
        wanted = "([result], a table of tensors or two tensors, [dimension])"
        raise TypeError(f"torch.cat: expected {wanted}, got {given_as(args)}")
    of_one_type("cat", (*tensors, *results))
    tensors = [each for each in tensors if each.dim()] or tensors[:1]  # empty ones do not count
    is_empty = not tensors[0].dim()  # as all are then
    dims = 1 if is_empty else max(dim, *(each.dim() for each in tensors))  # dimensions that a tensor lacks have size 1
    axis = dims - 1 if dim == -1 or is_empty else dim - 1 if dim > 0 else tensors[0]._axis(dim)
    shapes = [each.shape + (1,) * (dims - len(each.shape)) for each in tensors]
    if len({_without(shape, axis) for shape in shapes}) > 1:
        given = ", ".join("x".join(map(str, each.shape)) for each in tensors)
        raise ValueError(f"torch.cat: expected tensors of the same sizes but for one dimension, got {given}")

    def fitted(arrays: list) -> list:
        return [array.reshape(shape) for array, shape in zip(arrays, shapes, strict=True)]

    arrays = [each.noted for each in tensors]
    if all(type(each) is np.ndarray for each in arrays):
        found = np.concatenate(fitted(arrays), axis)
    else:
        found = computed(lambda m, *arrays: m.concatenate(arrays, axis), tensors, fitted)
    return results[0].resize(*found.shape)._written(found) if results else like.of(found)
