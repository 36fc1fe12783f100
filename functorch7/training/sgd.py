"""A training step by plain gradient descent that leaves alone what a batch does not read."""

from collections.abc import Callable
from typing import Any

from ..checks.numbers import check_amount
from ..core import Module
from ..core.types import Tree, Value
from .given import check_parts
from .row_gradients import RowGradients, descend, value_and_row_grad
from .step import Descent, TrainStep, make_loss, step_by


def make_sgd_step(
    module: Module,
    criterion: Callable,
    learning_rate: float,
    *,
    metrics: Callable[[Value, Value], dict[str, Value]] | None = None,
) -> TrainStep:
    """`step(state, (input, target), key=None) -> (state, metrics)`, as that of `make_train_step` with `optax.sgd`.

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
    check_amount("make_sgd_step", "learning_rate", learning_rate)

    def update(params: Tree, optimizer_state: Any, gradients: RowGradients) -> tuple[Tree, Any]:
        return descend(params, gradients, learning_rate), optimizer_state

    gradient = value_and_row_grad(module, make_loss(module, criterion))
    return step_by("make_sgd_step", Descent(gradient, lambda *_: {}, update), metrics)
