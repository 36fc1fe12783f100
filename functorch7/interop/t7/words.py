"""Numbers as the words of a text, as C's printf writes them."""

import math

import numpy as np


def words(values: np.ndarray) -> list[str]:
    """Whole numbers with all their digits; others with 17, or 9 if they have 32 bits."""
    if values.dtype.kind in "iu":
        return [str(each) for each in values.tolist()]
    digits = 17 if values.dtype.itemsize == 8 else 9
    return [_printed(each, digits) for each in values.tolist()]


def _printed(value: float, digits: int) -> str:
    """C shows the sign of what is no number, too: Lua's 0/0 is -nan."""
    return "-nan" if math.isnan(value) and math.copysign(1, value) < 0 else f"{value:.{digits}g}"
