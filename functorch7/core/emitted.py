"""Side outputs: penalties and log-probabilities that `apply` leaves in the buffers it returns."""

from dataclasses import dataclass, field, replace
from typing import Any

import jax
import jax.numpy as jnp


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Emitted:
    """A side output in the buffers: written by `apply`, never read by it; its value is None on the way in.

    `kind` is "loss" (a scalar to add to the criterion's), "log_prob" (of a sample, element by element), or "parameter"
    (the layer's weight, changed by the call);
    `time_axes` counts the leading axes that enclosing sequencers have stacked.
    """

    value: Any = None
    kind: str = field(default="loss", metadata={"static": True})
    time_axes: int = field(default=0, metadata={"static": True})


def is_emitted(node: Any) -> bool:
    """True for a side output; for use as `is_leaf`."""
    return isinstance(node, Emitted)


def emitted(buffers: Any, kind: str) -> list[Emitted]:
    """All side outputs of one kind, in the tree's order."""
    nodes = jax.tree.leaves(buffers, is_leaf=is_emitted)
    return [node for node in nodes if is_emitted(node) and node.kind == kind]


def without_emitted(buffers: Any) -> Any:
    """`buffers` with every side output emptied: the structure that `init` gave."""
    return jax.tree.map(lambda b: Emitted(None, b.kind) if is_emitted(b) else b, buffers, is_leaf=is_emitted)


def penalty(buffers: Any) -> Any:
    """Sum of the emitted losses (L1Penalty and its kin), to be added to the criterion's."""
    return sum((node.value for node in emitted(buffers, "loss") if node.value is not None), 0.0)


def reward_as(reward: Any, log_prob: Emitted) -> jax.Array:
    """The reward spread over a log-probability's elements.

    `reward` has one number per example (B), one per step and example (T x B), or the log-probability's shape.
    Raises: ValueError for rewards of other shapes.
    """
    shape, time_axes = jnp.shape(log_prob.value), log_prob.time_axes
    reward = jnp.asarray(reward, log_prob.value.dtype)
    if reward.shape == shape:
        return reward
    steps = shape[:time_axes] if reward.ndim > time_axes else (1,) * time_axes
    leading = steps + reward.shape[-1:]
    if len(shape) > time_axes and reward.shape[-1:] != shape[time_axes : time_axes + 1]:
        leading = (*steps, 1) if reward.shape[-1:] == (1,) else leading
    try:
        return jnp.broadcast_to(reward.reshape(leading + (1,) * (len(shape) - len(leading))), shape)
    except (ValueError, TypeError):
        raise ValueError(
            f"reinforce: expected one reward per example for samples of shape {shape}, got shape {reward.shape}"
        ) from None


def reinforce_loss(buffers: Any, reward: Any) -> Any:
    """-sum(reward * log p) over all stochastic modules: its gradient is REINFORCE's (Williams, 1992)."""
    reward = jax.lax.stop_gradient(reward)
    nodes = [node for node in emitted(buffers, "log_prob") if node.value is not None]
    return -sum((jnp.sum(reward_as(reward, node) * node.value) for node in nodes), 0.0)


def stacked_over_time(node: Emitted) -> Emitted:
    """A side output that a scan has collected: losses are summed, log-probabilities keep their time axis."""
    if node.value is None:
        return node
    if node.kind == "loss":
        return replace(node, value=node.value.sum(0))
    if node.kind == "parameter":
        return replace(node, value=node.value[-1])
    return replace(node, time_axes=node.time_axes + 1)


def both(old: Any, new: Any) -> Any:
    """A buffer after one more call of its module in the same forward: of side outputs, losses add up."""
    if not is_emitted(new) or old is new or old.value is None or new.value is None or new.kind == "parameter":
        return new
    if new.kind != "loss":
        raise TypeError("a module that draws for REINFORCE can be called once in a forward")
    return replace(new, value=old.value + new.value)
