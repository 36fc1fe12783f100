"""Gradients of layers whose `updateOutput` a program has written."""

from __future__ import annotations

from collections.abc import Callable

from ..legacy.modules.container import Container
from ..legacy.modules.module import Module
from ..legacy.objects.described import Described, overridden_in
from .kinds import Crossing
from .own import GRADIENTS
from .written_methods import runs_modules


def keep_gradient(kind: type) -> None:
    """Gives a class that defines only `updateOutput` the gradient of the layer above, as in Torch."""
    if runs_modules(kind) or not issubclass(kind, Module) or kind.spec_class is None:
        return
    for name in GRADIENTS:
        if not overridden_in(kind, name):
            setattr(kind, name, _of_class_above(kind, name))


def keep_own_gradient(kind: type, is_written: bool, note: Callable[[type, str], None]) -> None:
    """The same for a Python class whose `updateOutput` a program has replaced, until its own is put back."""
    if issubclass(kind, Container) or not issubclass(kind, Described) or kind.spec_class is None:
        return
    for name in GRADIENTS:
        method = getattr(kind, name)
        if is_written and not overridden_in(kind, name):
            note(kind, name)
            setattr(kind, name, _as_before(method))
        elif not is_written and hasattr(method, "before"):
            setattr(kind, name, method.before)


def _as_before(method: Callable) -> Callable:
    def asking(self: object, *given: object) -> Crossing:
        return method(self, *given)

    asking.before = method  # type: ignore[attr-defined]
    return asking


def _of_class_above(kind: type, name: str) -> Callable:
    def method(self: object, *given: object) -> Crossing:
        return getattr(super(kind, self), name)(*given)

    return method
