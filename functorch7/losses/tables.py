"""Tables (lists and dicts) of arrays."""

import contextlib
import numbers
from typing import Any

import numpy as np

from ..core.types import Value


def _numeric(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and all(_numeric(v) for v in value)
    return isinstance(value, (numbers.Number, np.generic))


def as_arrays(value: Value) -> Value:
    """Numbers and rectangular lists of plain numbers as NumPy arrays; other lists and dicts are tables and stay."""
    if isinstance(value, (list, tuple)):
        if _numeric(value):
            with contextlib.suppress(ValueError):  # rows of different lengths are entries of a table
                return np.asarray(value)
        return [as_arrays(v) for v in value]
    if isinstance(value, dict):
        return {name: as_arrays(v) for name, v in value.items()}
    return np.asarray(value) if _numeric(value) else value
