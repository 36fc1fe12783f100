"""Torch's decaying learning rate, one for each parameter, and corrections for averages that start at zero."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from ..core import is_concrete
from ..core.types import Input, Scalar
from .arguments import check_numbers, need_params, spread


def one_minus_power(base: Scalar, exponent: jax.Array) -> jax.Array:
    """1 - base^exponent, with all digits where it is small (1 - 0.999 in float32 would have four of them)."""
    with np.errstate(divide="ignore"):  # the logarithm of 0 gives the right result here
        logarithm = np.log(base) if is_concrete(base) else jnp.log(base)
    return -jnp.expm1(exponent * jnp.asarray(logarithm, exponent.dtype))


def decayed_rate(rule: str, learning_rate: Scalar, learning_rate_decay: Scalar) -> optax.GradientTransformation:
    """update = -learning_rate / (1 + t * learning_rate_decay) * gradient, where t counts the updates before."""
    check_numbers(rule, learning_rate=learning_rate, learning_rate_decay=learning_rate_decay)

    def rate(count: Any) -> jax.Array:
        return learning_rate / (1 + jnp.asarray(count, jnp.result_type(float)) * learning_rate_decay)

    return optax.scale_by_learning_rate(rate)


def own_rates(rule: str, learning_rates: Input | None) -> optax.GradientTransformation:
    """update = learning_rates * gradient, element by element; None is 1 everywhere."""
    if learning_rates is None:
        return optax.identity()
    return optax.stateless(
        lambda updates, _: jax.tree.map(jnp.multiply, spread(rule, "learning_rates", learning_rates, updates), updates)
    )


def own_decays(rule: str, weight_decays: Input | None) -> optax.GradientTransformation:
    """gradient + weight_decays * parameter, element by element."""

    def update(updates: Any, params: Any) -> Any:
        need_params(rule, params)
        decays = spread(rule, "weight_decays", weight_decays, updates)
        return jax.tree.map(lambda g, d, p: g + d * p, updates, decays, params)

    return optax.stateless(update)
