"""Where a value is in a file, in words."""

from __future__ import annotations


def located(place: str) -> str:
    """The end of a sentence about what is at a place, which is nothing for the whole."""
    return f", at {place}" if place else ""


def entry(path: str, key: object) -> str:
    """The place of a table's entry, in a text that does not grow without end."""
    name = repr(key[:40] if isinstance(key, str) else key) if isinstance(key, (str, int, float)) else "..."
    return f"{path[:40]}...{path[-120:]}[{name}]" if len(path) > 200 else f"{path}[{name}]"
