"""Errors that go through both languages."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from types import BuiltinFunctionType

from ..legacy.tensors.arguments import described
from ..legacy.tensors.lua_values import kind, text
from ..legacy.tensors.named_errors import is_pythons_own, words_of
from .kinds import Crossing
from .words import in_luas_words


class LuaError(RuntimeError):
    """An error in Lua: where it is, what it says, and Lua's lines that led there (`traceback`).

    `value` is what was thrown, if that is no text.
    """

    def __init__(self, message: str, traceback: str = "", value: object = None):
        super().__init__(message)
        self.value = value
        if traceback:
            self.add_note(traceback)


def text_of(error: BaseException) -> str:
    """What an exception says to Lua: its message, with notes such as "In 3 module of nn.Sequential:" before it."""
    notes = [n for n in getattr(error, "__notes__", ()) if n.startswith("In ")]
    message = str(error) or type(error).__name__
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        message = f"{error.filename}: {error.strerror}"  # as Lua's io has it
    if isinstance(error, KeyError) and error.args:
        message = str(error.args[0])
    if isinstance(error, (AttributeError, TypeError)):
        message = in_luas_words(message)
    return "\n".join([*reversed(notes), message])


def of_call(function: Callable, given: Sequence[Crossing], error: BaseException) -> BaseException:
    """The error of a call; where the interpreter could not do with the arguments, one that says what the call takes."""
    if not is_pythons_own(error) or isinstance(function, BuiltinFunctionType):
        return error
    is_method = next(iter(inspect.signature(function).parameters), None) == "self"
    if is_method and (not given or given[0] is None):  # called with a point: it is what is missing
        return error
    name = (name_of(given[0]) + "." if is_method else "") + function.__name__
    wanted, found = ", ".join(words_of(function, is_method)), ", ".join(map(shown, given[is_method:]))
    said = "" if str(error).startswith(f"{function.__qualname__}()") else f": {error}"
    return TypeError(f"{name}: expected ({wanted}), got ({found}){said}")


def name_of(value: Crossing) -> str:
    """What a value is, in Torch's words: the name of its class, or of Lua's type."""
    named = getattr(value, "typename", None) or getattr(value, "type", None)
    return str(named()) if callable(named) else kind(value)


def shown(value: Crossing) -> str:
    """An argument as a message shows it."""
    if isinstance(value, str):
        return repr(value)
    return text(value) if kind(value) in ("nil", "boolean", "number") else described(value)
