"""A value whose derivative is another one's, as where a step is passed straight through on the way back."""

import jax

from .types import Array
from .varying import varying_as


@jax.custom_jvp
def derived_as(value: Array, other: Array) -> Array:
    """`value`, to the bit, which changes as `other` does: an array of its shape and dtype.

    A sum of `other` and of what is missing, without gradient, would be rounded as the larger one is, and NaN where
    `other` is not finite.
    """
    return value


@derived_as.defjvp
def _(primals: tuple, tangents: tuple) -> tuple[Array, Array]:
    return derived_as(*primals), varying_as(tangents[1], primals[0])
