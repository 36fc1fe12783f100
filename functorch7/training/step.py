"""One training step: a jitted pure function of the state, a batch and a key."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import optax
from jax.typing import DTypeLike

from ..core import Module, describe, penalty, without_emitted
from ..core.keys import folded
from ..core.precision import cast_floating
from ..core.probe import silent
from ..core.types import Batch, Key, Tree, Value
from ..losses import Criterion
from ..reinforce import reinforce_loss
from .asked import asking, known
from .first_batch import Step, check_first
from .given import check_optimizer, check_optimizer_state, check_parts, check_updates, is_number, name_of
from .sharding import Sharding
from .state import TrainState, check_step


def make_loss(module: Module, criterion: Callable, compute_dtype: DTypeLike | None = None) -> Callable:
    """`loss(params, buffers, batch, key) -> (loss, (output, buffers))`, in training mode.

    The loss is that of the criterion plus the penalties that layers emit, plus REINFORCE's surrogate if the criterion
    has an `advantage(output, target)`. With compute_dtype (such as bfloat16) the network runs in this type, on a cast
    copy of the parameters; parameters, buffers and the loss keep their dtypes. To train a criterion with parameters,
    put it into the network as a CriterionTable.
    The loss raises TypeError if the criterion does not return one number.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> from functorch7.training import make_loss
    >>> batch = jnp.array([3.0]), jnp.array([8.0])
    >>> loss, (output, buffers) = make_loss(f7.Square(), f7.MSECriterion())({}, {}, batch, None)
    >>> loss.item(), output.tolist()
    (1.0, [9.0])
    """

    def loss(params: Tree, buffers: Tree, batch: tuple[Any, Any], key: Key) -> tuple[jax.Array, tuple[Any, Any]]:
        input, target = batch
        precise = jax.tree.leaves(params)[0].dtype if jax.tree.leaves(params) else jnp.float32
        if compute_dtype is not None:
            params, input = cast_floating(params, compute_dtype), cast_floating(input, compute_dtype)
        output, new = module.apply(params, buffers, input, key=key, train=True)
        output = output if compute_dtype is None else cast_floating(output, precise)
        value = _loss_of(criterion, output, target, folded(key, len(module.child_modules())))
        if not is_number(value):
            raise TypeError(f"expected one number as the loss of {name_of(criterion)}, got {describe(value)}")
        value = value + penalty(new)
        if hasattr(criterion, "advantage"):
            value = value + reinforce_loss(new, criterion.advantage(output, target))
        return value.astype(precise), (output, without_emitted(new))

    return loss


def _loss_of(criterion: Callable, output: Value, target: Value, key: Key) -> Any:
    """A criterion's loss, in training mode where it is one of this package."""
    if not isinstance(criterion, Criterion):
        return criterion(output, target)
    check_first(criterion, output, target)
    with silent():  # whoever looks at the step looks at the network: the criterion's places are not among its own
        return criterion(output, target, key=key if criterion.traits.draws(True) else None, train=True)


class Descent(NamedTuple):
    """How parameters learn, in two functions; what `gradient` gives beside gradients, `update` takes at the end."""

    gradient: Callable
    """(params, buffers, batch, key) -> ((loss, (output, buffers)), gradients, ...)"""
    known: Callable
    """(params, buffers, batch, key, loss, gradients) -> what optimizers may ask for, by name (`asked.py`)"""
    update: Callable
    """(params, optimizer_state, gradients, ..., **known) -> (params, optimizer_state)"""


def descent(
    module: Module, loss: Callable, optimizer: optax.GradientTransformation, sharding: Sharding | None = None
) -> Descent:
    """That of `make_loss`'s loss by an optimizer, on one device or many.

    Where each device has statistics of its own, and so a loss, there is none of the whole batch to ask for.
    """
    asked = asking(optimizer)
    of_whole_batch = sharding is None or sharding.statistics != "local"

    def all_known(params: Tree, buffers: Tree, batch: Any, key: Key, value: Any, gradients: Any) -> dict[str, Any]:
        return known(loss, params, buffers, batch, key, value, gradients) if of_whole_batch else {"value": value}

    def update(params: Tree, optimizer_state: Any, gradients: Any, **known: Any) -> tuple[Any, Any]:
        try:
            updates, optimizer_state = asked.update(gradients, optimizer_state, params, **known)
        except Exception as error:
            check_optimizer_state(asked, params, optimizer_state, error)
            raise
        check_updates(params, updates)
        return optax.apply_updates(params, updates), optimizer_state

    gradient = jax.value_and_grad(loss, has_aux=True) if sharding is None else sharding.value_and_grad(module, loss)
    return Descent(gradient, all_known, update)


