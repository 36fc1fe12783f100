"""cjson: tables as JSON, and back."""

from __future__ import annotations

import json
from typing import Any

from ..kinds import Crossing


def encode(value: object) -> str:
    """A value as JSON; an empty table is an object. Raises TypeError for what JSON has not."""
    return json.dumps(_named(value), separators=(",", ":"))


def _named(value: Any) -> Any:
    if isinstance(value, dict) or (isinstance(value, list) and not value):
        return {str(key): _named(each) for key, each in (value.items() if isinstance(value, dict) else ())}
    return [_named(each) for each in value] if isinstance(value, list) else value


def decode(text: str) -> Crossing:
    """The value of a text; null in tables is left out. Raises ValueError for what is no JSON."""
    return _without_null(json.loads(text))


def _without_null(value: Any) -> Any:
    if isinstance(value, dict):
        # Objects with numbers for names stay so, as in cjson.
        return {key: _without_null(each) for key, each in value.items() if each is not None}
    return [_without_null(each) for each in value] if isinstance(value, list) else value
