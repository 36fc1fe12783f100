"""Gradient descent with momentum: Torch's, Nesterov's, and dpnn's for any rule."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from ..core import is_concrete
from ..core.precision import widened
from ..core.types import Input, Params, Scalar, Tree, Value
from .arguments import check_numbers, is_fixed, matters
from .rates import decayed_rate, own_decays, own_rates
from .rule import rule_of


class DampedTraceState(NamedTuple):
    """The velocity, and whether there was an update before."""

    started: jax.Array
    trace: Tree


def _damped_trace(momentum: Scalar, dampening: Scalar, first: Scalar, nesterov: bool) -> optax.GradientTransformation:
    """v = momentum * v + (1 - dampening) * g, at first v = first * g; returns v, or g + momentum * v."""

    def init(params: Any) -> DampedTraceState:
        return DampedTraceState(jnp.array(False), jax.tree.map(jnp.zeros_like, params))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, DampedTraceState]:
        weight = jnp.where(state.started, 1 - dampening, first)
        trace = jax.tree.map(lambda g, v: momentum * v + weight.astype(g.dtype) * g, updates, state.trace)
        given = jax.tree.map(lambda g, v: g + momentum * v, updates, trace) if nesterov else trace
        return given, DampedTraceState(jnp.array(True), trace)

    return optax.GradientTransformation(init, update)


def sgd(
    learning_rate: Scalar = 1e-3,
    learning_rate_decay: Scalar = 0,
    weight_decay: Scalar = 0,
    momentum: Scalar = 0,
    dampening: Scalar | None = None,
    nesterov: bool = False,
    learning_rates: Input | None = None,
    weight_decays: Input | None = None,
) -> optax.GradientTransformation:
    """v = momentum * v + (1 - dampening) * g; x = x - learning_rate / (1 + t * learning_rate_decay) * v.

    The first velocity is g itself, and dampening is the momentum by default; for the momentum of most libraries,
    use `dampening=0`. With nesterov g + momentum * v takes the place of v. Before all this, weight_decay * x is added
    to g; or, if that is 0, weight_decays * x. learning_rates multiply the step. Both are arrays or trees of arrays
    that broadcast to the parameters.
    Raises: ValueError for nesterov without momentum or with dampening; TypeError for values other than numbers.
    Source: optim/doc/algos.md, sgd; Sutskever et al., 2013.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> rule, x = f7.optim.sgd(0.5), jnp.array([3.0, 4.0])
    >>> jax.jit(rule.update)(jnp.array([1.0, -2.0]), rule.init(x), x)[0].tolist()
    [-0.5, 1.0]
    """
    dampening = momentum if dampening is None else dampening
    check_numbers("sgd", weight_decay=weight_decay, momentum=momentum, dampening=dampening)
    known = is_concrete(momentum) and is_concrete(dampening)
    if nesterov and known and (momentum <= 0 or dampening != 0):
        raise ValueError(
            "optim.sgd: Nesterov momentum requires a momentum and zero dampening, "
            f"got momentum {momentum}, dampening {dampening}"
        )
    parts = [optax.add_decayed_weights(weight_decay)]
    if weight_decays is not None and not is_fixed(weight_decay):
        weight_decays = jax.tree.map(lambda decay: jnp.where(weight_decay == 0, decay, 0), weight_decays)
        parts.append(own_decays("sgd", weight_decays))
    elif weight_decays is not None and not matters(weight_decay):
        parts = [own_decays("sgd", weight_decays)]
    if matters(momentum) and matters(dampening):
        parts.append(_damped_trace(momentum, dampening, 1, nesterov))
    elif matters(momentum):
        parts.append(optax.trace(momentum, nesterov))
    return rule_of(
        "sgd", *parts, decayed_rate("sgd", learning_rate, learning_rate_decay), own_rates("sgd", learning_rates)
    )


def nag(
    learning_rate: Scalar = 1e-3,
    learning_rate_decay: Scalar = 0,
    weight_decay: Scalar = 0,
    momentum: Scalar = 0.9,
    learning_rates: Input | None = None,
) -> optax.GradientTransformation:
    """Nesterov's accelerated gradient: v = momentum * v - rate * g(x + momentum * v); x = x + v.

    The parameters are kept at x + momentum * v, where the gradient is needed, so that any training step can be used;
    `nag_position` returns x. rate = learning_rate / (1 + t * learning_rate_decay), times learning_rates if given.
    Raises: ValueError for a momentum that is not positive; TypeError for values other than numbers.
    Source: optim/doc/algos.md, nag; Sutskever et al., 2013.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> rule, x = f7.optim.nag(0.5, momentum=0.5), jnp.array([3.0, 4.0])
    >>> [f"{change:.3f}" for change in jax.jit(rule.update)(jnp.array([1.0, -2.0]), rule.init(x), x)[0]]
    ['-0.750', '1.500']
    """
    check_numbers("nag", weight_decay=weight_decay, momentum=momentum)
    if is_concrete(momentum) and momentum <= 0:
        raise ValueError(
            f"optim.nag: Momentum must be positive for Nesterov Accelerated Gradient, got momentum {momentum}"
        )
    return rule_of(
        "nag",
        optax.add_decayed_weights(weight_decay),
        decayed_rate("nag", learning_rate, learning_rate_decay),
        own_rates("nag", learning_rates),
        optax.trace(momentum, nesterov=True),
    )


def nag_position(params: Params, state: Value, momentum: Scalar = 0.9) -> Value:
    """x = params - momentum * v: Torch's position, from the parameters and the state of `nag` with this momentum."""
    velocity = optax.tree_utils.tree_get(state, "trace")
    return jax.tree.map(lambda p, v: (widened(p) - momentum * v).astype(jnp.result_type(p)), params, velocity)


def momentum(factor: Scalar, damping: Scalar | None = None, nesterov: bool = False) -> optax.GradientTransformation:
    """v = factor * v + (1 - damping) * g, and g = v, or g + factor * v: dpnn's momentum, chained before a rule.

    v starts as the first g, so that the first v is (factor + 1 - damping) * g. Damping is the factor unless given.
    A factor of 0 or less does nothing.
    Raises: TypeError for values other than numbers.
    Source: dpnn/README.md, Module.updateGradParameters.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> rule, x = f7.optim.momentum(0.5), jnp.array([3.0, 4.0])
    >>> jax.jit(rule.update)(jnp.array([1.0, -2.0]), rule.init(x), x)[0].tolist()
    [1.0, -2.0]
    """
    damping = factor if damping is None else damping
    check_numbers("momentum", factor=factor, damping=damping)
    if is_fixed(factor) and factor <= 0:
        return optax.identity()
    return rule_of("momentum", _damped_trace(factor, damping, factor + 1 - damping, nesterov))
