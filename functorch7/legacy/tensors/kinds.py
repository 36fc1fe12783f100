"""Names for what calls of tensors take and give, where the class of tensors is still to be made."""

from collections.abc import Iterable
from typing import Any, SupportsIndex, TypeAlias

import numpy.typing as npt

Numbers: TypeAlias = npt.ArrayLike
"""Numbers of any kind: a tensor, an array, one number, or nested lists of numbers."""

Sizes: TypeAlias = float | SupportsIndex | Iterable[float]
"""A size; or all of them at once, in a LongStorage, list or tuple."""

Operand: TypeAlias = Any
"""A tensor, an array, a number or a table of numbers, which calls find out; the class of tensors is made of these."""

Result: TypeAlias = Any
"""A tensor, or a number where no dimension is left, which depends on values."""
