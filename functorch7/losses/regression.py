"""Losses between tensors of numbers."""

from typing import Any

import jax
import jax.numpy as jnp

from ..core import expected
from .base import Criterion


class MSECriterion(Criterion):
    """sum_i (x_i - y_i)^2, divided by the number of elements if size_average.

    Shape: input and target of one element count, in any shape -> scalar.
    Raises: ValueError if the element counts differ.
    Source: nn/doc/criterion.md#nn.MSECriterion.
    """

    size_average: bool = True

    def loss(self, input: Any, target: Any) -> jax.Array:
        if input.size != target.size:
            raise expected(self, f"a target of {input.size} elements, as the input", target)
        squares = jnp.square(input - target.reshape(input.shape).astype(input.dtype))
        return squares.mean() if self.size_average else squares.sum()
