"""Types of what passes between Lua and Python."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

from .registry import Registry

Crossing: TypeAlias = Any
"""Anything that passes: None, a number, a text, a table, a function, or an object of any class."""


class Bridge(Protocol):
    """The border between Lua and Python (`border.py`), as far as its parts know it."""

    ask: Any
    registry: Registry
    released: list[int]
    forgotten: list[int]
    has_unfit: bool

    def answered(self, answer: object) -> Crossing: ...

    def call_lua(self, reference: int, given: tuple) -> Crossing: ...

    def decoded(self, code: int, value: object) -> Crossing: ...

    def encode(self, value: object) -> tuple: ...
