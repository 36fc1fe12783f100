"""Torch's initial values."""

import math
from typing import Any

import jax
import jax.numpy as jnp


def uniform(key: jax.Array, shape: tuple[int, ...], fan_in: int, stdv: float | None = None) -> jax.Array:
    """Uniform on [-b, b): b = 1/sqrt(fan_in), or stdv * sqrt(3) where `reset(stdv)` gives one.

    Source: torch/nn, the `reset` method of each layer.
    """
    if stdv is not None and stdv < 0:
        raise ValueError(f"reset: expected a standard deviation that is not negative, got {stdv}")
    bound = 1 / math.sqrt(fan_in) if stdv is None else stdv * math.sqrt(3)
    return jax.random.uniform(key, shape, jnp.float32, -bound, bound)


def weight_and_bias(
    key: jax.Array, weight: tuple[int, ...], fan_in: int, bias: bool, stdv: float | None = None
) -> dict[str, Any]:
    """`weight`, and `bias` (one per output, the weight's first dimension) if wanted, both by `uniform`."""
    weight_key, bias_key = jax.random.split(key)
    params = {"weight": uniform(weight_key, weight, fan_in, stdv)}
    if bias:
        params["bias"] = uniform(bias_key, weight[:1], fan_in, stdv)
    return params
