"""Arrays of the host, on their way to a device."""

import jax
import numpy as np

from .declared import NUMBERS
from .foreign import foreign
from .kinds import fault_of


def array_of(who: str, given: object) -> np.ndarray:
    """NumPy's array of what is one, or says that it makes one.

    Raises: TypeError that names who was given it, where it makes none, or one of which not all elements count.
    """
    if isinstance(given, np.ma.MaskedArray) or hasattr(given, "todense"):
        raise TypeError(f"{who}: expected an array, got {foreign(given)}")
    try:
        return np.asarray(given)
    except Exception as error:
        raise TypeError(f"{who}: expected an array, got {foreign(given)}: {error}") from error


def check_taken(who: str, tree: object) -> None:
    """Refuses what a device does not take as it is: texts, objects, other libraries' tensors, and whole numbers that
    lose their upper bits.

    Raises: TypeError, ValueError that name who was given it.
    """
    for leaf in jax.tree.leaves(tree):
        if not isinstance(leaf, (jax.Array, np.ndarray, np.generic, *NUMBERS)):
            raise TypeError(f"{who}: expected arrays of numbers, got {foreign(leaf)}")
        if (fault := fault_of(leaf, "arrays of numbers")) is not None:
            raise type(fault)(f"{who}: {fault}")
