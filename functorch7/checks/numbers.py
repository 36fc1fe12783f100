"""Whole numbers among arguments."""

import numpy as np

from .declared import whole_number
from .errors import describe


def check_whole(who: str, least: int, **values: object) -> None:
    """Refuses what is no whole number, or less than `least`, naming the argument.

    Raises: TypeError; ValueError.
    """
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise TypeError(f"{who}: expected a whole number as {name}, got {value!r}")
        if value < least:
            raise ValueError(f"{who}: expected {name} of at least {least}, got {value}")


def check_amount(who: str, name: str, value: object) -> None:
    """Raises TypeError for values other than numbers."""
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise TypeError(f"{who}: expected a number as {name}, got {value!r}")


def whole(who: str, name: str, value: object) -> int:
    """The whole number that a value is: 2, 2.0, or one of NumPy's or JAX's.

    Raises: TypeError naming the argument.
    """
    found = whole_number(value)
    if found is None:
        raise TypeError(f"{who}: expected a whole number as {name}, got {describe(value)}")
    return found


def position(who: str, index: object, count: int, what: str = "modules") -> int:
    """The position from 0 that an index means among so many; a negative one counts backwards.

    Raises: TypeError for anything but a whole number; IndexError for what is not there.
    """
    found = whole(who, "index", index)
    if not -count <= found < count:
        raise IndexError(f"{who}: index {found} is out of range of {count} {what}, counted from 0")
    return found % count