class TrainStep(Protocol):
    """A compiled step."""

    def __call__(self, state: TrainState, batch: Batch, key: Key = None) -> tuple[TrainState, dict[str, Value]]: ...


def make_train_step(
    module: Module,
    criterion: Callable,
    optimizer: optax.GradientTransformation,
    *,
    metrics: Callable[[Value, Value], dict[str, Value]] | None = None,
    compute_dtype: DTypeLike | None = None,
    sharding: Sharding | None = None,
) -> TrainStep:
    """`step(state, (input, target), key=None) -> (state, metrics)`: jitted, pure, and the state's memory is reused.

    `metrics(output, target)` returns further entries for {"loss": ...}. `compute_dtype=jnp.bfloat16` is mixed
    precision. The key may be left out if no layer draws; then `jax.lax.scan(step, state, batches)` makes many steps.
    The optimizer is any of optax's. Those that need the loss, or search along a line (lbfgs, polyak_sgd,
    reduce_on_plateau), get it. Recurrent state that a Sequencer remembers is carried in `state.buffers`. With a
    `sharding` the step runs on many devices, for a state and batches that `sharding` has placed there. The criterion
    checks the target values of the batch for which the step is compiled; to check every batch, see `checked`.
    Raises: ValueError, naming the layer, for input of a wrong shape, for a missing key, and for a target that makes no
    sense (a class 0); for a batch that the devices cannot share, and for another optimizer's state. TypeError for what
    is no TrainState, no pair, and no number as loss. A state that was handed in before is JAX's error, with a note.

    >>> import functorch7 as f7, jax, jax.numpy as jnp, optax
    >>> from functorch7.training import init_state, make_train_step
    >>> module = f7.Sequential(f7.Linear(2, 20), f7.Tanh(), f7.Linear(20, 1))
    >>> step = make_train_step(module, f7.MSECriterion(), optax.sgd(0.1))
    >>> state = init_state(module, optax.sgd(0.1), jax.random.key(0))
    >>> state, metrics = step(state, (jnp.ones((4, 2)), jnp.zeros((4, 1))), None)
    >>> sorted(metrics)
    ['loss']
    """
    check_parts("make_train_step", module, criterion)
    check_optimizer("make_train_step", optimizer)
    made = descent(module, make_loss(module, criterion, compute_dtype), optimizer, sharding)
    if sharding is None:
        return step_by("make_train_step", made, metrics)
    placed = partial(sharding.constrain, module)
    return step_by("make_train_step", made, metrics, placed, sharding.one_at_a_time)


def step_by(
    who: str, descent: Descent, metrics: Callable[[Value, Value], dict[str, Value]] | None,
    placed: Callable[[TrainState], TrainState] | None = None, waits: bool = False,
) -> Step:  # fmt: skip
    """The compiled step (state, batch, key=None) -> (state, metrics) by a descent; `placed` lays out the new state.

    With `waits`, a call returns when all of it is computed.
    """

    def step(state: TrainState, batch: tuple[Any, Any], key: Key = None) -> tuple[TrainState, dict[str, Any]]:
        check_step(who, state, batch)
        (loss, (output, buffers)), gradients = descent.gradient(state.params, state.buffers, batch, key)
        known = descent.known(state.params, state.buffers, batch, key, loss, gradients)
        params, optimizer_state = descent.update(state.params, state.optimizer_state, gradients, **known)
        measured = metrics(output, batch[1]) if metrics else {}
        new = TrainState(params, buffers, optimizer_state, state.step + 1)
        return new if placed is None else placed(new), {"loss": loss, **measured}

    return Step(jax.jit(step, donate_argnums=0), waits)
