"""The gradient at a network's input, at which loops that train it alone never look.

After many calls of which nobody has looked at it, it is left out of backward, and computed when somebody does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import jax
import numpy as np
from jax.typing import DTypeLike

from ...core.types import Value
from ..tensors.casting import is_floating
from ..tensors.lua_values import Carried
from ..tensors.marked import marked
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor
from ..tensors.values import of_each, wrapped
from ..tensors.zeros import of_zeros
from .looks import Looks

LARGE = 2**12
"""The gradient at fewer elements costs too little to leave it out."""


class AtInput(Looks):
    """What is known of those who look at the gradients at the inputs of one plan."""

    __slots__ = ()

    def shown(self, input: Value, dtype: DTypeLike, find: Callable[[], Value]) -> Value:
        """The gradient at an input as tensors, for whose elements `find` is asked when somebody looks."""
        self.given()

        @cache
        def found() -> list:
            self.looked()
            return jax.tree.leaves(find())

        def pending(number: int, leaf: np.ndarray | float) -> Tensor | None:  # tables may have numbers, too
            shape = np.shape(leaf)
            if not _has_fractions(leaf):
                return None  # `with_zeros` has it
            return Tensor.viewing(Storage(None, lambda: found()[number], shape, dtype), 0, shape)

        leaves, structure = jax.tree.flatten(input)
        return structure.unflatten([pending(number, leaf) for number, leaf in enumerate(leaves)])


def with_zeros(gradient: Value, input: Value, is_narrow: bool = False) -> Value:
    """A gradient as tensors, with zeros at whole numbers, of their type and where they are, as Torch's index layers
    have them; of an input that a program has made narrow 64 bits wide again. At what is no tensor it is one zero.
    """
    if type(input) is np.ndarray and is_floating(input.dtype):  # the most frequent case, found quickly
        return wrapped(gradient)
    if isinstance(gradient, (list, dict)) and (found := marked(gradient)) is not None:
        return found
    if isinstance(input, (list, tuple)):
        given = gradient if isinstance(gradient, (list, tuple)) else [None] * len(input)
        return [with_zeros(each, at, is_narrow) for each, at in zip(given, input, strict=True)]
    if isinstance(input, dict):
        given = gradient if isinstance(gradient, dict) else {}
        return of_each(lambda name: with_zeros(given.get(name), input[name], is_narrow), {name: name for name in input})
    if isinstance(input, Carried):
        return Tensor.of(np.zeros(1))
    if not hasattr(input, "dtype") or _has_fractions(input):
        return wrapped(gradient)
    dtype = np.dtype(np.int64) if is_narrow and input.dtype.itemsize == 4 else np.dtype(input.dtype)
    return of_zeros(input.shape, dtype, Storage(input).device)


def _has_fractions(leaf: np.ndarray | float) -> bool:
    dtype = getattr(leaf, "dtype", None)
    return isinstance(leaf, float) if dtype is None else is_floating(dtype)


def is_large(input: Value) -> bool:
    """Whether an input has so many elements that it is worth while to leave out the gradient there."""
    return sum(np.size(leaf) for leaf in jax.tree.leaves(input)) >= LARGE
