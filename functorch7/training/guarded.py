"""A training step that changes nothing once a loss or gradient is not finite, so that the host may look later."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import optax

from ..core import Module
from .step import TrainState, make_loss


def make_guarded_step(
    module: Module, criterion: Callable, optimizer: optax.GradientTransformation, compute_dtype: Any = None
) -> Callable:
    """`step(state, (input, target), key, number) -> (state, metrics)`, as `make_train_step`, for runs that go ahead.

    metrics: loss; gradient_norm, before any clipping; learning_rate where the optimizer's state shows one
    (`optax.inject_hyperparams`). Where the loss or the norm is not finite, the state stays as it was. `number` is the
    step that the caller counts: a state that stayed behind stays so for good, and is there to be looked at.
    Recurrent state that was forgotten is the exception: there is nothing to keep in its place. The step's key is
    `jax.random.fold_in(key, state.step)`.
    """
    gradient = jax.value_and_grad(make_loss(module, criterion, compute_dtype), has_aux=True)

    def step(state: TrainState, batch: Any, key: Any, number: Any) -> tuple[TrainState, dict[str, Any]]:
        own_key = jax.random.fold_in(key, state.step)
        (loss, (_, buffers)), gradients = gradient(state.params, state.buffers, batch, own_key)
        norm = optax.tree.norm(gradients)
        updates, optimizer_state = optimizer.update(gradients, state.optimizer_state, state.params)
        new = TrainState(optax.apply_updates(state.params, updates), buffers, optimizer_state, state.step + 1)
        sound = jnp.isfinite(loss) & jnp.isfinite(norm) & (number == state.step)
        rate = learning_rate(optimizer_state)
        metrics = {"loss": loss, "gradient_norm": norm} | ({} if rate is None else {"learning_rate": rate})
        return _chosen(sound, new, state), metrics

    return jax.jit(step, donate_argnums=0)


def learning_rate(optimizer_state: Any) -> Any:
    """The rate that `optax.inject_hyperparams` shows in a state; None where there is none, or several."""
    found = [
        value
        for path, value in optax.tree.get_all_with_path(optimizer_state, "learning_rate")
        if isinstance(value, jax.Array)  # and not the state of a schedule
    ]
    return found[0] if len(found) == 1 else None


def _chosen(sound: Any, new: TrainState, old: TrainState) -> TrainState:
    def choose(new: Any, old: Any) -> Any:
        return jax.tree.map(lambda new, old: jnp.where(sound, new, old), new, old)

    same = jax.tree.structure(new.buffers) == jax.tree.structure(old.buffers)
    return TrainState(
        choose(new.params, old.params),
        choose(new.buffers, old.buffers) if same else new.buffers,
        choose(new.optimizer_state, old.optimizer_state),
        choose(new.step, old.step),
    )
