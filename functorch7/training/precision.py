"""Arrays in other floating-point types."""

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike

from ..core.precision import at_least_float32
from ..core.types import Tree, Value


def cast(tree: Tree, dtype: DTypeLike) -> Tree:
    """The tree with its floating-point arrays in another dtype."""
    return jax.tree.map(lambda x: x.astype(dtype) if jnp.issubdtype(jnp.result_type(x), jnp.inexact) else x, tree)


def widened(tree: Tree) -> Tree:
    """The tree with its floating-point arrays of 16 bits as float32, in which small changes and long sums are seen."""

    def wide(array: Value) -> Value:
        dtype = jnp.result_type(array)
        return array.astype(at_least_float32(dtype)) if jnp.issubdtype(dtype, jnp.floating) else array

    return jax.tree.map(wide, tree)
