"""Commands in gnuplot's own language, as far as `figures` has these settings."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable

from . import figures

NUMBER = r"([-+.\deE]*)"
TEXT = r"[\"'](.*)[\"']"


def _ticks(which: str, command: str) -> None:
    labels = re.findall(r"[\"']([^\"']*)[\"']\s+([-+.\deE]+)", command)
    plot = figures.current()
    getattr(plot.axes, f"set_{which}ticks")([float(place) for _, place in labels], [text for text, _ in labels])
    plot.refresh()


def _limits(which: str, low: str, high: str) -> None:
    limits = [float(each) if each else None for each in (low, high)]
    figures.current().keep(f"set_{which}lim", limits)


COMMANDS: tuple[tuple[str, Callable[..., None]], ...] = (
    (rf"set ([xyz])label {TEXT}", lambda which, text: figures.current().keep(f"set_{which}label", text)),
    (rf"set title {TEXT}", figures.title),
    (r"set grid.*", lambda: figures.grid(True)),
    (r"unset grid", lambda: figures.grid(False)),
    (r"set log(?:scale)? ([xy])", lambda which: figures.current().keep(f"set_{which}scale", "log")),
    (r"unset log(?:scale)?(?: ([xy]))?", lambda which: figures.current().keep(f"set_{which or 'y'}scale", "linear")),
    (rf"set ([xyz])range \[\s*{NUMBER}\s*:\s*{NUMBER}\s*\]", _limits),
    (r"set ([xy])tics (\(.*\))", _ticks),
    (r"set key (left|right|center) (top|bottom|middle)", figures.movelegend),
    (r"set key (top|bottom|middle) (left|right|center)", lambda vloc, hloc: figures.movelegend(hloc, vloc)),
)
"""Patterns of commands, and what they do with what their groups match."""


def raw(command: str) -> None:
    """Runs a gnuplot command that sets labels, the title, the grid, ranges, ticks, logarithms or the key.

    Others are ignored with a warning.
    """
    for pattern, run in COMMANDS:
        found = re.fullmatch(pattern, command.strip())
        if found:
            run(*found.groups())
            return
    warnings.warn(f"gnuplot.raw: {command!r} is ignored: there is no gnuplot, matplotlib draws", stacklevel=2)
