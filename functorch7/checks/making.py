"""Constructors: arguments that do not fit are told in the module's name, when it is made.

"nn.Linear: expected (input_size, output_size, [bias]), got (3)".
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import cache, wraps
from typing import Any, TypeVar

from .errors import MISUSE, describe
from .fields import check_fields, unfit_field
from .raised import frames_of, is_of_libraries, is_raised_here

Method = TypeVar("Method", bound=Callable)


class Unmade(TypeError):
    """A constructor received wrong arguments, without a more specific error."""


Unmade.__name__ = Unmade.__qualname__ = "TypeError"


def making(init: Callable[..., None]) -> Callable[..., None]:
    """The `__init__` of a class of descriptions, whose errors name the class.

    What an author's own code raises stays as it is. Fields that are declared as numbers, or as modules, are such
    afterwards.
    """

    @wraps(init)
    def made(module: Any, /, *given: Any, **named: Any) -> None:
        try:
            init(module, *given, **named)
        except MISUSE as error:
            told = _told(module, init, given, named, error)
            if told is None:
                raise
            raise told from None
        check_fields(module)

    return made


def naming_fields(check: Method) -> Method:
    """A class's check of its fields, whose numbers are as declared; an error over what is no number names the field."""

    @wraps(check)
    def checked(module: Any) -> None:
        module._set_declared()
        try:
            check(module)
        except Exception as error:
            wrong = unfit_field(module, error)
            if wrong is not None:
                raise wrong from None
            raise

    return checked  # type: ignore[return-value]


def _told(module: Any, init: Callable, given: tuple, named: dict[str, Any], error: Exception) -> Exception | None:
    """The error in the name of the class; None where the error names it, or is an author's."""
    name, text, frames = module.torch_name(), str(error), frames_of(error)[1:]
    if text.startswith((f"{name}:", f"{name}(")) or not is_of_libraries(frames):
        return None
    wrong = unfit_field(module, error)
    if wrong is not None:
        return wrong
    if isinstance(error, Unmade) or not is_raised_here(frames):
        return Unmade(f"{name}: expected {usage(init)}, got ({_shown(given, named)})")
    return type(error)(f"{name}: {text}") if type(error).__module__ == "builtins" else None


@cache
def usage(init: Callable) -> str:
    """A constructor's arguments, those that may be left out in brackets: "(input_size, output_size, [bias])"."""
    return f"({', '.join(words_of(inspect.signature(init).parameters.values())[1:])})"


def words_of(parameters: Iterable[inspect.Parameter]) -> list[str]:
    """Arguments as error messages show them: those that may be left out in brackets."""
    return [*map(_word, parameters)]


def _word(parameter: inspect.Parameter) -> str:
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        return f"{parameter.name}..."
    return parameter.name if parameter.default is parameter.empty else f"[{parameter.name}]"


def _shown(given: Sequence, named: dict[str, Any]) -> str:
    return ", ".join([*map(describe, given), *(f"{name}={describe(value)}" for name, value in named.items())])
