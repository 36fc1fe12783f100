"""The types of numbers, such as fields declare."""

from collections.abc import Set
from functools import lru_cache

import jax
import numpy as np
from jax.core import Tracer

NUMBERS = (bool, int, float, complex)


def is_array(value: object) -> bool:
    """Whether it holds numbers, or stands for what does."""
    return isinstance(value, (jax.Array, np.ndarray, np.generic)) or hasattr(value, "__jax_array__")


def whole_number(value: object) -> int | None:
    """The whole number that a value is, be it written as 3, as 3.0 or as an array of NumPy's or JAX's; None if none."""
    found = as_declared(value, int)
    return found if type(found) is int else None


def alternatives(annotation: object) -> set[str]:
    """The names of the types that a field may have."""
    return {kind.strip() for kind in getattr(annotation, "__name__", str(annotation)).split("|")}


@lru_cache(256)
def number_type(annotation: object) -> type | None:
    """int, float or bool for a field that is one (or None); None for any other."""
    kinds = alternatives(annotation) - {"None"}
    return next((kind for kind in (int, float, bool) if kinds == {kind.__name__}), None)


def number_fits(kinds: Set[str], value: object) -> bool:
    """Whether a field of these types, numbers or None, may have this value; whole ones have no fractions."""
    is_one = isinstance(value, NUMBERS) or (is_array(value) and not np.ndim(value))  # type: ignore[arg-type]
    is_fraction = type(value) is float and "int" in kinds and "float" not in kinds
    return (is_one and not is_fraction) or (value is None and "None" in kinds)


def as_declared(value: object, wanted: type | None) -> object:
    """A number as a field of that type keeps it, so that equal descriptions mean the same program.

    Numbers of NumPy's, which take the type of what they are calculated with, are Python's, and so are those of JAX's
    where a number is wanted; 3.0 is 3 where whole numbers are, as in programs whose sizes come out of a division,
    3 is 3.0 where fractions are, and 1 is True. Whatever does not fit stays as it is, for `checks/fields.py`.
    """
    if type(value) is wanted:
        return value
    if isinstance(value, np.generic) or (wanted and isinstance(value, (np.ndarray, jax.Array)) and _is_one(value)):
        value = value.item()
    if wanted is int and type(value) is float and value.is_integer():
        return int(value)
    if wanted is bool and type(value) in (int, float) and value in (0, 1):
        return bool(value)
    return float(value) if wanted is float and type(value) is int else value


def _is_one(array: np.ndarray | jax.Array) -> bool:
    return array.ndim == 0 and not isinstance(array, Tracer)
