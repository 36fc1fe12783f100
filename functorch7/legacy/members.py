"""Criterions inside criterions: the objects, which are run where their descriptions do not say all that they do."""

from __future__ import annotations

from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from ..losses.base import Criterion as CriterionSpec
from .values import unwrapped, wrapped

FIELDS = ("criterion", "criterions")
"""The fields of descriptions that hold criterions."""


class OfObject(CriterionSpec, abstract=True):
    """The place of an object in the description of a criterion: its own `forward` and `backward` are called.

    It is equal only to itself, and never compiled.
    """

    traceable: ClassVar[bool] = False  # type: ignore[assignment]

    object: Any

    def __hash__(self) -> int:
        return hash(id(self.object))

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, OfObject) and self.object is other.object

    @property
    def takes_mask(self) -> bool:
        spec = self.object._spec
        return spec is not None and spec.takes_mask

    def loss(self, input: Any, target: Any, zero_mask: Any = None) -> jax.Array:
        user, dtype = self.object, jax.tree.leaves(input)[0].dtype

        def value(input: Any) -> jax.Array:
            if zero_mask is not None:
                user.setZeroMask(zero_mask)
            user.calls += 1
            return jnp.asarray(unwrapped(user.forward(wrapped(input), wrapped(target))), dtype).reshape(())

        def forward(input: Any) -> tuple[jax.Array, tuple]:
            return value(input), (input, user.calls)

        def backward(residuals: tuple, slope: Any) -> tuple:
            input, number = residuals
            if user.calls != number:  # it has seen another input since: a step of a sequence
                value(input)
                user.calls = number
            gradient = unwrapped(user.backward(wrapped(input), wrapped(target)))
            return (jax.tree.map(lambda i, g: slope * jnp.asarray(g, i.dtype).reshape(i.shape), input, gradient),)

        call = jax.custom_vjp(value)
        call.defvjp(forward, backward)
        return call(input)

    def printed(self) -> str:
        return str(self.object)
