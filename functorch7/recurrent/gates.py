"""The formulas of gated cells, and the dropout inside them."""

from typing import Any

import jax
import jax.numpy as jnp


def lstm(i: Any, f: Any, o: Any, g: Any, cell: Any) -> tuple[Any, Any]:
    """c' = s(f) c + s(i) tanh(g), h' = s(o) tanh(c'): (h', c') from the sums in each gate."""
    cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(cell), cell


def dropout_masks(key: Any, p: float, count: int, mono: bool, input: Any, size: int) -> jax.Array:
    """`count` masks for values of `size` features, 0 or 1 / (1 - p); one row for the whole batch if mono."""
    batch = (1,) * (input.ndim - 1) if mono else input.shape[:-1]
    kept = jax.random.bernoulli(key, 1 - p, (count, *batch, size))
    return jnp.where(kept, jnp.asarray(1 / (1 - p), input.dtype), 0)


def masked_copies(value: Any, masks: Any, count: int) -> list:
    """`count` copies of a value, each with its mask; masks None leave it as it is."""
    if masks is None:
        return [value] * count
    steps = (1,) * (value.ndim + 1 - masks.ndim)  # one mask for all of them
    return [value * mask.reshape(steps + mask.shape) for mask in masks[:count]]
