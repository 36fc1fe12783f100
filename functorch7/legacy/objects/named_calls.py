"""Lets errors of objects' methods name the call: "nn.Linear.updateParameters: expected (learningRate), got ()"."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any
from weakref import WeakSet

from ...checks.making import words_of as words_of_parameters
from ..tensors.named_errors import Misuse, name_function_errors, naming, naming_calls, public_functions, words_of

RUNNING = {"__call__", "forward", "backward", "updateOutput", "updateGradInput", "accGradParameters"}
"""Methods that run a network and describe wrong input themselves: only errors of the call itself are named."""
ASKED = {"overrides"}
"""Methods that are called many times in every training step, and not by users."""

HERE = __name__.partition(".objects")[0]
PYTORCH = f"{HERE}.pytorch"
_named: WeakSet[type] = WeakSet()


class WrongArgument(Misuse):
    """A constructor was given arguments that the description does not take."""

    stays = True


class MissingArgument(WrongArgument):
    """A constructor was given too few arguments."""


for _kind in (WrongArgument, MissingArgument):
    _kind.__name__ = _kind.__qualname__ = "TypeError"


class NamedCalls:
    """A class whose methods name themselves in the errors of wrong calls; users' methods do not."""

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        for base in cls.__mro__:
            if base in _named or not base.__module__.startswith(HERE):
                continue
            _named.add(base)
            name_function_errors(base)
            called = [(name, each) for name, each in vars(base).items() if name == "__call__"]
            for name, method in (*called, *public_functions(vars(base))):
                if name not in ASKED:
                    setattr(base, name, _named_by_class(base, name, method))
            if "__init__" in vars(base):
                init = vars(base)["__init__"]
                base.__init__ = naming(_maker_name, init, 1, partial(_arguments, init))


def _named_by_class(base: type, name: str, method: Callable) -> Callable:
    """A method whose errors name it; if it runs users' code, or is not Torch's, only errors of the call do."""
    is_of_pytorch = base.__module__.startswith(PYTORCH)
    if "_" in name.strip("_") and not is_of_pytorch:  # for this package alone
        return method
    named = naming_calls if is_of_pytorch or name in RUNNING else naming
    return named(lambda self: f"{self.typename()}.{name}", method, first=1)


def _maker_of(object: Any) -> Any:
    """The class of this package whose constructor runs: the object's own, or the one that a user's is derived from."""
    return next(kind for kind in type(object).__mro__ if kind.__module__.startswith(HERE))


def _maker_name(object: Any) -> str:
    return _maker_of(object)._class_name()


def _arguments(init: Callable, object: Any) -> str:
    """What a constructor takes; if it passes everything on, what its class describes."""
    hands_on = any(each.kind is each.VAR_KEYWORD for each in inspect.signature(init).parameters.values())
    signature = inspect.signature(_maker_of(object)) if hands_on else None
    words = words_of(init, 1) if signature is None else words_of_parameters(signature.parameters.values())
    return f"({', '.join(words)})"
