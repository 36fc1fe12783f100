"""Averaged stochastic gradient descent."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from optax import tree_utils

from ..core.types import Array, Scalar, Tree, Value
from .arguments import check_numbers, need_params
from .rule import rule_of


class AsgdState(NamedTuple):
    """The number of updates so far, and the average of the parameters."""

    count: Value
    average: Tree


def asgd_rates(count: Value, eta0: Scalar, lambda_: Scalar, alpha: Scalar, t0: Scalar) -> tuple[Array, Array]:
    """(eta0 / (1 + lambda_ * eta0 * t)^alpha, 1 / max(1, t - t0)), for t a NumPy or JAX number."""
    return eta0 / (1 + lambda_ * eta0 * count) ** alpha, 1 / (count - t0).clip(1)


def asgd(
    eta0: Scalar = 1e-4, lambda_: Scalar = 1e-4, alpha: Scalar = 0.75, t0: Scalar = 1e6
) -> optax.GradientTransformation:
    """x = (1 - lambda_ * eta) x - eta * g, and the average a = a + mu (x - a), which `asgd_average` gives.

    eta = eta0 / (1 + lambda_ * eta0 * t)^alpha and mu = 1 / max(1, t - t0), where t counts the updates before; a is x
    until t0.
    Raises: TypeError for values other than numbers.
    Source: optim/doc/algos.md, asgd; Bottou, 2010.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> rule, x = f7.optim.asgd(0.5, lambda_=0), jnp.array([3.0, 4.0])
    >>> jax.jit(rule.update)(jnp.array([1.0, -2.0]), rule.init(x), x)[0].tolist()
    [-0.5, 1.0]
    """
    check_numbers("asgd", eta0=eta0, lambda_=lambda_, alpha=alpha, t0=t0)

    def init(params: Any) -> AsgdState:
        return AsgdState(jnp.zeros((), jnp.int32), jax.tree.map(jnp.array, params))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, AsgdState]:
        need_params("asgd", params)
        eta, mu = asgd_rates(jnp.asarray(state.count, jnp.result_type(float)), eta0, lambda_, alpha, t0)
        updates = jax.tree.map(lambda g: -eta.astype(g.dtype) * g, updates)
        moved = optax.apply_updates(params, updates)
        average = jax.tree.map(
            lambda a, x: jnp.where(mu == 1, x, a + mu.astype(a.dtype) * (x - a)), state.average, moved
        )
        return updates, AsgdState(optax.safe_increment(state.count), average)

    return rule_of("asgd", optax.add_decayed_weights(lambda_), optax.GradientTransformation(init, update))


def asgd_average(state: Value) -> Value:
    """The average of the parameters in a state of `asgd`; before the first update, the parameters."""
    return tree_utils.tree_get(state, "average")
