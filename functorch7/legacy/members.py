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
        if zero_mask is not None:
            user.setZeroMask(zero_mask)

        @jax.custom_vjp
        def call(input: Any) -> jax.Array:
            return jnp.asarray(unwrapped(user.forward(wrapped(input), wrapped(target))), dtype).reshape(())

        def backward(input: Any, slope: Any) -> tuple:
            gradient = unwrapped(user.backward(wrapped(input), wrapped(target)))
            return (jax.tree.map(lambda i, g: slope * jnp.asarray(g, i.dtype).reshape(i.shape), input, gradient),)

        call.defvjp(lambda input: (call(input), input), backward)
        return call(input)

    def printed(self) -> str:
        return str(self.object)
