"""What training changes, and how it begins."""

from typing import Any, NamedTuple

import jax
import numpy as np
import optax

from ..core import Module, Variables
from ..core.types import Value


class TrainState(NamedTuple):
    """What training changes: parameters, buffers, the optimiser's state, and the number of steps taken."""

    params: Value
    buffers: Value
    optimizer_state: Value
    step: jax.Array


def init_state(
    module: Module, optimizer: optax.GradientTransformation, key_or_variables: jax.Array | Variables
) -> TrainState:
    """A fresh state from a random key, or from variables that exist already (which are copied).

    The step donates its state: arrays handed in here stay valid, the state's own are gone after each step.
    """
    if isinstance(key_or_variables, Variables):
        variables = _copied(key_or_variables)
    else:
        variables = module.init(key_or_variables)
    none_yet = jax.device_put(np.int32(0))
    state = TrainState(variables.params, variables.buffers, optimizer.init(variables.params), none_yet)
    return _each_its_own(state)


def _copied(tree: Any) -> Any:
    """Arrays of their own; jnp.copy compiles a program for each shape."""
    return jax.device_put(tree, may_alias=False)


def _each_its_own(state: TrainState) -> TrainState:
    """The state without an array that is in it twice: memory can be donated once (prodigy keeps the parameters)."""
    seen: set[int] = set()

    def own(leaf: Any) -> Any:
        known = id(leaf) in seen
        seen.add(id(leaf))
        return _copied(leaf) if known else leaf

    return jax.tree.map(own, state)
