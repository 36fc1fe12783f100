"""Arrays in other floating-point types."""

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike

from ..core.types import Tree, Value


def cast(tree: Tree, dtype: DTypeLike) -> Tree:
    """The tree with its floating-point arrays in another dtype."""
    return jax.tree.map(lambda x: x.astype(dtype) if jnp.issubdtype(jnp.result_type(x), jnp.inexact) else x, tree)


def widened(tree: Tree) -> Tree:
    """The tree with its floating-point arrays of 16 bits as float32, in which small changes and long sums are seen."""

    def wide(array: Value) -> Value:
        narrow = jnp.issubdtype(jnp.result_type(array), jnp.floating) and jnp.result_type(array).itemsize < 4
        return array.astype(jnp.float32) if narrow else array

    return jax.tree.map(wide, tree)
