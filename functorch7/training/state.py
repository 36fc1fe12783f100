"""What training changes, and how it begins."""

from typing import Any, NamedTuple

import jax
import numpy as np
import optax

from ..core import Module, describe, is_concrete
from ..core.types import Value
from ..network import check_module
from .given import as_variables, check_optimizer


class TrainState(NamedTuple):
    """What training changes: parameters, buffers, the optimiser's state, and the number of steps taken."""

    params: Value
    buffers: Value
    optimizer_state: Value
    step: jax.Array


def check_step(who: str, state: object, batch: object) -> None:
    """Raises TypeError unless given a state of a step, and a batch of an input and a target."""
    if not isinstance(state, TrainState):
        raise TypeError(f"{who}: expected a TrainState, as init_state makes it, got {type(state).__name__}")
    if not isinstance(batch, (tuple, list)) or len(batch) != 2:
        raise TypeError(f"{who}: expected a batch (input, target), got {describe(batch)}")


def init_state(
    module: Module, optimizer: optax.GradientTransformation, key_or_variables: jax.Array | tuple[Value, Value]
) -> TrainState:
    """A fresh state from a random key, or from existing variables (params, buffers), which are copied.

    A step reuses the memory of its state: arrays that are passed in here stay valid, those of the state do not.
    Raises: TypeError unless given a module and an optimizer; ValueError for variables of another module.

    >>> import functorch7 as f7, jax, optax
    >>> from functorch7.training import init_state
    >>> state = init_state(f7.Linear(3, 2), optax.sgd(0.1), jax.random.key(0))
    >>> state.params["weight"].shape, int(state.step)
    ((2, 3), 0)
    """
    check_module("init_state", module)
    check_optimizer("init_state", optimizer)
    if isinstance(key_or_variables, tuple):
        variables = _copied(as_variables("init_state", module, key_or_variables))
    else:
        variables = module.init(key_or_variables)
    none_yet = jax.device_put(np.int32(0))
    optimizer_state = _initial(optimizer, variables.params)
    return _each_its_own(TrainState(variables.params, variables.buffers, optimizer_state, none_yet))


def _initial(optimizer: optax.GradientTransformation, params: Value) -> Value:
    """The optimizer's state: made by one program, not one for each shape, if all parameters are on one device.

    On several devices it has to lie as they do, which a program would not see to.
    """
    arrays = jax.tree.leaves(params)
    devices = {device for array in arrays if is_concrete(array) for device in array.devices()}
    is_on_one = len(devices) == 1 and all(map(is_concrete, arrays))
    return (jax.jit(optimizer.init) if is_on_one else optimizer.init)(params)


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
