"""Products of 16-bit numbers on CPUs, which XLA computes in 32 bits: one by one, where it is not told to at once."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import jax
import jax.numpy as jnp

from .backend import traced_for
from .types import Value

Given = ParamSpec("Given")
Result = TypeVar("Result")


def wide_on_cpu(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """`function`, on a CPU in float32 where all its numbers are of one 16-bit type, which its results have, too.

    Written in 16 bits each operation would convert what it takes and gives, and round it.
    """

    @wraps(function)
    def computed(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        given: Value = (args, kwargs)
        types = {leaf.dtype for leaf in jax.tree.leaves(given) if _is_floating(leaf)}
        narrow = types.pop() if len(types) == 1 else None
        if narrow is None or narrow.itemsize != 2 or traced_for() != "cpu":
            return function(*args, **kwargs)
        args, kwargs = _cast(given, narrow, jnp.float32)
        return _cast(function(*args, **kwargs), jnp.float32, narrow)

    return computed


def _is_floating(leaf: Value) -> bool:
    return hasattr(leaf, "dtype") and jnp.issubdtype(leaf.dtype, jnp.floating)


def _cast(tree: Value, before: object, after: object) -> Value:
    return jax.tree.map(lambda leaf: leaf.astype(after) if getattr(leaf, "dtype", None) == before else leaf, tree)
