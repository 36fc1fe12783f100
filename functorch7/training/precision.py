"""Arrays in other floating-point types."""

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike

from ..core.types import Tree


def cast(tree: Tree, dtype: DTypeLike) -> Tree:
    """The tree with its floating-point arrays in another dtype."""
    return jax.tree.map(lambda x: x.astype(dtype) if jnp.issubdtype(jnp.result_type(x), jnp.inexact) else x, tree)
