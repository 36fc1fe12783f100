"""How tensors' arrays are computed with: where, in which type, and with which sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import chain
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...core import is_concrete
from ...losses.tables import as_arrays
from .arguments import beside, sizes_text
from .casting import is_floating
from .devices import Place, precision
from .kinds import Elements
from .noted import Noted
from .notes import Noting, known, notes_of
from .number import plain
from .quiet import quietly
from .together import place_among


def named(name: str) -> Callable:
    """The function of this name in NumPy and jax.numpy; its `of_numpy` is NumPy's."""
    of_numpy = getattr(np, name)

    def function(m: Any, *args: Any) -> Any:
        return of_numpy(*args) if m is np else getattr(m, name)(*args)

    function.of_numpy = of_numpy  # type: ignore[attr-defined]
    return function


def accumulator(m: object, x: Elements, axis: int | None = None) -> type | None:
    """The type in which elements are added up; None: their own.

    On the host, those of a whole tensor are added in double precision, as C does. Those of 16 bits are otherwise added
    in single precision, which has room for their sums and numbers; in what is traced they keep their type.
    """
    if not is_floating(x.dtype) or not (m is np or isinstance(m, Noting)):
        return None
    return np.float64 if m is np and axis is None else np.float32 if x.dtype.itemsize == 2 else None


def wide(m: object, x: Elements) -> Elements:
    """Elements in a type with room for their powers and differences: whole numbers and 16 bits become wider."""
    if x.dtype.kind in "iu":
        return x.astype(np.float64 if m is np else np.float32)
    return x.astype(np.float32) if x.dtype.itemsize == 2 else x


def computed(
    function: Callable, args: Iterable, fit: Callable[[list], list], are_typed: bool = True, is_traced: bool = False
) -> Elements:
    """A function of arrays: noted for the accelerator that they are on, traced where they are, else by NumPy.

    `fit` checks the arrays' shapes and may reshape them. With `are_typed` numbers are of the tensors' type. Infinite
    and undefined results are no error, as in Torch. `is_traced`: whether the function has indices without values.
    """
    args = [as_arrays(each) if isinstance(each, (list, tuple)) else each for each in args]
    dtype = _dtype_among(args)
    with precision(dtype):
        arrays = [_operand(each, dtype) for each in args]
        library, arrays = _prepared(args, [beside(each, dtype, are_typed) for each in arrays], is_traced)
        found = quietly(function, np, *fit(arrays)) if library is np else function(library, *fit(arrays))
        return np.asarray(found) if isinstance(found, np.generic) else found


def _dtype_among(args: list) -> np.dtype:
    """The dtype to compute in: the tensors' first floating-point one, else their first; without tensors, arrays'."""
    dtypes = [each.dtype for each in args if hasattr(each, "storage_")]
    dtypes = dtypes or [each.dtype for each in args if hasattr(each, "dtype")]
    return next(filter(is_floating, dtypes), dtypes[0])


def _operand(value: Any, dtype: np.dtype) -> Any:
    """A tensor, array or number for computing with tensors of a dtype.

    NumPy's floating-point arrays, and whole numbers with floating-point tensors, are converted to that dtype.
    """
    if isinstance(value, np.generic):
        return value.item()
    array = value.noted if hasattr(value, "storage_") else plain(value)
    if not hasattr(array, "dtype") or array.dtype == dtype or not is_floating(dtype):
        return array
    is_written = isinstance(value, np.ndarray) and is_floating(value.dtype)
    return array.astype(dtype) if is_written or not is_floating(array.dtype) else array


def _prepared(args: list, arrays: list, is_traced: bool) -> tuple[Any, list]:
    """jax.numpy if something is traced, a library that notes calls if some are on an accelerator, else NumPy."""
    if is_traced or not all(map(is_concrete, arrays)):
        return jnp, [each() if isinstance(each, Noted) else each for each in arrays]
    place = next(filter(None, map(place_among, arrays)), None)
    if place is None:
        return np, [np.asarray(each) if isinstance(each, jax.Array) else each for each in arrays]
    return Noting(notes_of(place)), [_known(*each, place) for each in zip(args, arrays, strict=True)]


def _known(given: Any, array: Any, place: Place) -> Any:
    if not isinstance(array, (np.ndarray, jax.Array)):
        return array
    # Whoever gave an array of NumPy's may write to it before somebody looks.
    return known(array.copy() if array is given and isinstance(array, np.ndarray) else array, place)


def same_count(name: str, arrays: list) -> list:
    """The arrays in the first one's shape; numbers, and arrays without dimensions, combine with anything.

    Raises ValueError for different numbers of elements: tensors are never repeated to fit.
    """
    shapes = [getattr(each, "shape", ()) for each in arrays]
    first = next(filter(None, shapes), ())
    for shape in shapes:
        if shape and shape != first and math.prod(shape) != math.prod(first):
            raise ValueError(
                f"torch.{name}: expected tensors of as many elements, got sizes {sizes_text(first)} and "
                f"{sizes_text(shape)}; expandAs repeats a tensor"
            )
    return [
        each.reshape(first) if shape and shape != first else each for each, shape in zip(arrays, shapes, strict=True)
    ]


@lru_cache(4096)
def conforming(name: str, signature: str, shapes: tuple) -> None:
    """Raises ValueError unless the tensors' sizes fit an einsum's signature."""
    inputs, output = signature.split("->")
    letters = inputs.split(",")
    if len(shapes) > len(letters):  # what the product is added to
        letters = [output, *letters]
    pairs = set(zip("".join(letters), chain(*shapes), strict=False))
    if list(map(len, shapes)) != list(map(len, letters)) or len(pairs) != len(dict(pairs)):
        given, wanted = " and ".join(map(sizes_text, shapes)), " and ".join(map("x".join, letters))
        raise ValueError(f"torch.{name}: expected tensors of sizes {wanted}, got {given}")
