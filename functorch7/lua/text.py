"""Lua's strings are bytes; they cross as text of one character for each, and are UTF-8 where they are so."""

import sys
from collections.abc import Callable


def from_lua(text: str) -> str:
    """A string that came from Lua."""
    return text if text.isascii() else text.encode("latin-1").decode("utf-8", "surrogateescape")


def to_lua(text: str) -> str:
    """A string for Lua."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("latin-1")


def any_bytes(write: Callable[[], object]) -> None:
    """Writes to Python's output, which lets bytes pass that are no UTF-8 from the first of them on."""
    try:
        write()
    except UnicodeEncodeError:
        sys.stdout.reconfigure(errors="surrogateescape")  # type: ignore[union-attr]
        write()
