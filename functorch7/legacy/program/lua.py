"""Lua's tables, with names as fields, and numbers read from texts as Lua reads them."""

from typing import Any


class Table(dict):
    """A dict with its names as attributes, too: `params["rate"]` is `params.rate`, as in Lua."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no field {name!r}; there are {', '.join(map(str, self))}") from None

    def __setattr__(self, name: str, value: object) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        del self[name]


def number(text: str) -> int | float:
    """The number in a text, by Lua's rules: whole, a fraction, or hexadecimal. Raises ValueError for other texts."""
    if "_" in text or not text.isascii():  # which Python reads, too
        raise ValueError(f"malformed number: {text!r}")
    try:
        return int(text, 16) if text.lower().lstrip("+-").startswith("0x") else int(text)
    except ValueError:
        return float(text)
