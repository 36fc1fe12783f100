"""A training step by plain gradient descent that leaves alone what a batch does not read."""

from collections.abc import Callable
from typing import Any

import jax

from ..core import Module
from ..core.types import Key, Value
from .first_batch import Step
from .given import check_parts
from .row_gradients import descend, value_and_row_grad
from .state import TrainState
from .step import make_loss


def make_sgd_step(
    module: Module,
    criterion: Callable,
    learning_rate: float,
    *,
    metrics: Callable[[Value, Value], dict[str, Value]] | None = None,
) -> Callable:
    """`step(state, (input, target), key) -> (state, metrics)`, as `make_train_step(..., optax.sgd(learning_rate))`.

    The parameters of layers that read them in places (LookupTable, SparseLinear, IndexLinear, NCEModule, SoftMaxTree)
    change only there, inside recurrences too: a step costs what the batch has entries, however large the tables are.
    Make the state by `init_state(module, optax.identity(), key)`.
    Raises: as `make_train_step`.

    >>> import functorch7 as f7, jax, jax.numpy as jnp, optax
    >>> from functorch7.training import init_state
    >>> module = f7.Sequential(f7.LookupTable(100_000, 8), f7.Mean(2), f7.Linear(8, 1))
    >>> step = make_sgd_step(module, f7.MSECriterion(), 0.1)
    >>> state = init_state(module, optax.identity(), jax.random.key(0))
    >>> state, metrics = step(state, (jnp.array([[1, 5, 9]]), jnp.zeros((1, 1))), None)
    >>> sorted(metrics)
    ['loss']
    """
    check_parts("make_sgd_step", module, criterion)
    gradient = value_and_row_grad(module, make_loss(module, criterion))

    def step(state: TrainState, batch: tuple[Any, Any], key: Key) -> tuple[TrainState, dict[str, Any]]:
        (loss, (output, buffers)), gradients = gradient(state.params, state.buffers, batch, key)
        params = descend(state.params, gradients, learning_rate)
        more = metrics(output, batch[1]) if metrics else {}
        return TrainState(params, buffers, state.optimizer_state, state.step + 1), {"loss": loss, **more}

    return Step(jax.jit(step, donate_argnums=0))
