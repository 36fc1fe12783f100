"""The loss whose gradient is REINFORCE's."""

import jax
import jax.numpy as jnp

from ..core import Emitted, emitted
from ..core.types import ArrayLike, Tree


def reward_as(reward: ArrayLike, log_prob: Emitted) -> jax.Array:
    """The reward for each element of a log-probability.

    `reward` has one number per example (B), one per step and example (T x B), or the log-probability's shape, or its
    first sizes: those of a loop of the caller's own are not among the steps.
    Raises: ValueError for rewards of other shapes.
    """
    shape, time_axes = jnp.shape(log_prob.value), log_prob.time_axes
    reward = jnp.asarray(reward, log_prob.value.dtype)
    if reward.shape == shape:
        return reward
    steps = shape[:time_axes] if reward.ndim > time_axes else (1,) * time_axes
    leading = steps + reward.shape[-1:]
    if time_axes < reward.ndim and reward.shape == shape[: reward.ndim]:
        leading = reward.shape
    elif len(shape) > time_axes and reward.shape[-1:] != shape[time_axes : time_axes + 1]:
        leading = (*steps, 1) if reward.shape[-1:] == (1,) else leading
    try:
        return jnp.broadcast_to(reward.reshape(leading + (1,) * (len(shape) - len(leading))), shape)
    except (ValueError, TypeError):
        raise ValueError(
            f"reinforce: expected one reward per example for samples of shape {shape}, got shape {reward.shape}"
        ) from None


def reinforce_loss(buffers: Tree, reward: ArrayLike) -> jax.Array:
    """-sum(reward * log p) over all stochastic modules: its gradient is REINFORCE's (Williams, 1992).

    Raises: ValueError if nothing was drawn, as in evaluation, since there would be no gradient.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> layer = f7.ReinforceBernoulli()
    >>> _, buffers = layer.apply({}, layer.init_buffers(), jnp.array([0.5]), key=jax.random.key(0), train=True)
    >>> f"{f7.reinforce_loss(buffers, jnp.array([1.0])).item():.3f}"  # -1 * log 0.5
    '0.693'
    """
    reward = jax.lax.stop_gradient(reward)
    nodes = [node for node in emitted(buffers, "log_prob") if node.value is not None]
    if not nodes:
        raise ValueError(
            "reinforce_loss: expected the buffers of a call that draws, with train=True, of a network with stochastic "
            "modules such as nn.ReinforceNormal"
        )
    return -sum((jnp.sum(reward_as(reward, node) * node.value) for node in nodes), jnp.asarray(0.0))
