"""Many dimensions merged into one, where -1 would be ambiguous: sizes may be 0."""

import math

from ..core.types import Array


def merged(x: Array, kept: int) -> Array:
    """An array whose dimensions before the last `kept` are merged."""
    leading = x.ndim - kept
    return x.reshape((math.prod(x.shape[:leading]), *x.shape[leading:]))


def flattened(x: Array, kept: int = 1) -> Array:
    """An array whose dimensions after the first `kept` are merged."""
    return x.reshape((*x.shape[:kept], math.prod(x.shape[kept:])))
