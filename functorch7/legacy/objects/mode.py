"""A module's mode: Torch's flag `train`, which can be called as in PyTorch in classes with a `forward`."""

from __future__ import annotations

from typing import Self

from ...core.types import Value
from ..tensors.changes import switched


class Mode(int):
    """True in training mode, False in evaluation mode; a call, as PyTorch's `train(mode)`, changes the mode."""

    module: Value

    @classmethod
    def of(cls, module: Value) -> Self:
        """The mode of a module."""
        made = cls(module.in_training)
        made.module = module
        return made

    def __call__(self, mode: bool = True) -> Value:
        """Switches the module to training mode or, given False, to evaluation mode; returns the module."""
        return self.module.switched_to(mode)

    def __repr__(self) -> str:
        return str(bool(self))

    __str__ = __repr__

    def __reduce__(self) -> tuple:  # the flag, without its module
        return bool, (bool(self),)


class ModeField:
    """The attribute `train`, a plain boolean in the object's fields; plans that run the object are told of changes.

    With `is_called`, its value can be called.
    """

    def __init__(self, first: bool | None = True, is_called: bool = False):
        self.first = first
        self.is_called = is_called

    def __get__(self, module: Value, kind: type) -> Value:
        if module is None:
            return self.first
        return Mode.of(module) if self.is_called else module.in_training

    def __set__(self, module: Value, value: Value) -> None:
        plain = bool(value) if isinstance(value, Mode) else value
        if module.__dict__.get("train", module.in_training) != plain:
            switch(module, plain)


def switch(module: Value, mode: bool) -> None:
    """Puts a module in another mode. Raises TypeError while it is traced."""
    if module.is_stand_in:
        raise TypeError(f"{module.typename()}: forward cannot change the mode, in which it is traced")
    module.__dict__["train"] = mode
    switched(module)
