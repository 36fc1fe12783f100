"""Penalties on parameters, and their gradients."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from ..core.precision import in_float32
from ..core.types import Array


@dataclass(frozen=True)
class L1L2Regularizer:
    """l1 * sum |w| + l2 / 2 * sum w^2; the gradient is l1 * sign(w) + l2 * w, with sign(0) = 0.

    Source: BigDL, L1L2Regularizer.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.optim.L1L2Regularizer(0.5, 1.0).penalty(jnp.array([-2.0, 2.0])).item()
    6.0
    """

    l1: float
    l2: float

    @in_float32
    def penalty(self, parameter: Array) -> Array:
        """The penalty, a scalar to be added to a loss."""
        parameter = jnp.asarray(parameter)
        return self.l1 * jnp.abs(parameter).sum() + self.l2 / 2 * jnp.square(parameter).sum()

    def gradient(self, parameter: Array) -> Array:
        """The penalty's derivative."""
        parameter = jnp.asarray(parameter)
        return self.l1 * jnp.sign(parameter) + self.l2 * parameter


class L1Regularizer(L1L2Regularizer):
    """l1 * sum |w|. Source: BigDL, L1Regularizer."""

    def __init__(self, l1: float):
        super().__init__(l1, 0.0)


class L2Regularizer(L1L2Regularizer):
    """l2 / 2 * sum w^2. Source: BigDL, L2Regularizer."""

    def __init__(self, l2: float):
        super().__init__(0.0, l2)


for _kind in (L1L2Regularizer, L1Regularizer, L2Regularizer):  # trees of numbers, which programs may get as arguments
    jax.tree_util.register_pytree_node(
        _kind, lambda each: ((each.l1, each.l2), None), lambda _, both: L1L2Regularizer(*both)
    )
