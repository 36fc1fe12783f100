"""Errors that pass through both languages."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from types import BuiltinFunctionType

from ..legacy.tensors.arguments import described
from ..legacy.tensors.lua_values import kind, text
from ..legacy.tensors.named_errors import Misuse, is_pythons_own, words_of
from .kinds import Crossing
from .words import in_luas_words, with_luas_constants


class LuaError(RuntimeError):
    """An error in Lua: where it is, its message, and the Lua lines that led there (`traceback`).

    `value` is what was thrown, if it is not a text.
    """

    def __init__(self, message: str, traceback: str = "", value: object = None):
        super().__init__(message)
        self.value = value
        if traceback:
            self.add_note(traceback)


def text_of(error: BaseException) -> str:
    """An exception's text for Lua: its message after notes such as "In 3 module of nn.Sequential:"."""
    notes = [n for n in getattr(error, "__notes__", ()) if n.startswith("In ")]
    return "\n".join([*reversed(notes), _message_of(error)])


def _message_of(error: BaseException) -> str:
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"  # as Lua's io has it
    if isinstance(error, KeyError) and error.args:
        return str(error.args[0])
    if isinstance(error, LuaError):
        return str(error)
    message = error.told(shown) if isinstance(error, Misuse) else str(error) or type(error).__name__
    words = in_luas_words(message) if isinstance(error, (AttributeError, TypeError)) else message
    return with_luas_constants(words)


def of_call(function: Callable, given: Sequence[Crossing], error: BaseException) -> BaseException:
    """The error of a call; if Python itself refused the arguments, one that says what the call takes."""
    if not is_pythons_own(error) or isinstance(function, BuiltinFunctionType):
        return error
    is_method = next(iter(inspect.signature(function).parameters), None) == "self"
    if is_method and (not given or given[0] is None):  # called with a point: it is what is missing
        return error
    owner = f"{name_of(given[0])}." if is_method else ""
    name = name_of_class(function) if inspect.isclass(function) else owner + function.__name__
    said = Misuse.of(name, f"({', '.join(words_of(function, is_method))})", given[is_method:])
    if ARGUMENTS.search(str(error)):
        return said
    return TypeError(f"{said.told(shown)}: {in_luas_words(str(error))}")


ARGUMENTS = re.compile(r"\(\) (missing|takes|got)\b")
"""Python's messages about the number of arguments, which users can see in the call."""


def name_of_class(kind: type) -> str:
    """Torch's name of a class."""
    named = getattr(kind, "_class_name", None)
    return named() if named else f"torch.{kind.__name__}"


def name_of(value: Crossing) -> str:
    """Torch's name of a value's class, or Lua's name of its type."""
    named = getattr(value, "typename", None) or getattr(value, "type", None)
    return str(named()) if callable(named) else kind(value)


def shown(value: Crossing) -> str:
    """An argument as a message shows it."""
    if isinstance(value, str):
        return repr(value)
    return text(value) if kind(value) in ("nil", "boolean", "number") else described(value)
