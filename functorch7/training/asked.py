"""What optimizers ask for beside gradients: optax's extra arguments."""

import inspect
from collections.abc import Callable
from typing import Any

import jax
import optax

from ..core.types import Key, Tree, Value


def known(loss: Callable, params: Tree, buffers: Tree, batch: Value, key: Key, value: Value, gradients: Value) -> dict:
    """All that may be asked for, by name: `value`, `grad`, and functions of the parameters for this batch.

    These are the loss, as `value_fn` (line searches) and `obj_fn` (sophia), and its gradient, as `grad_fn` (sam).
    """

    def loss_at(params: Any, obj_fn: Any = None, grad_fn: Any = None) -> Any:  # a line search hands on what it is given
        return loss(params, buffers, batch, key)[0]

    def gradient_at(params: Tree, *_: Any) -> Any:  # sam counts its steps
        return jax.grad(loss_at)(params)

    return {"value": value, "grad": gradients, "value_fn": loss_at, "obj_fn": loss_at, "grad_fn": gradient_at}


def asking(optimizer: optax.GradientTransformation) -> optax.GradientTransformationExtraArgs:
    """The optimizer, whose `update` may be given all that is known, and takes what it names."""
    optimizer = optax.with_extra_args_support(optimizer)
    parameters = inspect.signature(optimizer.update).parameters.values()
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return optimizer
    named = {each.name for each in parameters}

    def update(updates: Any, state: Any, params: Any = None, **given: Any) -> tuple[Any, Any]:
        return optimizer.update(updates, state, params, **{name: given[name] for name in named & given.keys()})

    return optax.GradientTransformationExtraArgs(optimizer.init, update)
