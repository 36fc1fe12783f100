"""Numbers in the types of programs."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from ...core.types import Array, Value
from ..tensors.lua_values import CARRIED


def cast_to(dtype: str | None, tree: Value) -> Value:
    """A tree with its fractions in a type, unless this is None, and its whole numbers as wide as the program's."""

    def cast(leaf: Value) -> Value:
        leaf = leaf if isinstance(leaf, jax.Array) else jnp.asarray(leaf)
        if leaf.dtype == CARRIED:
            return leaf
        if jnp.issubdtype(leaf.dtype, jnp.inexact):
            return leaf if dtype is None else leaf.astype(dtype)
        return as_narrow(leaf)

    return jax.tree.map(cast, tree)


def as_narrow(whole: Array) -> Array:
    """Whole numbers as wide as the program's: an accelerator's array of LongTensors keeps 64 bits everywhere."""
    narrow = jax.dtypes.canonicalize_dtype(whole.dtype)
    return whole if narrow == whole.dtype else whole.astype(narrow)
