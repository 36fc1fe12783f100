"""cjson: tables as JSON, and back."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..kinds import Crossing


@dataclass(frozen=True)
class _Sparse:
    """When a table with places that are empty is an array still, by cjson's names."""

    convert: bool
    ratio: int
    safe: int

    def has_too_few(self, count: int, last: int) -> bool:
        """Whether a table whose last place is `last` has too few entries."""
        return self.ratio > 0 and last > self.safe and last > count * self.ratio


def encode(value: object, convert: bool = False, ratio: int = 2, safe: int = 10, digits: int = 14) -> str:
    """A value as JSON; an empty table is an object.

    Numbers have `digits` digits. A table of numbered places is an array, with null for those that are empty. One that
    has less than one entry for `ratio` places, and more than `safe` of these, is an object, if `convert` is true.
    Raises TypeError for what JSON has not, and ValueError for such a table else.
    """
    return _text(value, _Sparse(convert, ratio, safe), digits)


def _text(value: Any, sparse: _Sparse, digits: int) -> str:
    if isinstance(value, list) and value:
        return _array(value, sparse, digits)
    if isinstance(value, (dict, list)):
        return _table(dict(value), sparse, digits)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if not math.isfinite(value):
            raise ValueError("Cannot serialise number: must not be NaN or Inf")
        return f"{value:.{digits}g}"
    return json.dumps(value, ensure_ascii=False)


def _array(values: Iterable, sparse: _Sparse, digits: int) -> str:
    return "[" + ",".join(_text(each, sparse, digits) for each in values) + "]"


def _table(value: dict, sparse: _Sparse, digits: int) -> str:
    if value and all(isinstance(key, int) and key > 0 for key in value):
        last = max(value)
        if not sparse.has_too_few(len(value), last):
            return _array((value.get(place) for place in range(1, last + 1)), sparse, digits)
        if not sparse.convert:
            raise ValueError("Cannot serialise table: excessively sparse array")
    fields = (
        json.dumps(key if isinstance(key, str) else f"{key:.{digits}g}", ensure_ascii=False)
        + ":" + _text(each, sparse, digits)
        for key, each in value.items()
    )  # fmt: skip
    return "{" + ",".join(fields) + "}"


def decode(text: str) -> Crossing:
    """The value of a text; null in tables is left out. Raises ValueError for what is no JSON."""
    return _without_null(json.loads(text))


def _without_null(value: Any) -> Any:
    if isinstance(value, dict):
        # Objects with numbers for names stay so, as in cjson.
        return {key: _without_null(each) for key, each in value.items() if each is not None}
    return [_without_null(each) for each in value] if isinstance(value, list) else value
