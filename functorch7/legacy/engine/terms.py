"""What gradients' tensors get: scales, and regularizers, whose numbers are arguments of the compiled accumulation."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp

from ...core import is_concrete
from ...core.types import Array
from ...network import numbers


class Term(NamedTuple):
    """What one parameter's gradient tensor gets: scale * (the gradient + that of a regularizer, if there is one)."""

    scale: Any = 1.0
    regularizer: Any = None

    def of(self, gradient: Array, parameter: Array) -> Array:
        """The term; what is scaled by 0 is not computed."""
        known = is_concrete(self.scale)
        if known and self.scale == 0:
            return jnp.zeros_like(gradient)
        if self.regularizer is not None:
            gradient = gradient + self.regularizer.gradient(parameter)
        return gradient if known and self.scale == 1 else self.scale * gradient


class Terms:
    """One term for each parameter."""

    def __init__(self, terms: tuple[Term, ...]):
        self.terms = terms
        self.known, self.given = numbers.apart(terms, known=(0, 1))
        """What is compiled, and the numbers that it is given."""

    @classmethod
    def of(cls, terms: tuple[Term, ...]) -> Terms | None:
        """None where all are the plain gradients."""
        return cls(terms) if any(term != Term() for term in terms) else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Terms) and self.terms == other.terms

    __hash__ = None  # type: ignore[assignment]
