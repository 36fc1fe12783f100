"""Numbers of 8 bits with a scale: rounding, straight-through gradients, and products of whole numbers."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.typing import DTypeLike

from ..core.straight_through import derived_as
from ..core.types import Array
from ..programs import Compiled

LARGEST = 127


def scale_of(values: Array, axes: tuple[int, ...]) -> Array:
    """The scale that makes the largest value along the axes 127; the axes are kept, with size 1.

    It is not finite if a value is not, which then shows in all results.
    """
    return scale_to(jnp.abs(values).max(axes, keepdims=True))


def scale_to(largest: Array) -> Array:
    """The scale that makes these values 127; 1 for values of 0."""
    return jnp.where(largest == 0, jnp.ones((), largest.dtype), largest / LARGEST)


def rounded(values: Array, scale: Array) -> Array:
    """The nearest multiples of the scale, as whole numbers from -127 to 127, in the values' dtype."""
    return jnp.clip(jnp.round(values / scale), -LARGEST, LARGEST)


def scale_for(weight: Array, axis: int) -> Array:
    """A scale for each index of an axis."""
    return scale_of(weight, tuple(each for each in range(weight.ndim) if each != axis))


@Compiled
@partial(jax.jit, static_argnums=1)
def in_8_bits(weight: Array, axis: int) -> tuple[Array, Array]:
    """(int8 numbers, scale) of a weight; compiled, so that a network is converted quickly."""
    scale = scale_for(weight, axis)
    return rounded(weight, scale).astype(jnp.int8), scale


def input_scale_of(input: Array) -> Array:
    """One scale for each example (row), so that no example's output depends on the others."""
    return lax.stop_gradient(scale_of(input, (input.ndim - 1,)))


def multiplied(whole: Array, scale: Array, dtype: DTypeLike | None = None) -> Array:
    """The values that int8 numbers represent: products in the scale's dtype, by default given in it, too."""
    return (whole.astype(scale.dtype) * scale).astype(dtype or scale.dtype)


def fake_rounded(values: Array, scale: Array) -> Array:
    """The nearest multiples of the scale within 8 bits; the derivative is the identity's ("straight through").

    Source: Bengio, Léonard & Courville, 2013; Jacob et al., 2018.
    """
    return derived_as(rounded(values, scale) * scale, values)


@jax.custom_jvp
def integer_product(input: Array, input_scale: Array, weight: Array, weight_scale: Array) -> Array:
    """input @ weight.T in whole numbers: int8 by int8, summed as int32. weight is int8, weight_scale (outputs, 1).

    The derivative is that without rounding, and 0 where the input is more than 127 scales, as a whole number.
    """
    whole = rounded(input, input_scale).astype(jnp.int8)
    sums = lax.dot_general(whole, weight, (((input.ndim - 1,), (1,)), ((), ())), preferred_element_type=jnp.int32)
    scale = input_scale * weight_scale.reshape((1,) * (input.ndim - 1) + (-1,))
    return sums.astype(input.dtype) * scale


@integer_product.defjvp
def _(primals, tangents):
    input, scale, weight, weight_scale = primals
    # Not |input| <= 127 scales: the largest number is so many, give or take a rounding.
    moved = jnp.where(jnp.abs(jnp.round(input / scale)) <= LARGEST, tangents[0], 0)
    by_input = lax.dot_general(moved, weight.astype(input.dtype) * weight_scale, (((input.ndim - 1,), (1,)), ((), ())))
    return integer_product(*primals), by_input
