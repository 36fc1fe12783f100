"""Arrays that no memory has room for."""

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

from .errors import Described, title

ADDRESSES = 2**47
"""So many bytes a process can have on today's processors."""

Made = TypeVar("Made")


class UnfitSizes(ValueError):
    """Sizes of an array that no memory has room for; the module whose array it is puts its name before (`sized`)."""


def check_sizes(shape: Sequence[int]) -> None:
    """Refuses an array of float32 that no processor could address: XLA ends the process for some of these.

    Raises: UnfitSizes.
    """
    if math.prod(shape) * 4 > ADDRESSES:
        sizes = " x ".join(map(str, shape))
        raise UnfitSizes(f"expected sizes for which a memory has room, got an array of {sizes} numbers")


def sized(module: Described, make: Callable[..., Made], *given: object) -> Made:
    """make(*given), arrays of a module: sizes that no memory has room for are told in its name."""
    try:
        return make(*given)
    except UnfitSizes as error:
        raise ValueError(f"{title(module)}: {error}") from None
