"""Whether a gradOutput is shaped as the output, and how it can be."""

from __future__ import annotations

import numpy as np

from ...core.types import Value


class Misfit(ValueError):
    """A gradOutput that is not shaped as the output."""


def has_shapes_of(output: Value, gradient: Value) -> bool:
    """Whether gradients are shaped and nested as the output; of dicts this is not looked for."""
    if isinstance(output, list):
        fits = isinstance(gradient, list) and len(gradient) == len(output)
        return fits and all(map(has_shapes_of, output, gradient))
    return getattr(gradient, "shape", None) == getattr(output, "shape", ())


def reshaped(output: Value, gradient: Value) -> Value:
    """A gradient in the output's shape; ValueError if it has not as many elements."""
    return np.asarray(gradient).reshape(output.shape)


def filled_up(output: Value, gradient: Value) -> Value:
    """As `reshaped`; a table of numbers that a user's module gave may get gradients of its first ones alone."""
    if np.ndim(output) == np.ndim(gradient) == 1 and np.size(gradient) < output.size:
        return np.pad(np.asarray(gradient), (0, output.size - np.size(gradient)))
    return reshaped(output, gradient)
