"""Arrays in other types, as C converts them."""

from __future__ import annotations

from functools import cache
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from .quiet import quietly

Array = TypeVar("Array", np.ndarray, jax.Array)


@cache
def is_floating(dtype: np.dtype) -> bool:
    """Whether a type has fractions."""
    return jnp.issubdtype(dtype, jnp.floating)


def as_type(array: Array, dtype: np.dtype) -> Array:
    """An array in a type, converted as C does: large numbers are truncated, for which JAX needs a wider type first."""
    if array.dtype == dtype:
        return array
    if isinstance(array, np.ndarray):
        return quietly(array.astype, dtype)
    has_no_room = dtype.kind in "iu" and dtype.itemsize < 4 and is_floating(array.dtype)
    return (array.astype(np.int32) if has_no_room else array).astype(dtype)
