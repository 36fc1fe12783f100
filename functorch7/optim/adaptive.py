"""Rules that adapt the step of each parameter to the sizes of its gradients."""

from typing import Any

import jax
import jax.numpy as jnp
import optax
from optax import tree_utils

from ..core.types import Scalar
from .arguments import check_fraction, check_numbers
from .rates import decayed_rate, one_minus_power
from .rule import rule_of


def _no_moments(params: Any) -> optax.ScaleByAdamState:
    mu, nu = (jax.tree.map(jnp.zeros_like, params) for _ in range(2))
    return optax.ScaleByAdamState(jnp.zeros((), jnp.int32), mu, nu)


def _scale_by_adam(beta1: Scalar, beta2: Scalar, epsilon: Scalar) -> optax.GradientTransformation:
    """sqrt(1 - beta2^t) / (1 - beta1^t) * m / (sqrt(v) + epsilon); optax adds epsilon after the correction of v."""

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, optax.ScaleByAdamState]:
        count = optax.safe_increment(state.count)
        mu = tree_utils.tree_update_moment(updates, state.mu, beta1, 1)
        nu = tree_utils.tree_update_moment(updates, state.nu, beta2, 2)
        exponent = jnp.asarray(count, jnp.result_type(float))
        correction = jnp.sqrt(one_minus_power(beta2, exponent)) / one_minus_power(beta1, exponent)
        scaled = jax.tree.map(lambda m, v: correction.astype(m.dtype) * m / (jnp.sqrt(v) + epsilon), mu, nu)
        return scaled, optax.ScaleByAdamState(count, mu, nu)

    return optax.GradientTransformation(_no_moments, update)


def adam(
    learning_rate: Scalar = 1e-3,
    learning_rate_decay: Scalar = 0,
    beta1: Scalar = 0.9,
    beta2: Scalar = 0.999,
    epsilon: Scalar = 1e-8,
    weight_decay: Scalar = 0,
) -> optax.GradientTransformation:
    """x = x - rate * sqrt(1 - beta2^t) / (1 - beta1^t) * m / (sqrt(v) + epsilon), m and v averages of g and g^2.

    rate = learning_rate / (1 + (t - 1) * learning_rate_decay), and weight_decay * x is added to g. Epsilon is added
    before the correction of v (the paper's epsilon hat), unlike in optax and PyTorch.
    Raises: TypeError for values other than numbers; ValueError for betas outside of [0, 1).
    Source: optim/doc/algos.md, adam; Kingma & Ba, 2014.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> rule, x = f7.optim.adam(0.5), jnp.array([3.0, 4.0])
    >>> [f"{change:.3f}" for change in jax.jit(rule.update)(jnp.array([1.0, -2.0]), rule.init(x), x)[0]]
    ['-0.500', '0.500']
    """
    check_fraction("adam", beta1=beta1, beta2=beta2)
    check_numbers("adam", epsilon=epsilon, weight_decay=weight_decay)
    return rule_of(
        "adam",
        optax.add_decayed_weights(weight_decay),
        _scale_by_adam(beta1, beta2, epsilon),
        decayed_rate("adam", learning_rate, learning_rate_decay),
    )


def _scale_by_adamax(beta1: Scalar, beta2: Scalar, epsilon: Scalar) -> optax.GradientTransformation:
    """m / (1 - beta1^t) / u, with u = max(beta2 * u, |g| + epsilon); optax's lets such a small epsilon become 0."""

    def largest(g: jax.Array, u: jax.Array) -> jax.Array:
        smallest = jnp.maximum(jnp.asarray(epsilon, g.dtype), jnp.finfo(g.dtype).tiny)
        return jnp.maximum(jnp.abs(g) + smallest, beta2 * u)

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, optax.ScaleByAdamState]:
        count = optax.safe_increment(state.count)
        mu = tree_utils.tree_update_moment(updates, state.mu, beta1, 1)
        nu = jax.tree.map(largest, updates, state.nu)
        correction = one_minus_power(beta1, jnp.asarray(count, jnp.result_type(float)))
        factor = 1 / correction  # not m / u / correction: XLA would divide by u * correction, which may be 0
        scaled = jax.tree.map(lambda m, u: m / u * factor.astype(m.dtype), mu, nu)
        return scaled, optax.ScaleByAdamState(count, mu, nu)

    return optax.GradientTransformation(_no_moments, update)


