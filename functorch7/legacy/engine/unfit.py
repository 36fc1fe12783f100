"""Users' gradients that fit no input: only an operation that needs one looks at it, as in Torch's containers."""

from __future__ import annotations

from contextlib import AbstractContextManager
from contextvars import ContextVar

import jax
import jax.numpy as jnp

from ...core.contexts import during
from ...core.types import Array, Value
from ..tensors.values import shapes


class Unfit:
    """What a user's method gave for the gradient at an input, in the place of each of the input's arrays."""

    def __init__(self, title: str, input: Value, value: Value):
        self.value, self._structure = value, jax.tree.structure(input)
        self._refusal = f"{title}: updateGradInput gave {shapes(value)} for an input of {shapes(input)}"

    def refused(self) -> ValueError:
        """The error for whoever needs a gradient that fits."""
        return ValueError(self._refusal)

    def is_whole(self, node: Value) -> bool:
        """Whether a part of a gradient is what stands for this one."""
        leaves, structure = jax.tree.flatten(node)
        return structure == self._structure and all(leaf is self for leaf in leaves)


def check_fits(arrays: list) -> None:
    """Raises ValueError for gradients that fit no input."""
    for each in arrays:
        if isinstance(each, Unfit):
            raise each.refused()


def as_given(gradient: Value) -> Value:
    """A gradient with what users gave in the place of what stands for it."""
    if not isinstance(gradient, (list, tuple, dict, Unfit)):  # most are arrays, of which this is asked in every round
        return gradient
    unfit = [leaf for leaf in jax.tree.leaves(gradient) if isinstance(leaf, Unfit)]
    if not unfit:
        return gradient

    def at(node: Value) -> Unfit | None:
        return next((each for each in unfit if each.is_whole(node)), None)

    def replaced(node: Value) -> Value:
        found = at(node)
        return node if found is None else found.value

    return jax.tree.map(replaced, gradient, is_leaf=lambda node: at(node) is not None)


# Where JAX itself goes back, operation by operation, arrays of zeros stand for them.

_zeros: ContextVar[list[tuple[Array, Unfit]] | None] = ContextVar("zeros", default=None)


def noting_zeros() -> AbstractContextManager[list[tuple[Array, Unfit]]]:
    """A block that gives a list, of the zeros that stand for gradients in it, for `put_back`."""
    return during(_zeros, [])


def as_zeros(gradient: Value, input: Value) -> Value:
    """A gradient with zeros for what fits no input. Raises ValueError where nobody notes them."""
    noted = _zeros.get()

    def fitting(leaf: Value, array: Array) -> Value:
        if not isinstance(leaf, Unfit):
            return leaf
        if noted is None:
            raise leaf.refused()
        zeros = jnp.zeros_like(array)
        noted.append((zeros, leaf))
        return zeros

    return jax.tree.map(fitting, gradient, input)


def put_back(results: Value, noted: list[tuple[Array, Unfit]]) -> Value:
    """Results with the gradients in the place of their zeros. Raises ValueError where one is not among them: it was
    needed on the way.
    """
    leaves, structure = jax.tree.flatten(results)
    check_fits([unfit for zeros, unfit in noted if not any(leaf is zeros for leaf in leaves)])
    standing = {id(zeros): unfit for zeros, unfit in noted}
    return structure.unflatten([standing.get(id(leaf), leaf) for leaf in leaves])
