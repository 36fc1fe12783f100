"""Lua's strings are bytes; they cross as text of one character for each, and are UTF-8 where they are so."""


def from_lua(text: str) -> str:
    """A string that came from Lua."""
    return text if text.isascii() else text.encode("latin-1").decode("utf-8", "surrogateescape")


def to_lua(text: str) -> str:
    """A string for Lua."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("latin-1")
