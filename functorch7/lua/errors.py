"""Errors that go through both languages."""

from __future__ import annotations

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
