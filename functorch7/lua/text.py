"""Lua's strings are bytes. They cross as texts with a character for each byte, and are read as UTF-8 if possible."""

import sys
from collections.abc import Callable


def from_lua(text: str) -> str:
    """Converts a string from Lua."""
    return text if text.isascii() else text.encode("latin-1").decode("utf-8", "surrogateescape")


def to_lua(text: str) -> str:
    """Converts a string for Lua."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("latin-1")


def any_bytes(write: Callable[[], object]) -> None:
    """Writes to Python's output, which passes bytes that are not UTF-8 after the first such text."""
    try:
        write()
    except UnicodeEncodeError:
        sys.stdout.reconfigure(errors="surrogateescape")  # type: ignore[union-attr]
        write()
