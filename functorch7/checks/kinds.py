"""Whether values are numbers that a program of JAX takes: their kinds, and whole ones' sizes."""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike

from .declared import NUMBERS, is_array
from .errors import Described, title
from .foreign import OF_OTHER_RULES, foreign

USUAL = frozenset(map(jnp.dtype, (np.float32, jnp.bfloat16, np.float16, np.float64, np.int32, np.uint8, bool)))
"""Types of numbers that every module takes. Arrays of these types are not examined further, to keep tracing fast."""
LARGEST = 64
"""The bits of the largest numbers that JAX has."""


@lru_cache(64)
def is_kind(dtype: DTypeLike, *kinds: DTypeLike) -> bool:
    """Whether a type of numbers is one of these kinds, such as `numpy.floating`."""
    return any(jnp.issubdtype(dtype, kind) for kind in kinds)


@lru_cache(64)
def is_of_numbers(dtype: DTypeLike) -> bool:
    """Whether arrays of a type hold numbers, or truth values; durations are none."""
    return is_kind(dtype, np.number, np.bool_) and not is_kind(dtype, np.timedelta64)


def is_real_number(value: object) -> bool:
    """Whether it is one number: Python's, NumPy's, or a scalar array of JAX's, traced or not."""
    if isinstance(value, (int, float)):
        return True
    is_one, dtype = is_array(value) and getattr(value, "shape", None) == (), getattr(value, "dtype", object)
    return is_one and is_kind(dtype, np.integer, np.floating, np.bool_)


class Facts(Protocol):
    """What is asked about what a module takes."""

    @property
    def takes_complex(self) -> bool: ...


class Taking(Described, Protocol):
    """A module, as far as errors say what it takes."""

    @property
    def wanted(self) -> str: ...

    @property
    def traits(self) -> Facts: ...


def check_kinds(module: Taking, given: object) -> None:
    """Refuses what holds anything but numbers, and complex ones unless the module says that it takes them.

    None is no number, but there are modules that look at no input.
    Raises: TypeError naming the module and what was given; ValueError for whole numbers that lose their upper bits.
    """
    usual = getattr(given, "dtype", None) in USUAL
    if usual and (type(given) is np.ndarray or isinstance(given, jax.Array)):
        return
    for leaf in (given,) if is_array(given) else jax.tree.leaves(given):
        if (fault := fault_of(leaf, module.wanted)) is not None:
            raise type(fault)(f"{title(module)}: {fault}")
        kind = getattr(leaf, "dtype", type(leaf))
        if is_kind(kind, np.complexfloating) and not module.traits.takes_complex:
            raise TypeError(f"{title(module)}: expected real numbers, got {np.dtype(kind)}")


def fault_of(leaf: object, wanted: str) -> TypeError | ValueError | None:
    """Why a value is no array of numbers, and no number, that a program takes as it is; None if it is one.

    Of NumPy's numbers in another machine's order of bytes a compiled function may read the bytes as they are, and of
    whole numbers it reads the lower 32 bits unless JAX's x64 mode is on: it makes 1 of 2**32 + 1 without a word.
    """
    if type(leaf) in NUMBERS:
        return _cut(leaf, leaf, np.dtype(int)) if type(leaf) is int else None
    dtype = getattr(leaf, "dtype", None) if is_array(leaf) else None
    if dtype is None or isinstance(leaf, OF_OTHER_RULES) or not is_of_numbers(dtype):
        return TypeError(f"expected {wanted}, got {foreign(leaf)}")
    if not isinstance(leaf, (np.ndarray, np.generic)):
        return None
    if not dtype.isnative:
        native = f'array.astype("{dtype.newbyteorder("=").name}") has it'
        return TypeError(f"expected numbers in this machine's order of bytes, got {dtype}; {native}")
    if 8 * dtype.itemsize > LARGEST * (1 + is_kind(dtype, np.complexfloating)):
        return TypeError(f"expected numbers of {LARGEST} bits at most, got {dtype}")
    is_whole = dtype.kind in "iu" and dtype.itemsize == 8 and leaf.size
    return _cut(leaf.min(), leaf.max(), dtype) if is_whole else None


def fault_of_real(leaf: object, wanted: str) -> TypeError | ValueError | None:
    """As `fault_of`, where complex numbers have no place."""
    fault, kind = fault_of(leaf, wanted), getattr(leaf, "dtype", type(leaf))
    if fault is None and is_kind(kind, np.complexfloating):
        return TypeError(f"expected {wanted} of real numbers, got {np.dtype(kind)}")
    return fault


def _cut(least: int, most: int, dtype: np.dtype) -> ValueError | None:
    """The error for whole numbers that lose their upper bits."""
    kept = jax.dtypes.canonicalize_dtype(dtype)
    if np.iinfo(kept).min <= least and most <= np.iinfo(kept).max:
        return None
    beyond = least if least < np.iinfo(kept).min else most
    return ValueError(f'{beyond} is beyond {kept}, which JAX makes of {dtype} unless its mode "jax_enable_x64" is on')
