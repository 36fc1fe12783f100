"""Random keys of calls: one, or, where all steps of a sequence run at once, one for each step."""

from typing import Any

import jax
import jax.numpy as jnp

from .types import Array, Key


def check_key(title: str, key: object) -> None:
    """Raises TypeError for a number, or nothing, in the place of a random key."""
    if key is None or isinstance(key, (int, float)):
        seed = key if isinstance(key, int) else 0
        raise TypeError(f"{title}: expected a random key, such as jax.random.key({int(seed)}), got {key!r}")


def folded(key: Key, number: int | Array) -> Key:
    """The key, or each step's, folded with a number; None stays None.

    A module's own key is that of the module around it, folded with its position. Because each step is folded by itself,
    a module draws the same whether time is scanned, unrolled, or computed at once.
    """
    if key is None:
        return None
    return jax.random.fold_in(key, number) if _is_one(key) else jax.vmap(jax.random.fold_in, (0, None))(key, number)


def of_steps(key: Key, length: int) -> Array | None:
    """A key for each step of a sequence, folded with its time; keys that are such already, and None, stay."""
    if key is None or not _is_one(key):
        return key
    return jax.vmap(jax.random.fold_in, (None, 0))(key, jnp.arange(length))


def _is_one(key: Any) -> bool:
    return key.ndim == (0 if jnp.issubdtype(key.dtype, jax.dtypes.prng_key) else 1)
