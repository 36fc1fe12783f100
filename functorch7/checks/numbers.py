"""Whole numbers among arguments."""

import numpy as np


def check_whole(who: str, least: int, **values: object) -> None:
    """Refuses what is no whole number, or less than `least`, naming the argument.

    Raises: TypeError; ValueError.
    """
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise TypeError(f"{who}: expected a whole number as {name}, got {value!r}")
        if value < least:
            raise ValueError(f"{who}: expected {name} of at least {least}, got {value}")
