"""Texts in colour: `colorize.red 'text'` has the colour's code before it, and that of none behind."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from .codes import colors


def __dir__() -> list[str]:
    return list(colors)


@cache
def __getattr__(name: str) -> Callable[[str], str]:
    if name not in colors:
        raise AttributeError(name)

    def colored(text: str) -> str:
        return f"{colors[name]}{text}{colors['none']}"

    return colored
