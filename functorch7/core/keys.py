"""Random keys of calls: one, or, where all steps of a sequence run at once, one for each step."""

from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..checks.declared import is_array
from ..checks.errors import Described, describe, expected, title
from .traits import Declared
from .types import Array, Key


def check_key(title: str, key: object) -> None:
    """Raises TypeError unless given a random key, made by `jax.random.key` or `jax.random.PRNGKey`."""
    dtype, ndim = getattr(key, "dtype", None) if is_array(key) else None, getattr(key, "ndim", 0)
    if dtype is None or not (_is_typed(dtype) or (dtype == np.uint32 and ndim)):
        seed = int(key) if isinstance(key, (int, np.integer)) else 0
        given = describe(key) if dtype is None else f"{dtype} of {describe(key)}"
        raise TypeError(f"{title}: expected a random key, such as jax.random.key({seed}), got {given}")


def missing(module: Declared, train: bool) -> ValueError:
    """The error for a call without the key that it needs, which names the first module inside that draws from it."""
    inner = module
    while drawing := [child for child in inner.child_modules() if child.traits.draws(train)]:
        inner = drawing[0]
    who = "" if inner is module else f", from which {title(inner)} draws"
    return ValueError(f"{title(module)}: needs a random key{who}; pass key=jax.random.key(seed)")


def check_single(title: str, key: Array) -> None:
    """Raises ValueError for several keys, as `jax.random.split` makes them."""
    if not _is_one(key):
        raise ValueError(f"{title}: expected one random key, got several of {describe(key)}; jax.vmap runs it for each")


def folded(key: Key, number: int | Array) -> Key:
    """The key, or each step's, folded with a number; None stays None.

    A module's own key is that of the module around it, folded with its position. Because each step is folded by itself,
    a module draws the same whether time is scanned, unrolled, or computed at once.
    """
    if key is None:
        return None
    return jax.random.fold_in(key, number) if _is_one(key) else jax.vmap(jax.random.fold_in, (0, None))(key, number)


def of_steps(module: Described, key: Key, length: int) -> Array | None:
    """A key for each step of a sequence, folded with its time; keys that are such already, and None, stay.

    Raises: ValueError, naming the module, for more keys than steps, or fewer.
    """
    if key is None:
        return None
    if not _is_one(key):
        if len(key) != length:
            raise expected(module, f"one random key, or one for each of {length} steps", key)
        return key
    return jax.vmap(jax.random.fold_in, (None, 0))(key, jnp.arange(length))


def _is_one(key: Any) -> bool:
    return key.ndim == (0 if _is_typed(key.dtype) else 1)


@lru_cache(16)
def _is_typed(dtype: Any) -> bool:
    """Whether arrays of this type are keys of `jax.random.key`; those of `jax.random.PRNGKey` are numbers."""
    return jnp.issubdtype(dtype, jax.dtypes.prng_key)
