"""Random numbers of layers: drawn in float32 at least, whatever JAX's default type of floats is.

In bfloat16 JAX draws one of only 128 uniform numbers, in float16 one of 1024: an event of probability 0.002 came four
times too often, and no normal number was beyond 3. And in JAX's float64 mode the same key gave another dropout mask.
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike

from .precision import at_least_float32, widened
from .types import Array, ArrayLike


def uniform(key: Array, shape: Sequence[int], dtype: DTypeLike, low: ArrayLike = 0, high: ArrayLike = 1) -> Array:
    """Uniform on [low, high), rounded to the dtype."""
    return jax.random.uniform(key, shape, at_least_float32(dtype), low, high).astype(dtype)


def normal(key: Array, shape: Sequence[int], dtype: DTypeLike) -> Array:
    """Normally distributed, with mean 0 and standard deviation 1, rounded to the dtype."""
    return jax.random.normal(key, shape, at_least_float32(dtype)).astype(dtype)


def happens(key: Array, probability: float | Array, shape: Sequence[int] | None = None) -> Array:
    """True with this probability: a number, or one for each element; of any type, as the same ones are true."""
    return jax.random.bernoulli(key, jnp.asarray(probability, jnp.float32), shape)


def categorical(key: Array, logarithms: Array) -> Array:
    """Positions in the last dimension, with probabilities of these logarithms, up to a constant."""
    return jax.random.categorical(key, widened(logarithms))


def gamma(key: Array, shape: Array) -> Array:
    """One number of each gamma distribution of this shape and scale 1, rounded to the shapes' dtype."""
    wide = widened(shape)
    return jax.random.gamma(key, wide, dtype=wide.dtype).astype(shape.dtype)


def whole(key: Array, shape: Sequence[int], low: ArrayLike, high: ArrayLike) -> Array:
    """Whole numbers from low to high - 1."""
    return jax.random.randint(key, shape, low, high, jnp.int32)
