"""Functions that were registered as hooks of objects."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from ...core.types import Value
from ..tensors.styles import pytorch_operators
from .forms import Arguments


class Titled:
    """What errors name."""

    def title(self) -> str:
        """The object in one line."""
        raise NotImplementedError

    def _newest_call(self) -> Any:
        """The last call that ran the object, alone or inside of a network; None before any."""
        raise NotImplementedError


class Everywhere(list):
    """The hooks of all modules: whatever is planned hears of its changes."""

    _seats: Any = ()


everywhere: list[Registered] = Everywhere()


class Registered:
    """A function that was registered as a hook; `replaces` has the modules for which it has returned something."""

    def __init__(self, kind: str, function: Callable, with_kwargs: bool = False, always_call: bool = False):
        if not callable(function):
            raise TypeError(f"register_{kind}_hook: expected a function, got {function!r}")
        self.kind, self.function, self.with_kwargs, self.always_call = kind, function, with_kwargs, always_call
        self.replaces: weakref.WeakSet = weakref.WeakSet()

    def copied(self) -> Registered:
        """The same function, for another module, for which it has returned nothing yet."""
        return Registered(self.kind, self.function, self.with_kwargs, self.always_call)

    @property
    def gives_arguments(self) -> bool:
        """Whether what it returns is (arguments, keyword arguments)."""
        return self.kind == "forward_pre" and self.with_kwargs

    def __call__(self, module: Titled, *values: Value) -> Value:
        """What the function returns for tensors; the input is taken apart for one that was set `with_kwargs`."""
        with pytorch_operators():
            if not self.with_kwargs:
                return self.function(module, *values)
            given, *others = values
            arguments = given.filled() if isinstance(given, Arguments) else ((given,), {})
            new = self.function(module, *arguments, *others)
        if self.gives_arguments and new is not None and not _are_arguments(new):
            raise RuntimeError(
                f"{module.title()}: forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got "
                f"{new!r}"
            )
        return new


def _are_arguments(value: Any) -> bool:
    pair = isinstance(value, tuple) and len(value) == 2
    return pair and isinstance(value[0], tuple) and isinstance(value[1], dict)
