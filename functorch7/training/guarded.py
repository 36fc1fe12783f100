"""A training step that changes nothing once a loss or gradient is not finite, so that the host may look later."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import optax
from jax import lax

from ..core import Module
from ..core.backend import traced_for
from ..core.types import Array, Tree
from .first_batch import Step
from .sharding import Sharding
from .state import TrainState
from .step import Descent


def make_guarded_step(module: Module, descent: Descent, sharding: Sharding | None = None) -> Callable:
    """`step(state, (input, target), key, number) -> (state, metrics)`, as `make_train_step`, for runs that go ahead.

    Parameters learn by `descent`.
    metrics: loss; gradient_norm, before any clipping; learning_rate where the optimizer's state shows one
    (`optax.inject_hyperparams`). Where the loss or the norm is not finite, the state stays as it was. `number` is the
    step that the caller counts: a state that stayed behind stays so for good, and is there to be looked at.
    Recurrent state that was forgotten is the exception: there is nothing to keep in its place. The step's key is
    `jax.random.fold_in(key, state.step)`.
    """

    def step(state: TrainState, batch: Any, key: Array, number: Any) -> tuple[TrainState, dict[str, Any]]:
        own_key = jax.random.fold_in(key, state.step)
        (loss, (_, buffers)), gradients, *more = descent.gradient(state.params, state.buffers, batch, own_key)
        known = descent.known(state.params, state.buffers, batch, own_key, loss, gradients)

        def updated(state: TrainState, buffers: Tree, *gradients: Any) -> TrainState:
            params, optimizer_state = descent.update(state.params, state.optimizer_state, *gradients, **known)
            return TrainState(params, buffers, optimizer_state, state.step + 1)

        norm = optax.tree.norm(gradients)
        sound = jnp.isfinite(loss) & jnp.isfinite(norm) & (number == state.step)
        if not _alike(buffers, state.buffers):
            state = state._replace(buffers=buffers)
        state = _where(sound, updated, state, buffers, gradients, *more)
        state = state if sharding is None else sharding.constrain(module, state)
        rate = learning_rate(state.optimizer_state)
        metrics = {"loss": loss, "gradient_norm": norm} | ({} if rate is None else {"learning_rate": rate})
        return state, metrics

    return Step(jax.jit(step, donate_argnums=0), sharding is not None and sharding.one_at_a_time)


def _where(sound: Any, update: Callable, state: Any, *more: Any) -> Any:
    """`update(state, *more)` if sound, else the state: by a branch, or by a choice of each number where branches wait.

    A branch costs nothing on CPU, where a choice costs as much again as the update; a GPU waits for the host to branch.
    """
    if traced_for() == "cpu":
        return lax.cond(sound, update, lambda state, *_: state, state, *more)
    return jax.tree.map(lambda new, old: jnp.where(sound, new, old), update(state, *more), state)


def _alike(one: Any, other: Any) -> bool:
    """Whether two trees have equal structures, shapes and dtypes."""
    forms = [jax.tree.map(lambda leaf: (jnp.shape(leaf), jnp.result_type(leaf)), tree) for tree in (one, other)]
    return jax.tree.structure(one) == jax.tree.structure(other) and forms[0] == forms[1]


def learning_rate(optimizer_state: object) -> jax.Array | None:
    """The rate that `optax.inject_hyperparams` shows in a state; None where there is none, or several."""
    found = [
        value
        for path, value in optax.tree.get_all_with_path(optimizer_state, "learning_rate")
        if isinstance(value, Array)  # and not the state of a schedule
    ]
    return found[0] if len(found) == 1 else None
