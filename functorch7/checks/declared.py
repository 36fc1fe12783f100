"""The types of numbers, such as fields declare."""

from functools import lru_cache

import jax
import numpy as np
from jax.core import Tracer


def whole_number(value: object) -> int | None:
    """The whole number that a value is, be it written as 3, as 3.0 or as an array of NumPy's or JAX's; None if none."""
    found = as_declared(value, int)
    return found if type(found) is int else None


def alternatives(annotation: object) -> set[str]:
    """The names of the types that a field may have."""
    return {kind.strip() for kind in getattr(annotation, "__name__", str(annotation)).split("|")}


@lru_cache(256)
def number_type(annotation: object) -> type | None:
    """int or float for a field that is one (or None); None for any other."""
    return {frozenset({"int"}): int, frozenset({"float"}): float}.get(frozenset(alternatives(annotation) - {"None"}))


def truth_fits(value: object) -> bool:
    """Whether a field that is true or false may have this value: numbers of 0 and 1 count, as programs write them."""
    return value is None or (isinstance(value, (bool, int, float, np.generic)) and value in (0, 1))


def as_declared(value: object, wanted: type | None) -> object:
    """A number as a field of that type keeps it, so that equal descriptions mean the same program.

    Numbers of NumPy's, which take the type of what they are calculated with, are Python's, and so are those of JAX's
    where a number is wanted; 3.0 is 3 where whole numbers are, as in programs whose sizes come out of a division, and
    3 is 3.0 where fractions are. Whatever does not fit stays as it is, for the field's own check.
    """
    if type(value) is wanted:
        return value
    if isinstance(value, np.generic) or (wanted and isinstance(value, (np.ndarray, jax.Array)) and _is_one(value)):
        value = value.item()
    if wanted is int and type(value) is float and value.is_integer():
        return int(value)
    return float(value) if wanted is float and type(value) is int else value


def _is_one(array: np.ndarray | jax.Array) -> bool:
    return array.ndim == 0 and not isinstance(array, Tracer)
