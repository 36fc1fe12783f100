"""Whether a gradOutput is shaped as the output, and how it can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from jax.core import Tracer

from ...checks.errors import describe, title
from ...checks.foreign import foreign
from ...checks.given import name_lost
from ...checks.kinds import check_kinds, fault_of, is_kind
from ...checks.tables import leaves
from ...core import Module
from ...core.types import Scalar, Value
from ..tensors.arguments import described, is_number
from ..tensors.lua_values import CARRIED, Carried
from ..tensors.values import Unseen, shapes
from .registered import Titled

Given = TypeVar("Given")


class Misfit(ValueError):
    """A gradOutput that is not shaped as the output."""


Misfit.__name__ = Misfit.__qualname__ = "ValueError"


def misfit(titled: str, output: Value, gradient: Value) -> Misfit:
    """The error over a gradOutput, which says its shapes, and what has none, or no numbers, itself."""
    told = describe(gradient) if _has_numbers(gradient) else foreign(gradient)
    return Misfit(f"{titled}: expected a gradOutput of shape {shapes(output)}, as the output, got {told}")


def _has_numbers(gradient: Value) -> bool:
    """Whether it is no array of texts or objects, none of another library, and no storage of Torch's."""
    return not hasattr(gradient, "dtype") or fault_of(gradient, "") is None


def factor(module: Titled, name: str, given: Scalar) -> Scalar:
    """A real number by which gradients are multiplied, as it was given; raises TypeError for anything else."""
    if type(given) in (float, int, bool):
        return given
    array: Any = given
    is_one = hasattr(given, "dtype") and np.size(array) == 1 and array.dtype.kind != "c"
    if is_one or is_number(given):
        return given
    raise TypeError(f"{module.title()}: expected a number as {name}, got {described(given)}")


def check_after(spec: Module, input: Value, failed: Exception) -> None:
    """After a call has failed: refuses an input that is no tensor, of which JAX does not say whose it is.

    What users' modules hand on to each other may be anything.
    Raises: as `check_kinds`. An error over arrays that are gone gets the module's name.
    """
    if not any(isinstance(leaf, Carried) for leaf in leaves(input)):
        check_kinds(spec, input)
    name_lost(spec, failed)


def read(spec: Module, given: Given, reading: Callable[[Given], Value]) -> Value:
    """What a module is given, as it is read.

    Raises: TypeError for an array that JAX traces, of which it would not see what changes in the object; for one that
    is not seen as it is.
    """
    if isinstance(given, Tracer):
        raise TypeError(
            f"{title(spec)}: the object changes with each call, so that JAX cannot trace it; "
            "network, variables = object.functional() is what jit, grad and vmap take"
        )
    try:
        return reading(given)
    except Unseen as unseen:
        check_kinds(spec, unseen.array)
        raise


def has_shapes_of(output: Value, gradient: Value) -> bool:
    """Whether gradients are shaped and nested as the output; of dicts this is not looked for."""
    if isinstance(output, list):
        fits = isinstance(gradient, list) and len(gradient) == len(output)
        return fits and all(map(has_shapes_of, output, gradient))
    return getattr(gradient, "shape", None) == getattr(output, "shape", ())


def of_real_numbers(output: Value, gradient: Value) -> Value:
    """A gradient of whole numbers, or of truths, in the output's type: JAX takes none for a real output.

    Raises: ValueError for what are no numbers.
    """
    if not _has_numbers(gradient):
        raise ValueError("no numbers")
    whole = is_kind(gradient.dtype, np.integer, np.bool_)
    return np.asarray(gradient).astype(output.dtype) if whole else gradient


def reshaped(output: Value, gradient: Value) -> Value:
    """A gradient in the output's shape; ValueError if it has not as many elements, or what are no numbers."""
    if output.dtype == CARRIED:
        return np.zeros((), CARRIED)
    return of_real_numbers(output, np.asarray(gradient).reshape(output.shape))


def filled_up(output: Value, gradient: Value) -> Value:
    """As `reshaped`; a table of numbers that a user's module gave may get gradients of its first ones alone."""
    if np.ndim(output) == np.ndim(gradient) == 1 and np.size(gradient) < output.size:
        return np.pad(np.asarray(gradient), (0, output.size - np.size(gradient)))
    return reshaped(output, gradient)
