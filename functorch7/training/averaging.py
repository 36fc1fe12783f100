"""Exponential moving averages of the parameters, kept in the optimiser's state."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from ..core.precision import widened
from ..core.types import Tree, Value
from ..optim.rates import one_minus_power
from .asked import asking


class Averaged(NamedTuple):
    """The state of `averaged`: the optimiser's own, and optax.ema's."""

    inner: Value
    average: optax.EmaState


def averaged(optimizer: optax.GradientTransformation, decay: float) -> optax.GradientTransformation:
    """`optimizer`, with an average of the parameters after each update: decay * average + (1 - decay) * parameters.

    `average_of` reads it out of the state, corrected for its start at zero. Of parameters of 16 bits it is kept in
    float32, as it changes by less than they can tell apart. It moves by (1 - decay) of the way to the parameters, so
    that it ends where they stay: in float32, 0.99999 and its own complement are no longer 1 together.
    Raises: ValueError unless 0 <= decay < 1.

    >>> import jax.numpy as jnp, optax
    >>> from functorch7.training import average_of, averaged
    >>> optimizer, x = averaged(optax.sgd(1.0), decay=0.5), jnp.array([1.0])
    >>> _, state = optimizer.update(jnp.array([-2.0]), optimizer.init(x), x)
    >>> average_of(state, decay=0.5).tolist()  # of the one that there has been
    [3.0]
    """
    if not 0 <= decay < 1:
        raise ValueError(f"averaged: expected a decay from 0 to below 1, got {decay}")
    asked = asking(optimizer)

    def init(params: Any) -> Averaged:
        zeros = jax.tree.map(jnp.zeros_like, widened(params))
        return Averaged(optimizer.init(params), optax.EmaState(jnp.zeros((), jnp.int32), zeros))

    def update(gradients: Any, state: Any, params: Any = None, **known: Any) -> tuple[Any, Averaged]:
        updates, inner = asked.update(gradients, state.inner, params, **known)
        moved: Any = optax.apply_updates(params, updates)
        average = jax.tree.map(lambda mean, now: mean + (1 - decay) * (now - mean), state.average.ema, widened(moved))
        return updates, Averaged(inner, optax.EmaState(optax.safe_increment(state.average.count), average))

    return optax.GradientTransformationExtraArgs(init, update)  # type: ignore[arg-type]


def average_of(optimizer_state: Tree, decay: float) -> Tree:
    """The averaged parameters, from the state of an optimizer that has `averaged` in it.

    Raises: ValueError if there is no average, or no update yet.
    """
    nodes = jax.tree.leaves(optimizer_state, is_leaf=lambda node: isinstance(node, Averaged))
    found = next((node.average for node in nodes if isinstance(node, Averaged)), None)
    if found is None or found.count == 0:
        raise ValueError("average_of: no average was kept yet; the optimizer is averaged(optimizer, decay)")
    return jax.tree.map(lambda ema: ema / one_minus_power(decay, jnp.asarray(found.count, ema.dtype)), found.ema)
