"""Types of arguments and results of tensors' methods, for files that come before the class of tensors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, SupportsIndex, TypeAlias, TypeVar

import jax
import numpy as np
import numpy.typing as npt

from .generator import Generator

Numbers: TypeAlias = npt.ArrayLike
"""Numbers of any kind: a tensor, an array, one number, or nested lists of numbers."""

Sizes: TypeAlias = float | SupportsIndex | Iterable[float]
"""A size; or all of them at once, in a LongStorage, list or tuple."""

Operand: TypeAlias = npt.ArrayLike | Generator
"""An argument of calls with several forms: numbers of any kind, a text, a generator of random numbers."""

Elements: TypeAlias = np.ndarray | jax.Array
"""A tensor's elements; on an accelerator possibly noted ones (`noted.py`), which act as JAX's."""

Made = TypeVar("Made")
Makes = TypeVar("Makes", covariant=True)

Result: TypeAlias = Made | Any
"""A tensor, or a number if no dimension is left, which may depend on values."""


class Maker(Protocol[Makes]):
    """The class of tensors, or a tensor: makes a tensor of an array."""

    def of(self, array: Elements, /) -> Makes:
        """A tensor over the whole of an array."""
        ...