def adamax(
    learning_rate: Scalar = 0.002,
    beta1: Scalar = 0.9,
    beta2: Scalar = 0.999,
    epsilon: Scalar = 1e-38,
    weight_decay: Scalar = 0,
) -> optax.GradientTransformation:
    """x = x - learning_rate / (1 - beta1^t) * m / u, with m the average of g and u = max(beta2 * u, |g| + epsilon).

    Differs from Torch7: epsilon is at least the smallest normal number of the dtype (1.2e-38 in float32): XLA takes
    smaller ones for 0, and a gradient of 0 would give NaN.
    Raises: TypeError for values other than numbers; ValueError for betas outside of [0, 1).
    Source: optim/doc/algos.md, adamax; Kingma & Ba, 2014.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> rule, x = f7.optim.adamax(0.5), jnp.array([3.0, 4.0])
    >>> [f"{change:.3f}" for change in jax.jit(rule.update)(jnp.array([1.0, -2.0]), rule.init(x), x)[0]]
    ['-0.500', '0.500']
    """
    check_fraction("adamax", beta1=beta1, beta2=beta2)
    check_numbers("adamax", learning_rate=learning_rate, epsilon=epsilon, weight_decay=weight_decay)
    return rule_of(
        "adamax",
        optax.add_decayed_weights(weight_decay),
        _scale_by_adamax(beta1, beta2, epsilon),
        optax.scale_by_learning_rate(learning_rate),
    )


def _scale_by_sum_of_squares() -> optax.GradientTransformation:
    """g / (sqrt(sum of g^2) + 1e-10); optax adds its epsilon inside the root."""

    def init(params: Any) -> optax.ScaleByRssState:
        return optax.ScaleByRssState(jax.tree.map(jnp.zeros_like, params))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, optax.ScaleByRssState]:
        squares = jax.tree.map(lambda g, s: s + g * g, updates, state.sum_of_squares)
        return jax.tree.map(lambda g, s: g / (jnp.sqrt(s) + 1e-10), updates, squares), optax.ScaleByRssState(squares)

    return optax.GradientTransformation(init, update)


def adagrad(
    learning_rate: Scalar = 1e-3, learning_rate_decay: Scalar = 0, weight_decay: Scalar = 0
) -> optax.GradientTransformation:
    """x = x - learning_rate / (1 + t * learning_rate_decay) * g / (sqrt(G) + 1e-10), with G the sum of all g^2.

    weight_decay * x is added to g.
    Raises: TypeError for values other than numbers.
    Source: optim/doc/algos.md, adagrad; Duchi et al., 2011.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> rule, x = f7.optim.adagrad(0.5), jnp.array([3.0, 4.0])
    >>> [f"{change:.3f}" for change in jax.jit(rule.update)(jnp.array([1.0, -2.0]), rule.init(x), x)[0]]
    ['-0.500', '0.500']
    """
    check_numbers("adagrad", weight_decay=weight_decay)
    return rule_of(
        "adagrad",
        optax.add_decayed_weights(weight_decay),
        _scale_by_sum_of_squares(),
        decayed_rate("adagrad", learning_rate, learning_rate_decay),
    )


def adadelta(rho: Scalar = 0.9, eps: Scalar = 1e-6, weight_decay: Scalar = 0) -> optax.GradientTransformation:
    """delta = sqrt(D + eps) / sqrt(E + eps) * g; x = x - delta; E and D are averages of g^2 and delta^2.

    weight_decay * x is added to g. There is no learning rate.
    Raises: TypeError for values other than numbers; ValueError for rho outside of [0, 1).
    Source: optim/doc/algos.md, adadelta; Zeiler, 2012.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> rule, x = f7.optim.adadelta(), jnp.array([3.0, 4.0])
    >>> [f"{change:.3f}" for change in jax.jit(rule.update)(jnp.array([1.0, -2.0]), rule.init(x), x)[0]]
    ['-0.003', '0.003']
    """
    check_fraction("adadelta", rho=rho)
    check_numbers("adadelta", eps=eps, weight_decay=weight_decay)
    return rule_of(
        "adadelta", optax.add_decayed_weights(weight_decay), optax.scale_by_adadelta(rho, eps), optax.scale(-1.0)
    )


def rmsprop(
    learning_rate: Scalar = 1e-2,
    alpha: Scalar = 0.99,
    epsilon: Scalar = 1e-8,
    weight_decay: Scalar = 0,
    initial_mean: Scalar = 0,
) -> optax.GradientTransformation:
    """x = x - learning_rate * g / (sqrt(m) + epsilon), with m the average of g^2, at first initial_mean.

    weight_decay * x is added to g.
    Raises: TypeError for values other than numbers; ValueError for alpha outside of [0, 1).
    Source: optim/doc/algos.md, rmsprop; Hinton, 2012.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> rule, x = f7.optim.rmsprop(0.5), jnp.array([3.0, 4.0])
    >>> [f"{change:.3f}" for change in jax.jit(rule.update)(jnp.array([1.0, -2.0]), rule.init(x), x)[0]]
    ['-5.000', '5.000']
    """
    check_fraction("rmsprop", alpha=alpha)
    check_numbers(
        "rmsprop", learning_rate=learning_rate, epsilon=epsilon, weight_decay=weight_decay, initial_mean=initial_mean
    )
    return rule_of(
        "rmsprop",
        optax.add_decayed_weights(weight_decay),
        optax.scale_by_rms(alpha, epsilon, initial_mean, eps_in_sqrt=False),
        optax.scale_by_learning_rate(learning_rate),
    )
