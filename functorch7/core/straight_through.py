"""A value whose derivative is another one's, as where a step is passed straight through on the way back."""

import jax
import jax.numpy as jnp

from .types import Array
from .varying import varying_as


def derived_as(value: Array, other: Array) -> Array:
    """Exactly `value`, with the derivative of `other`, an array of the same shape and dtype.

    The usual `other + stop_gradient(value - other)` would round, and would be NaN where `other` is not finite.
    """
    # In a batch, and in `jax.shard_map`, JAX wants a value to have as many places as its derivative: zeros have one.
    return _derived_as(jnp.where(jnp.isnan(other), value, value), varying_as(other, value))


@jax.custom_jvp
def _derived_as(value: Array, other: Array) -> Array:
    return value


@_derived_as.defjvp
def _(primals: tuple, tangents: tuple) -> tuple[Array, Array]:
    return _derived_as(*primals), tangents[1]
