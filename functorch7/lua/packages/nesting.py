"""nngraph.nesting: the same operation on a tensor, or on all tensors of nested tables."""

from __future__ import annotations

from ...legacy.objects.nested import recursiveAdd, recursiveCopy, recursiveResizeAs
from ...legacy.objects.nested import recursiveFill as fillNested
from ..kinds import Crossing


def cloneNested(obj: Crossing) -> Crossing:
    """A copy of a tensor, or of a table and all tensors in it."""
    return recursiveCopy(None, obj)[0]


def resizeNestedAs(output: Crossing, input: Crossing) -> None:
    """Gives `output` the structure and the sizes of `input`."""
    recursiveResizeAs(output, input)


def copyNested(output: Crossing, input: Crossing) -> None:
    """Copies what is in `input` to `output`."""
    recursiveCopy(output, input)


def addNestedTo(output: Crossing, input: Crossing) -> None:
    """Adds what is in `input` to `output`."""
    recursiveAdd(output, 1, input)


__all__ = ["addNestedTo", "cloneNested", "copyNested", "fillNested", "resizeNestedAs"]
