"""Torch's initial values, from a JAX key, or from the source of random numbers within whose block they are made.

Layers split keys and draw by these functions alone, in the order in which Torch draws: so that a sequential generator
gives them Torch's own values.
"""

import math
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike

from ..core import is_concrete
from ..core.types import Array, ArrayLike


class Source(Protocol):
    """A sequential generator: each call gives its next numbers, an array of the type of the parameters."""

    def uniform(self, shape: tuple[int, ...], low: ArrayLike, high: ArrayLike) -> Array:
        """Numbers in [low, high)."""
        ...

    def normal(self, shape: tuple[int, ...], mean: float, stdv: float) -> Array:
        """Normally distributed numbers."""
        ...


SOURCE: ContextVar[Source | None] = ContextVar("source", default=None)
"""What initial values are drawn from instead of their keys."""


def _source(key: Array) -> Source | None:
    """The source; none while a program is traced, which has no numbers but shapes."""
    return SOURCE.get() if is_concrete(key) else None


def split(key: Array, count: int = 2) -> Array | list[Array]:
    """Keys of draws that follow each other; the same one where there is a source, which does not use it."""
    return [key] * count if _source(key) else jax.random.split(key, count)


def between(key: Array, shape: tuple[int, ...], low: ArrayLike = 0, high: ArrayLike = 1) -> Array:
    """Uniform on [low, high), numbers or arrays that broadcast to the shape."""
    source = _source(key)
    return source.uniform(shape, low, high) if source else jax.random.uniform(key, shape, jnp.float32, low, high)


def normal(key: Array, shape: tuple[int, ...], stdv: float = 1) -> Array:
    """Normally distributed about 0."""
    source = _source(key)
    return source.normal(shape, 0, stdv) if source else jax.random.normal(key, shape, jnp.float32) * stdv


def filled(shape: int | Sequence[int], value: float, dtype: DTypeLike | None = None) -> Array:
    """Equal numbers, of JAX's type of floats by default; NumPy's, as jax.numpy compiles a program for each shape."""
    return jax.device_put(np.full(shape, value, dtype or jax.dtypes.canonicalize_dtype(float)))


def bound_of(fan_in: int, stdv: float | None = None) -> float:
    """1/sqrt(fan_in), or stdv * sqrt(3) where `reset(stdv)` gives one. Raises ValueError for a negative one."""
    if stdv is not None and stdv < 0:
        raise ValueError(f"reset: expected a standard deviation that is not negative, got {stdv}")
    return 1 / math.sqrt(fan_in) if stdv is None else stdv * math.sqrt(3)


def uniform(key: Array, shape: tuple[int, ...], fan_in: int, stdv: float | None = None) -> Array:
    """Uniform on [-b, b) with b of `bound_of`.

    Source: torch/nn, the `reset` method of each layer.
    """
    bound = bound_of(fan_in, stdv)
    return between(key, shape, -bound, bound)


def weight_and_bias(
    key: Array, weight: tuple[int, ...], fan_in: int, bias: bool, stdv: float | None = None
) -> dict[str, Array]:
    """`weight`, and `bias` (one per output, the weight's first dimension) if wanted, both by `uniform`."""
    weight_key, bias_key = split(key)
    params = {"weight": uniform(weight_key, weight, fan_in, stdv)}
    if bias:
        params["bias"] = uniform(bias_key, weight[:1], fan_in, stdv)
    return params
