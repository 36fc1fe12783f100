"""Torch's logger: a text file with a column for each quantity, and its curves."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np

from ...core.types import Value
from ...interop.t7.values import Fields
from ..objects.torch_object import InFiles
from ..tensors.values import unwrapped
from .pictures import new_figure, show, write

LINES: dict[str, dict[str, Any]] = {
    ".": {"linestyle": "none", "marker": "."},
    "+": {"linestyle": "none", "marker": "+"},
    "-": {"linestyle": "-"},
    "+-": {"linestyle": "-", "marker": "+"},
}
"""How Torch's styles are drawn; '~' (a smooth curve) and '|' (boxes) are not lines between points."""
KEPT = ("name", "epsfile", "names", "logscale", "showPlot", "defaultStyle")
"""The fields that are in files as they are."""
Styles = Sequence[str | Sequence[str]] | Mapping[str, str | Sequence[str]]
"""A style of each column, or several, in the columns' order or by name."""


def _number_or_text(value: Any) -> float | str:
    """A logged value as number or text; numbers may be arrays or tensors without dimensions or with one element."""
    if isinstance(value, str):
        return value
    found = np.asarray(unwrapped(value))
    if found.size != 1 or not jnp.issubdtype(found.dtype, np.number):
        raise TypeError(f"optim.Logger.add: can only log numbers and strings, got {value!r}")
    return float(found.item())


def _table(method: str, what: str, given: Value) -> Value:
    """The table given to a method; a text is not one."""
    if isinstance(given, str) or not hasattr(given, "__len__"):
        raise TypeError(f"optim.Logger.{method}: expected a table of {what}, got {given!r}")
    return given


