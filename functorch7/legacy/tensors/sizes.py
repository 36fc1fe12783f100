"""Sizes and other whole numbers given to calls."""

import math
import operator
from numbers import Real
from typing import Any

import numpy as np

from .arguments import sizes_text
from .kinds import Sizes


def sizes_given(*given: Sizes) -> tuple[int, ...]:
    """Sizes, in the forms that `numbers_given` takes. Raises ValueError for negative ones."""
    sizes = numbers_given(*given)
    if sizes and min(sizes) < 0:
        raise ValueError(f"expected sizes that are not negative, got {sizes_text(sizes)}")
    return sizes


def some_sizes(*given: Sizes) -> tuple[int, ...]:
    """The same, where something must be given; an empty LongStorage or list stands for an empty tensor.

    Raises TypeError where nothing is given.
    """
    if not given:
        raise TypeError(f"expected sizes: numbers, or one LongStorage or list of them; got {given}")
    return sizes_given(*given) or (0,)


def numbers_given(*given: Sizes) -> tuple[int, ...]:
    """Whole numbers, given one by one or as one LongStorage, list or tuple; 3.5 counts as 3, as in Torch.

    Raises TypeError for anything but numbers.
    """
    together = len(given) == 1 and (isinstance(given[0], (list, tuple)) or _is_storage(given[0]))
    numbers: Any = given[0] if together else given
    if bool not in map(type, numbers):
        try:
            return tuple(map(operator.index, numbers))
        except TypeError:
            if all(isinstance(each, Real) and math.isfinite(each) for each in numbers):
                return tuple(map(int, numbers))
    raise TypeError(f"expected sizes: numbers, or one LongStorage or list of them; got {given}") from None


def _is_storage(value: Any) -> bool:
    """Whether it is a LongStorage: it has elements but no dimensions."""
    return hasattr(value, "totable") and not hasattr(value, "storage_") and value.dtype == np.int64
