"""What tensors are made of: sizes and numbers alone, or other tensors one after the other."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

import numpy as np
from jax.typing import DTypeLike

from .arguments import described, is_number, of_one_type
from .computing import computed
from .default_type import default_dtype, placed
from .kinds import Made, Maker
from .named_errors import words_of
from .sizes import some_sizes


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


def _of_numbers(name: str, make: Callable) -> Callable:
    """A function of numbers, which refuses anything else: NumPy's would take tensors, and repeat them."""

    @wraps(make)
    def compute(*args: float) -> np.ndarray:
        if not all(map(is_number, args)):
            given = ", ".join(map(described, args))
            raise TypeError(f"torch.{name}: expected ({', '.join(words_of(make))}), numbers, got ({given})")
        return make(*args)

    return compute


def _of_sizes(make: Callable) -> Callable:
    return lambda *sizes: make(some_sizes(*sizes))


OF_SIZES = {"zeros": np.zeros, "ones": np.ones}
"""Functions of sizes, which make arrays of any type at once."""

MAKERS: dict[str, tuple[Callable[..., np.ndarray], str]] = {
    **{name: (_of_sizes(make), f"{name} of these sizes, numbers or a LongStorage") for name, make in OF_SIZES.items()},
    "eye": (_of_numbers("eye", _eye), "n x n, or n x m, with ones on the diagonal and zeros elsewhere"),
    "range": (
        _of_numbers("range", _range),
        "first, first + step, ... up to last, which is included; the step is 1 by default",
    ),
    "linspace": (
        _of_numbers("linspace", _spaced("linspace", np.linspace)),
        "n numbers, 100 by default, at equal distances",
    ),
    "logspace": (
        _of_numbers("logspace", _spaced("logspace", np.logspace)),
        "10 to the power of n numbers at equal distances",
    ),
}
"""Functions of numbers alone: what `torch.f(...)` gives, and `torch.f(result, ...)` and `result.f(...)` write."""

IN_ORDER = ("range", "linspace", "logspace")
"""Those that fill a result of as many elements in its own sizes, row by row."""


def made(name: str, args: tuple, like: Maker[Made], dtype: DTypeLike | None = None) -> Made:
    """`torch.f` of a maker; `like` makes tensors."""
    if args and hasattr(args[0], "storage_"):
        return getattr(args[0], name)(*args[1:])
    made_as = default_dtype() if dtype is None else dtype
    if name in OF_SIZES:
        tensor = like.of(OF_SIZES[name](some_sizes(*args), made_as))
    else:
        tensor = like.of(MAKERS[name][0](*args).astype(made_as, copy=False))
    return placed(tensor) if dtype is None else tensor


def _without(shape: tuple, axis: int) -> tuple:
    axis %= max(len(shape), 1)
    return (*shape[:axis], *shape[axis + 1 :])


def joined(args: tuple, like: Maker[Made]) -> Made:
    """cat([result,] tensors, [dim]), cat([result,] tensor, tensor, [dim]): the last dimension by default."""
    parts, dim = (args[:-1], int(args[-1])) if is_number(args[-1]) else (args, -1)
    is_table = bool(parts) and isinstance(parts[-1], (list, tuple))
    tensors, results = (parts[-1], parts[:-1]) if is_table else (parts[-2:], parts[:-2])
    if len(tensors) < 1 + (not is_table) or len(results) > 1 or not all(hasattr(t, "storage_") for t in tensors):
        raise TypeError(f"torch.cat: expected ([result], a table of tensors or two tensors, [dimension]), got {args}")
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
