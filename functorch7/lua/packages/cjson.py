"""cjson: tables as JSON, and back."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ...legacy.tensors.lua_values import kind
from ..kinds import Crossing


@dataclass(frozen=True)
class _Form:
    """What represents null, how many digits numbers have, and when a table with gaps is still an array."""

    null: object
    convert: bool
    ratio: int
    safe: int
    digits: int

    def has_too_few(self, count: int, last: int) -> bool:
        """Whether a table whose last place is `last` has too few entries."""
        return self.ratio > 0 and last > self.safe and last > count * self.ratio


def encode(
    value: object, null: object = None, convert: bool = False, ratio: int = 2, safe: int = 10, digits: int = 14
) -> str:
    """A value as JSON; an empty table is an object, and the value `null` is null.

    Numbers have `digits` digits. A table with positions as keys is an array, with null in gaps. If it has more than
    `safe` places, and less than one entry per `ratio` places, it is an object if `convert` is true.
    Raises ValueError for such a table otherwise, and TypeError for what JSON does not have.
    """
    return _text(value, _Form(null, convert, ratio, safe, digits))


def _text(value: Any, form: _Form) -> str:
    if value is form.null:
        return "null"
    if isinstance(value, list) and value:
        return _array(value, form)
    if isinstance(value, (dict, list)):
        return _table(dict(value), form)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if not math.isfinite(value):
            raise ValueError("Cannot serialise number: must not be NaN or Inf")
        return f"{value:.{form.digits}g}"
    return json.dumps(value, ensure_ascii=False)


def _array(values: Iterable, form: _Form) -> str:
    return "[" + ",".join(_text(each, form) for each in values) + "]"


def _table(value: dict, form: _Form) -> str:
    for key in value:
        if isinstance(key, bool) or not isinstance(key, (str, int, float)):
            raise TypeError(f"Cannot serialise {kind(key)}: table key must be a number or string")
    if value and all(isinstance(key, int) and key > 0 for key in value):
        last = max(value)
        if not form.has_too_few(len(value), last):
            return _array((value.get(place) for place in range(1, last + 1)), form)
        if not form.convert:
            raise ValueError("Cannot serialise table: excessively sparse array")
    fields = (
        json.dumps(key if isinstance(key, str) else f"{key:.{form.digits}g}", ensure_ascii=False)
        + ":" + _text(each, form)
        for key, each in value.items()
    )  # fmt: skip
    return "{" + ",".join(fields) + "}"


def decode(text: str, null: object = None) -> Crossing:
    """The value of a JSON text, with `null` for null. Raises ValueError for other texts."""
    return _with_null(json.loads(text), null)


def _with_null(value: Any, null: object) -> Any:
    if isinstance(value, dict):
        # Objects with numbers for names stay so, as in cjson.
        return {key: _with_null(each, null) for key, each in value.items()}
    if isinstance(value, list):
        return [_with_null(each, null) for each in value]
    return null if value is None else value
