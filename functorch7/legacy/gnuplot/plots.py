"""Lines, surfaces, points and matrices, drawn into the current figure."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..tensors.arguments import sizes_text
from ..tensors.tensor import Tensor
from .figures import current, legend

STYLES: dict[str, dict[str, Any]] = {
    "": {"marker": "o", "markersize": 3},
    ".": {"linestyle": "", "marker": ".", "markersize": 2},
    "+": {"linestyle": "", "marker": "+"},
    "-": {},
    "+-": {"marker": "+"},
    "~": {},
    "|": {},
    "v": {},
}
"""What gnuplot's short formats are to matplotlib: dots, points, lines, both; smooth lines, boxes, arrows."""

LONG = {
    "dots": ".", "points": "+", "lines": "-", "linespoints": "+-", "boxes": "|", "impulses": "|", "vectors": "v",
    "p": "+", "l": "-", "lp": "+-",
}  # fmt: skip
"""The short formats for gnuplot's names of styles."""


def plot(*args: Tensor | str | list | tuple | float) -> None:
    """Draws lines into the current figure, replacing its contents.

    `plot([name,] [x,] y [, format])`, or several such in lists: `plot(["a", x, y, "-"], ["b", y])`. x is by
    default 1, 2, ...; a matrix y has x in its first column and lines in the others. Formats are "." (dots), "+"
    (points), "-" (lines), "+-", "~" (smooth lines), "|" (boxes), "v" (arrows, from columns x, y of x's and y's steps),
    and gnuplot's "with lines", "with points" and the like, with "lw" and "lc rgb"; "with filledcurves" between two
    columns. Raises ValueError for sizes and formats that do not fit, TypeError for other arguments.
    """
    for axes, name, arrays, format in _drawn("plot", args, most=2):
        _line(axes, name, arrays, format)


def _drawn(
    who: str, args: tuple, most: int, projection: str | None = None
) -> Iterator[tuple[Any, str, list[np.ndarray], str]]:
    """The new axes of the current figure, and each line's name, arrays and format; then adds the legend."""
    plot = current()
    axes = plot.clear(projection)
    for each in _each(who, args):
        yield axes, *_named(who, each, most)
    legend(plot)


def _each(who: str, args: tuple) -> list:
    """The lists of arguments, one for each line: `f(a, b)`, `f([a, b], [a, b])` or `f([[a, b], [a, b]])`."""
    if not args:
        raise TypeError(f"gnuplot.{who}: no inputs, expecting at least a tensor")
    if not isinstance(args[0], (list, tuple)):
        return [args]
    return list(args[0]) if isinstance(args[0][0], (list, tuple)) else list(args)


def _named(who: str, given: Any, most: int) -> tuple[str, list[np.ndarray], str]:
    """(name, arrays, format) of a line's arguments."""
    rest = list(given)
    name = rest.pop(0) if rest and isinstance(rest[0], str) else ""
    format = rest.pop() if rest and isinstance(rest[-1], str) else ""
    if not 1 <= len(rest) <= most or not all(isinstance(each, Tensor) for each in rest):
        raise TypeError(f"gnuplot.{who}: expecting [string,] tensor [,tensor] [,string]")
    return name, [each.numpy() for each in rest], format


def _line(axes: Any, name: str, arrays: list[np.ndarray], format: str) -> None:
    style, options = _style(format)
    x, columns = _columns(arrays, style)
    label = name or None
    if style == "v":
        (x, dx), (y, dy) = np.atleast_2d(x.T), np.atleast_2d(columns.T)
        axes.quiver(x, y, dx, dy, angles="xy", scale_units="xy", scale=1, label=label)
    elif style == "filledcurves" and columns.shape[1] == 2:
        axes.fill_between(x, *columns.T, alpha=0.5, label=label)
    elif style == "|":
        axes.bar(x, columns[:, 0], width=np.diff(np.sort(x)).min() if len(x) > 1 else 1, label=label)
    else:
        for column in columns.T:
            points = _smooth(x, column) if style == "~" else (x, column)
            axes.plot(*points, label=label, **options)


