"""What Lua calls values, how it prints them, and its tables whose names are fields."""

from typing import Any

import numpy as np


class Table(dict):
    """A dict whose names are attributes, too: `params["rate"]` is `params.rate`, as in Lua."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no field {name!r}; there are {', '.join(map(str, self))}") from None

    def __setattr__(self, name: str, value: object) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        del self[name]


def kind(value: object) -> str:
    """Lua's name of a value's type: "nil", "boolean", "number", "string", "table", "function" or "userdata"."""
    if value is None:
        return "nil"
    if isinstance(value, (bool, np.bool_)):
        return "boolean"
    if isinstance(value, (int, float, np.integer, np.floating)):
        return "number"
    if isinstance(value, (str, bytes)):
        return "string"
    if isinstance(value, (list, tuple, dict)):
        return "table"
    return "function" if callable(value) and not hasattr(value, "typename") else "userdata"


def text(value: object) -> str:
    """A value as Lua prints it: true, nil, numbers with 14 digits."""
    name = kind(value)
    if name == "nil":
        return "nil"
    if name == "boolean":
        return "true" if value else "false"
    return f"{value:.14g}" if name == "number" and isinstance(value, (float, np.floating)) else str(value)


def number(text: str) -> int | float:
    """The number that a text is, by Lua's rules: whole, a fraction, or hexadecimal. Raises ValueError for others."""
    try:
        return int(text, 16) if text.lower().lstrip("+-").startswith("0x") else int(text)
    except ValueError:
        return float(text)
