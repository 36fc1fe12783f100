"""The tables of Torch's package tds, which also occur in files."""

from collections.abc import Callable
from functools import cmp_to_key
from reprlib import recursive_repr
from typing import Any

from ...checks.tables import as_dict
from ...core.types import Value
from ..tensors.lua_values import text
from ..tensors.named import Named

SHOWN = 20
"""Entries that are printed."""


class Hash(Named, dict):
    """A table by keys. A missing entry is None, setting None removes one; tables inside become Hash and Vec.

    Raises: KeyError for the key None; TypeError for other arguments than a table or nothing.
    Source: tds, README.md.
    """

    _package = "tds"

    def __init__(self, *table: dict | list | tuple):
        if len(table) > 1 or (table and not isinstance(table[0], (dict, list, tuple))):
            raise TypeError("tds.Hash: expected a table or nothing")
        for key, value in as_dict(table[0]).items() if table else ():
            self[_inside(key) if isinstance(key, (dict, list)) else key] = _inside(value)

    def __missing__(self, key: object) -> None:
        return None

    def __setitem__(self, key: object, value: object) -> None:
        if key is None:
            raise KeyError("tds.Hash: hash index is nil")
        if value is None:
            self.pop(key, None)
        else:
            super().__setitem__(key, value)

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)

    @recursive_repr("tds.Hash{...}")  # as an entry of its own, too
    def __repr__(self) -> str:
        shown = [(text(key), value) for key, value in list(self.items())[:SHOWN]]
        width = max((len(key) for key, _ in shown), default=0)
        return _listed(self, "Hash", [(f"{key:<{width}} : ", value) for key, value in shown])


class Vec(Named, list):
    """A list that counts from 1. Beyond its end, `vec[n]` is None, and may be set; tables inside become Vec and Hash.

    Raises: IndexError for positions that are not positive whole numbers.
    Source: tds, README.md.
    """

    _package = "tds"

    def __init__(self, *values: object):
        given = values[0] if len(values) == 1 and isinstance(values[0], (list, tuple, dict)) else values
        super().__init__()
        for position, value in as_dict(given).items():
            self[position] = _inside(value)

    def __getitem__(self, position: int) -> Value:
        return super().__getitem__(position - 1) if _position(position) <= len(self) else None

    def __setitem__(self, position: int, value: object) -> None:
        if _position(position) > len(self):
            self.resize(position)
        super().__setitem__(position - 1, value)

    def insert(self, *given: Value) -> None:  # type: ignore[override]
        """`insert(value)` at the end, or `insert(position, value)` before what is there."""
        position, value = given if len(given) == 2 else (len(self) + 1, *given)
        if _position(position) > len(self):
            self[position] = value
        else:
            super().insert(position - 1, value)

    def remove(self, position: int | None = None) -> None:  # type: ignore[override]
        """Removes an element, the last by default."""
        del self[_position(len(self) if position is None else position) - 1]

    def resize(self, size: int) -> None:
        """Changes the number of elements; new ones are None."""
        if size < 0:
            raise ValueError(f"tds.Vec: expected a size that is not negative, got {size}")
        del self[size:]
        self.extend([None] * (size - len(self)))

    def concat(self, sep: str = "", i: int = 1, j: int | None = None) -> str:
        """The elements from i to j as one text."""
        return sep.join(text(value) for value in list(self)[i - 1 : j])

    def sort(self, compare: Callable[[Value, Value], bool]) -> None:  # type: ignore[override]
        """Sorts by a function that returns whether its first argument comes before its second."""
        super().sort(key=cmp_to_key(lambda a, b: -1 if compare(a, b) else 1 if compare(b, a) else 0))

    @recursive_repr("tds.Vec{...}")
    def __repr__(self) -> str:
        return _listed(self, "Vec", [(f"{i:5} : ", value) for i, value in enumerate(list(self)[:SHOWN], 1)])


def fill(table: Hash | Vec, content: dict | list) -> None:
    """Puts the entries of a dict or list into a table, unchanged."""
    for key, value in as_dict(content).items():
        table[key] = value


def _inside(value: Any) -> Any:
    """A table as a Vec, if its keys are numbers, or a Hash; other values as they are."""
    if not isinstance(value, (dict, list, tuple)) or isinstance(value, (Hash, Vec)):
        return value
    numbered = not isinstance(value, dict) or all(isinstance(key, int) for key in value)
    return Vec(value) if numbered else Hash(value)


def _position(value: Any) -> int:
    if not isinstance(value, int) or value < 1:
        raise IndexError(f"tds.Vec: positive number expected as key, got {value!r}")
    return value


def _listed(table: Any, name: str, entries: list[tuple[str, Any]]) -> str:
    lines = [key + text(value).replace("\n", "\n" + " " * len(key)) for key, value in entries]
    more = ["..."] if len(table) > SHOWN else []
    return "\n".join([f"tds.{name}[{len(table)}]{{", *lines, *more, "}"])
