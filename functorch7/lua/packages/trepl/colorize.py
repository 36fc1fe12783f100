"""Texts in colour: `colorize.red 'text'` puts the colour's code before the text, and that of none after it."""

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