def _style(format: str) -> tuple[str, dict[str, Any]]:
    """A format's short name, and its options for matplotlib. Raises ValueError for an unknown format."""
    if format in STYLES:
        return format, STYLES[format]
    words = re.findall(r"\w+", re.sub(r"^\s*(with|w)\s+", "", format))
    if not words or words[0] not in (*LONG, "filledcurves"):
        raise ValueError(f"gnuplot.plot: unknown format {format!r}")
    width, color = re.search(r"\b(?:lw|linewidth)\s+([\d.]+)", format), re.search(r"rgb\s+[\"']([^\"']+)", format)
    options = {"linewidth": float(width[1])} if width else {}
    options |= {"color": color[1]} if color else {}
    if words[0] == "filledcurves":
        return "filledcurves", options
    return LONG[words[0]], STYLES[LONG[words[0]]] | options


def _columns(arrays: list[np.ndarray], style: str) -> tuple[np.ndarray, np.ndarray]:
    """x, and y as columns."""
    first, last = arrays[0], arrays[-1]
    if len(arrays) == 1:
        if first.ndim == 2 and style == "v" and first.shape[1] == 4:
            return first[:, [0, 2]], first[:, [1, 3]]
        if first.ndim == 2 and first.shape[1] > 1:
            return first[:, 0], first[:, 1:]
        first = np.arange(1, len(last) + 1)
    if last.ndim > 2 or first.ndim > 2 or len(first) != len(last):
        raise ValueError(
            f"gnuplot.plot: x and y dims are wrong: x {sizes_text(first.shape)}, y {sizes_text(last.shape)}"
        )
    return first, last.reshape(len(last), -1)


def _smooth(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A cubic spline through the points."""
    from scipy.interpolate import CubicSpline

    places, first = np.unique(x, return_index=True)
    if len(places) < 3:
        return x, y
    fine = np.linspace(places[0], places[-1], 10 * len(places))
    return fine, CubicSpline(places, y[first])(fine)


def splot(*args: Tensor | str | list | tuple | float) -> None:
    """Draws surfaces: `splot([name,] z)` or `splot([name,] x, y, z)`, matrices; several in lists.

    Raises: ValueError for sizes that do not fit, TypeError for other arguments.
    """
    for axes, name, arrays, _ in _drawn("splot", args, 3, "3d"):
        z = arrays[-1]
        if len(arrays) == 2 or any(array.ndim != 2 or array.shape != z.shape for array in arrays):
            raise ValueError("gnuplot.splot: expected a matrix z, or x, y and z of one size")
        y, x = np.mgrid[: z.shape[0], : z.shape[1]] if len(arrays) == 1 else arrays[1::-1]
        axes.plot_wireframe(x, y, z, label=name or None, linewidth=0.5)


def scatter3(*args: Tensor | str | list | tuple | float) -> None:
    """Draws points: `scatter3([name,] x, y, z)`, vectors; several in lists.

    Raises: ValueError for sizes that do not fit, TypeError for other arguments.
    """
    for axes, name, arrays, _ in _drawn("scatter3", args, 3, "3d"):
        if len(arrays) != 3 or len({array.shape for array in arrays}) != 1:
            raise ValueError("gnuplot.scatter3: expected x, y and z of one size")
        axes.scatter(*arrays, label=name or None)


PALETTES = {"gray": "gray", "color": "jet"}


def imagesc(x: Tensor, palette: str = "gray") -> None:
    """Draws a matrix as colours: "gray", "color", or matplotlib's map of this name; others warn and draw in gnuplot's
    own colours, as it does. Raises ValueError for anything but a matrix.
    """
    if x.dim() != 2:
        raise ValueError(f"gnuplot.imagesc: expected a matrix, got {sizes_text(x.shape)}")
    plot = current()
    drawn = plot.clear().imshow(x.numpy(), cmap=_map_named(palette), aspect="auto", interpolation="nearest")
    plot.figure.colorbar(drawn)
    plot.refresh()


def _map_named(palette: str) -> str:
    import matplotlib

    found = PALETTES.get(palette, palette)
    if found in matplotlib.colormaps:
        return found
    warnings.warn(f"gnuplot.imagesc: no palette {palette!r}; drawn in gnuplot's own", stacklevel=3)
    return "gnuplot"
