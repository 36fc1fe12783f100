"""A value whose derivative is another one's, as where a step is passed straight through on the way back."""

import jax
import jax.numpy as jnp

from .types import Array
from .varying import varying_as


def derived_as(value: Array, other: Array) -> Array:
    """`value`, to the bit, which changes as `other` does: an array of its shape and dtype.

    A sum of `other` and of what is missing, without gradient, would be rounded as the larger one is, and NaN where
    `other` is not finite.
    """
    # In a batch, and in `jax.shard_map`, JAX wants a value to have as many places as its derivative: zeros have one.
    return _derived_as(jnp.where(jnp.isnan(other), value, value), varying_as(other, value))


@jax.custom_jvp
def _derived_as(value: Array, other: Array) -> Array:
    return value


@_derived_as.defjvp
def _(primals: tuple, tangents: tuple) -> tuple[Array, Array]:
    return _derived_as(*primals), tangents[1]
