"""The formulas of gated cells, and the dropout inside them."""

from typing import Any

import jax
import jax.numpy as jnp


@jax.custom_jvp
def lstm(i: Any, f: Any, o: Any, g: Any, cell: Any) -> tuple[Any, Any]:
    """c' = s(f) c + s(i) tanh(g), h' = s(o) tanh(c'): (h', c') from the sums in each gate."""
    cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(cell), cell


@lstm.defjvp
def _lstm_tangents(primals: tuple, tangents: tuple) -> tuple[tuple, tuple]:
    """One factor for each tangent: six arrays are kept for backward, where differentiation alone keeps ten."""
    i, f, o = map(jax.nn.sigmoid, primals[:3])
    g, before = jnp.tanh(primals[3]), primals[4]
    of_i, of_f, of_o, of_g, of_cell = tangents
    cell = f * before + i * g
    shown = jnp.tanh(cell)
    of_cell = f * of_cell + g * i * (1 - i) * of_i + before * f * (1 - f) * of_f + i * (1 - g * g) * of_g
    return (o * shown, cell), (o * (1 - shown * shown) * of_cell + shown * o * (1 - o) * of_o, of_cell)


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
