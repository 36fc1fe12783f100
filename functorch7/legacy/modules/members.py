"""Criterions inside criterions: objects that are run themselves if they do more than their descriptions say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jax import lax

from ...core import Module, is_concrete
from ...core.probe import opened, silent
from ...core.recording import Recorder
from ...core.types import Value
from ...interop.torch7.reader import PARTS
from ...losses.base import Criterion as CriterionSpec
from ..engine.foreign import input_gradient
from ..engine.unfit import check_fits
from ..tensors.values import unwrapped, wrapped

FIELDS = ("criterion", "criterions", "input_module", "target_module")
"""Fields of descriptions that hold, or may hold, criterions or modules."""


def attribute(field: str) -> str:
    """Torch's name of a field that holds criterions or modules."""
    return PARTS.get(field, field)


def holds(value: object) -> bool:
    """Whether a field's value is a module or contains modules."""
    return any(isinstance(each, Module) for each in (value if isinstance(value, tuple) else (value,)))


LEFT = ("_own_output", "_grad_input", "_call", "_kept")
"""What a criterion's methods leave in its fields."""


class OfObject(CriterionSpec, abstract=True):
    """The place of an object in the description of a criterion: its own methods are called.

    It is equal only to itself, and never compiled.
    """

    traceable: ClassVar[bool] = False

    object: Value
    by_forward: bool = True  # whether a `forward` and `backward` of a program's are called, as some of Torch's do

    def __hash__(self) -> int:
        return hash(id(self.object))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OfObject) and self.object is other.object and self.by_forward == other.by_forward

    def _methods(self, user: Value) -> tuple[Callable, Callable]:
        """What gives the loss and its gradient."""
        return (user.forward, user.backward) if self.by_forward else (user._part_loss, user._part_gradient)

    @property
    def takes_mask(self) -> bool:
        spec = self.object._spec
        return spec is not None and spec.takes_mask

    def check(self, input: Value, target: Value, zero_mask: Value = None) -> None:
        """Does nothing, as the object checks its values itself."""

    def loss(self, input: Value, target: Value, zero_mask: Value = None) -> jax.Array:
        target = jax.tree.map(lambda leaf: leaf if is_concrete(leaf) else lax.stop_gradient(leaf), target)
        # A network that is looked at runs once more: what the object has done by then is not to be done again.
        user = self.object if opened(Recorder) is None else self.object.clone()
        forth, back = self._methods(user)
        dtype, left = jax.tree.leaves(input)[0].dtype, []

        def value(input: Any) -> jax.Array:
            if zero_mask is not None:
                user.setZeroMask(zero_mask)
            user._calls_by_hand += 1
            with silent():
                loss = unwrapped(forth(wrapped(input), wrapped(target)))
            left[:] = user._calls_by_hand, user._call
            return jnp.asarray(loss, dtype).reshape(())

        def forward(input: Any) -> tuple[jax.Array, tuple]:
            return value(input), (input,)

        def backward(residuals: tuple, slope: Any) -> tuple:
            (input,), (number, call), fields = residuals, left, vars(user)
            # It may have seen another input since: that of a later step, or of another place.
            later = {} if user._calls_by_hand == number else {name: fields[name] for name in LEFT if name in fields}
            if user._calls_by_hand != number and call is None:
                value(input)
            fields["_call"], user._calls_by_hand = call, number
            with silent():
                gradient = input_gradient(user, input, unwrapped(back(wrapped(input), wrapped(target))))
            fields.update(later)  # which Torch, whose loops go back in the order of the places, leaves last
            check_fits(jax.tree.leaves(gradient))
            return (jax.tree.map(lambda g: g if g.dtype == jax.dtypes.float0 else slope * g, gradient),)

        call = jax.custom_vjp(value)
        call.defvjp(forward, backward)
        return call(input)

    def printed(self) -> str:
        return str(self.object)