class Logger(InFiles):
    """Writes rows of numbers, in columns separated by tabs, to a new file (with its directory), and draws them.

    With `timestamp`, the date and time are appended to the file's name. Without a name, rows go to standard output.
    `add` returns after its row is in the file. Fields: name, epsfile, names (of the columns), symbols (their values, by
    name), styles (lists, by name), logscale, showPlot. A logger from a .t7 file has these, but nothing to write to.
    Differs from Torch7: a row that does not fit the columns is refused, not half written.
    Source: torch/optim, doc/logger.md and Logger.lua.
    """

    _package = "optim"

    def __init__(self, filename: str | os.PathLike | None = None, timestamp: bool = False):
        self.name = "stdout" if filename is None else str(filename)
        self.path: Path | None = None
        self.closed = False
        self.epsfile: str | None = None
        if filename is None:
            print("<Logger> warning: no path provided, logging to std out")
        else:
            self.epsfile = f"{self.name}.eps"
            self.path = Path(self.name + time.strftime("-%Y_%m_%d_%X") if timestamp else self.name).absolute()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text("")
        self.names: list[Any] = []
        self.symbols: dict[Any, list[float | str]] = {}
        self.styles: dict[Any, list[str]] = {}
        self.defaultStyle = "+"
        self.showPlot, self.logscale = True, False
        self.figure: int | None = None

    def saved_fields(self) -> Fields:
        """Torch's, whose columns count from 1; its open file is left out, as by Torch."""
        same = {each: getattr(self, each) for each in KEPT}
        columns = {each: [getattr(self, each)[name] for name in self.names] for each in ("symbols", "styles")}
        places = {"idx": {name: i for i, name in enumerate(self.names, 1)}, "nsymbols": len(self.names)}
        return {**same, **columns, **places, "empty": not self.names}

    def take_saved(self) -> None:
        fields = {"epsfile": None, **vars(self)}  # nil, of a logger to standard output
        names = fields["names"] if isinstance(fields["names"], dict) else dict(enumerate(fields["names"]))
        self.__dict__ = {each: fields[each] for each in KEPT}
        self.names, self.path, self.closed, self.figure = [*names.values()], None, True, None
        for each in ("symbols", "styles"):
            setattr(self, each, {name: list(fields[each][place]) for place, name in names.items()})

    def _write(self, cells: list[str]) -> None:
        """Writes one line and closes the file, so that nothing is left in this process."""
        line = "".join(f"{cell}\t" for cell in cells) + "\n"
        if self.closed:
            raise ValueError(f"optim.Logger: {self.name} is of a .t7 file: it has values, but no file to write them to")
        if self.path is None:
            print(line, end="", flush=True)
        else:
            with self.path.open("a") as file:
                file.write(line)

    def setNames(self, names: Sequence[str]) -> Logger:
        """Writes the first row, the columns' names; returns the logger. Raises ValueError for repeated names."""
        names = list(_table("setNames", "names", names))
        if len(set(names)) < len(names):
            raise ValueError(f"optim.Logger.setNames: expected different names, got {names}")
        self._write([str(name) for name in names])
        self.names = names
        self.symbols = {name: [] for name in names}
        self.styles = {name: [self.defaultStyle] for name in names}
        return self

    def add(self, symbols: Sequence | dict) -> None:
        """Writes a row: a list with a value for each column, or a dict of them by name.

        Numbers are written with four decimals and an exponent, strings as they are. The first row names the columns
        (a list: 1, 2, ...), unless `setNames` did. Raises TypeError for other values, ValueError for missing and
        unknown columns.
        """
        given = symbols if isinstance(symbols, dict) else list(_table("add", "values", symbols))
        names = self.names or (list(given) if isinstance(given, dict) else list(range(1, len(given) + 1)))
        if len(given) != len(names) or (isinstance(given, dict) and set(given) != set(names)):
            raise ValueError(f"optim.Logger.add: expected a value for each of {names}, got {given}")
        row = [_number_or_text(given[name] if isinstance(given, dict) else given[i]) for i, name in enumerate(names)]
        if not self.names:
            self.setNames(names)
        self._write([value if isinstance(value, str) else f"{value:11.4e}" for value in row])
        for name, value in zip(names, row, strict=True):
            self.symbols[name].append(value)

    def style(self, symbols: Styles) -> Logger:
        """How columns are drawn, a list in their order or a dict by name; returns the logger.

        '.' dots, '+' points, '-' lines, '+-' both, '~' a smooth curve (a natural cubic spline), '|' boxes, or a format
        of matplotlib such as 'r--' (in Torch, of gnuplot); or a list of these, drawn on top of each other.
        Raises TypeError for anything else, ValueError for unknown columns.
        """
        if len(_table("style", "styles", symbols)) > len(self.names):
            raise ValueError(f"optim.Logger.style: expected styles of the columns {self.names}, got {symbols}")
        pairs = symbols.items() if isinstance(symbols, dict) else zip(self.names, symbols, strict=False)
        for name, style in pairs:
            styles = [style] if isinstance(style, str) else style
            if not isinstance(styles, (list, tuple)) or not all(isinstance(each, str) for each in styles):
                raise TypeError(f"optim.Logger.style: style should be a string or a table of strings, got {style!r}")
            self.styles[self._column("style", name)] = list(styles)
        return self

    def _column(self, method: str, name: Any) -> Any:
        if name not in self.symbols:
            raise ValueError(f"optim.Logger.{method}: expected one of the columns {self.names}, got {name!r}")
        return name

    def setlogscale(self, state: bool = True) -> None:
        """Whether plots have a logarithmic y axis."""
        self.logscale = state

    def display(self, state: bool = True) -> None:
        """Whether `plot` opens a window if there is a screen; it writes files in any case."""
        self.showPlot = state

    def plot(self, *names: str | Sequence[str]) -> None:
        """Draws the named columns (by default all) that have more than one value and no text, over the row.

        Writes <filename>.eps, and the same as <filename>.png. Raises ValueError for unknown columns, ImportError
        without matplotlib.
        """
        columns = {name: self.symbols[self._column("plot", name)] for name in names or self.names}
        columns = {n: v for n, v in columns.items() if len(v) > 1 and not any(isinstance(x, str) for x in v)}
        if not columns:
            return
        figure: Any = new_figure("optim.Logger.plot", self.showPlot, self.figure, layout="constrained")
        axes = figure.add_subplot()
        for number, (name, values) in enumerate(columns.items()):
            for style in self.styles[name]:
                _draw(axes, np.asarray(values), style, f"C{number}", str(name))
        axes.set_yscale("log" if self.logscale else "linear")
        axes.set_title(f"<Logger::{self.name}>")
        axes.grid(True)
        axes.legend(framealpha=1)
        if self.epsfile is not None:
            for path in (self.epsfile, f"{self.name}.png"):
                write(figure, path)
        if self.showPlot:
            self.figure = figure.number
            show(figure)


def _draw(axes: Any, values: np.ndarray, style: str, color: str, label: str) -> None:
    rows = np.arange(1, len(values) + 1)
    if style == "~":
        from scipy.interpolate import CubicSpline

        fine = np.linspace(1, len(values), 20 * len(values))
        axes.plot(fine, CubicSpline(rows, values, bc_type="natural")(fine), color=color, label=label)
    elif style == "|":
        axes.bar(rows, values, color=color, label=label)
    elif style in LINES:
        axes.plot(rows, values, color=color, label=label, **LINES[style])
    else:
        axes.plot(rows, values, style, label=label)
