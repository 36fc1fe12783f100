"""Descriptions of modules whose parameters got other sizes, as programs widen, prune and cut layers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import lru_cache
from itertools import product
from typing import TypeVar

from ... import core
from ...core.types import Value
from ...layers.initializers import shapes_of
from ..tensors.tensor import Tensor

Spec = TypeVar("Spec", bound=core.Module)


def resized(spec: Spec, name: str, shape: tuple[int, ...]) -> Spec | None:
    """The description whose parameter or buffer of this name has this shape; None if none has, or nothing changes.

    >>> import functorch7 as f7
    >>> resized(f7.Linear(2, 3), "weight", (5, 2))
    nn.Linear(2 -> 5)
    """
    before = _made_sizes(spec).get(name, shape)
    if before == shape or len(before) != len(shape):
        return None
    changed = [(old, new) for old, new in zip(before, shape, strict=True) if old != new]
    for numbers in product(*(_candidates(spec, *each) for each in changed)):
        found = _replaced(spec, dict(numbers))
        if found is not None and len(dict(numbers)) == len(changed) and _made_sizes(found)[name] == shape:
            return found
    return None


def _made_sizes(spec: core.Module) -> dict[str, tuple[int, ...]]:
    """The shapes of the arrays that a module makes, by name."""
    has_own = type(spec).init_buffers is not core.Module.init_buffers and not spec.child_modules()
    return {name: made.shape for name, made in shapes_of(spec).items()} | (_buffer_sizes(spec) if has_own else {})


@lru_cache(1024)
def _buffer_sizes(spec: core.Module) -> dict[str, tuple[int, ...]]:
    return {name: tuple(value.shape) for name, value in spec.init_buffers().items() if hasattr(value, "shape")}


def take_sizes(owner: Value) -> None:
    """Gives the object's description the sizes of its parameters and buffers, which programs assign, set and resize."""
    for name, shape in _made_sizes(owner._spec).items():
        tensor = vars(owner).get(name)
        if isinstance(tensor, Tensor) and not owner._fits(tensor, shape):
            fitting = resized(owner._spec, name, tensor.shape)
            if fitting is not None:
                owner._respecify(fitting)


def _candidates(spec: core.Module, old: int, new: int) -> Iterator[tuple[str, int]]:
    """The fields that may determine a dimension, with their new values; first those that are equal to it."""
    sizes = {each.name: getattr(spec, each.name) for each in fields(type(spec))}  # type: ignore[arg-type]
    whole = {name: size for name, size in sizes.items() if type(size) is int and size > 0 and old > 0}
    for name in sorted(whole, key=lambda name: whole[name] != old):
        if whole[name] * new % old == 0:
            yield name, whole[name] * new // old


def _replaced(spec: Spec, numbers: dict[str, int]) -> Spec | None:
    try:
        return spec.replace(**numbers)
    except (TypeError, ValueError):  # sizes that its class refuses
        return None
