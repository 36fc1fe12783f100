"""Tables (lists and dicts) of arrays."""

import contextlib
import numbers
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..core.types import Value


def _numeric(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and all(_numeric(v) for v in value)
    return isinstance(value, (numbers.Number, np.generic))


def of_each(change: Callable[[Value], Value], table: Mapping) -> dict:
    """A dict of all entries, each changed. JAX sorts a dict's names, except those of an OrderedDict.

    Names in a Lua table may be numbers and texts, which cannot be sorted together: numbers come first.
    """
    found = {name: change(value) for name, value in table.items()}
    if len({isinstance(name, str) for name in found}) < 2:
        return found
    return OrderedDict(sorted(found.items(), key=lambda entry: (isinstance(entry[0], str), entry[0])))


def map_leaves(change: Callable[[Value], Value], value: Value) -> Value:
    """A value with everything changed that is not a table: lists, or dicts, of the same structure."""
    if isinstance(value, (list, tuple)):
        return [map_leaves(change, each) for each in value]
    return of_each(lambda each: map_leaves(change, each), value) if isinstance(value, dict) else change(value)


def as_arrays(value: Value) -> Value:
    """Numbers and rectangular lists of plain numbers as NumPy arrays; other lists and dicts are tables and stay."""
    if isinstance(value, (list, tuple)):
        if _numeric(value):
            with contextlib.suppress(ValueError):  # rows of different lengths are entries of a table
                return np.asarray(value)
        return [as_arrays(v) for v in value]
    if isinstance(value, dict):
        return of_each(as_arrays, value)
    return np.asarray(value) if _numeric(value) else value
