"""Learning rates that change from epoch to epoch, as those of rnn's scripts."""

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import optax


def by_epoch(start: float, changes: Mapping[int, float], steps_per_epoch: int) -> optax.Schedule:
    """The rate `start`; after each epoch in `changes`, which count from 1, the rate that stands there.

    With {4: 0.5} the first four epochs have the rate `start`, and all later ones 0.5.
    """
    epochs = sorted(changes)
    rates = [optax.constant_schedule(rate) for rate in (start, *(changes[epoch] for epoch in epochs))]
    return optax.join_schedules(rates, [epoch * steps_per_epoch for epoch in epochs])


def falling(start: float, end: float, epochs: int, steps_per_epoch: int) -> optax.Schedule:
    """From `start` by equal steps, one after each epoch, to `end` after `epochs` of them."""
    fall = (start - end) / epochs

    def rate(step: Any) -> jax.Array:
        done = jnp.asarray(step // steps_per_epoch, jnp.result_type(float))
        return jnp.maximum(end, start - fall * done)

    return rate
