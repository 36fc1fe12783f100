"""The gradient at a network's input, at which loops that train it alone never look.

After many calls of which nobody has looked at it, it is left out of backward, and computed when somebody does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import jax
import numpy as np
from jax.typing import DTypeLike

from ...core.types import Value
from ..tensors.casting import is_floating
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor

OFTEN = 100
"""So many calls in a row show that nobody looks: another program of the backward call is then worth its compilation."""

LARGE = 2**12
"""The gradient at fewer elements costs too little to leave it out."""


class AtInput:
    """What is known of those who look at the gradients at the inputs of one plan."""

    __slots__ = ("unseen",)

    def __init__(self) -> None:
        self.unseen: float = 0  # calls in a row; less than any number once somebody has looked

    def is_left_out(self) -> bool:
        """Whether the next call is to leave it out."""
        return self.unseen >= OFTEN

    def shown(self, input: Value, dtype: DTypeLike, find: Callable[[], Value]) -> Value:
        """The gradient at an input as tensors, for whose elements `find` is asked when somebody looks."""
        self.unseen += 1

        @cache
        def found() -> list:
            self.unseen = -math.inf
            return jax.tree.leaves(find())

        def pending(number: int, leaf: np.ndarray | float) -> Tensor:  # tables may have numbers, too
            kind, shape = dtype if _has_fractions(leaf) else np.int32, np.shape(leaf)
            return Tensor.viewing(Storage(None, lambda: found()[number], shape, kind), 0, shape)

        leaves, structure = jax.tree.flatten(input)
        return structure.unflatten([pending(number, leaf) for number, leaf in enumerate(leaves)])


def _has_fractions(leaf: np.ndarray | float) -> bool:
    dtype = getattr(leaf, "dtype", None)
    return isinstance(leaf, float) if dtype is None else is_floating(dtype)


def is_large(input: Value) -> bool:
    """Whether an input has so many elements that it is worth while to leave out the gradient there."""
    return sum(np.size(leaf) for leaf in jax.tree.leaves(input)) >= LARGE
