"""Names for what calls of tensors take and give, where the class of tensors is still to be made."""

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
"""What stands among the arguments of many forms: numbers of any kind, a text, a generator of random numbers."""

Elements: TypeAlias = np.ndarray | jax.Array
"""The elements of a tensor; on an accelerator they may be what is noted of them (`noted.py`), which acts as JAX's."""

Made = TypeVar("Made")
Makes = TypeVar("Makes", covariant=True)

Result: TypeAlias = Made | Any
"""A tensor, or a number where no dimension is left, which depends on values."""


class Maker(Protocol[Makes]):
    """The class of tensors, or a tensor: what makes another of an array."""

    def of(self, array: Elements, /) -> Makes:
        """A tensor over the whole of an array."""
        ...
