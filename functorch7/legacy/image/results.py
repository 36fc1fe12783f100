"""Shared by all functions of images: a tensor for the result may come first, and results keep their type."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ..tensors.arguments import sizes_text
from ..tensors.tensor import Tensor


def tensors_first(who: str, args: tuple, count: int = 1) -> tuple[Tensor | None, tuple]:
    """(the tensor for the result or None, the other arguments); these begin with `count` tensors.

    Raises: TypeError if they do not.
    """
    leading = next((i for i, each in enumerate(args) if not isinstance(each, Tensor)), len(args))
    if leading not in (count, count + 1):
        given = ", ".join(f"a tensor of size {sizes_text(a.shape)}" if isinstance(a, Tensor) else repr(a) for a in args)
        raise TypeError(f"image.{who}: expected {count} tensors, after one for the result if wanted, got ({given})")
    return (args[0], args[1:]) if leading > count else (None, args)


def by_name(function: Callable[..., Any]) -> Any:
    """Lets a function also take its arguments by name in one dict, as from Lua's braces."""

    @wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        if len(given) == 1 and isinstance(given[0], dict):
            return function(**given[0], **named)
        return function(*given, **named)

    return called


def by_default(values: np.ndarray) -> np.ndarray:
    """Values in the type of `torch.Tensor`."""
    return np.ascontiguousarray(values, Tensor().dtype)


def image_of(who: str, source: Tensor, dims: tuple[int, ...] = (2, 3)) -> np.ndarray:
    """An image's elements. Raises ValueError for another number of dimensions."""
    if source.dim() not in dims:
        wanted = " or ".join("HxW" if each == 2 else "CxHxW" for each in dims)
        raise ValueError(f"image.{who}: expected an image of size {wanted}, got {sizes_text(source.shape)}")
    return source.numpy()


def working(array: np.ndarray) -> np.ndarray:
    """An image in the type for computing: doubles stay doubles, all others become floats."""
    return array if array.dtype == np.float64 else array.astype(np.float32)


def rounded(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """New values in an image's type: bytes are rounded and stay from 0 to 255, other whole numbers lose fractions."""
    if dtype == np.uint8:  # as in C, in single precision, which matters for halves
        return np.clip(np.floor(np.asarray(values, np.float32) + np.float32(0.5)), 0, 255).astype(dtype)
    return values.astype(dtype)


def as_result(values: np.ndarray, source: Tensor, destination: Tensor | None) -> Tensor:
    """New values as a tensor of the source's type, or in the tensor given for them."""
    if destination is None:
        return Tensor.of(np.ascontiguousarray(rounded(values, source.dtype)))
    return destination.resize(*values.shape).copy(rounded(values, destination.dtype))


def one_of(who: str, what: str, value: object, known: tuple[str, ...]) -> str:
    """An option's value. Raises ValueError for an unknown one."""
    found = next((each for each in known if each == value), None)
    if found is None:
        raise ValueError(f"image.{who}: {what} must be one of: {' | '.join(known)}, got {value!r}")
    return found
