"""Figures by their numbers, the current one, and its axes' settings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ...core.display import in_notebook
from ..image.display import show_below
from ..optim.pictures import new_figure, write
from ..optim.pictures import show as show_window


class Plot:
    """A figure, its axes, and its file and format; without a file, it is a window."""

    def __init__(self, number: int, file: str | None, format: str | None):
        self.number, self.file, self.format, self.legend = number, file, format, "upper right"
        self.figure: Any = new_figure("gnuplot", file is None and not in_notebook(), number)
        self.set: dict[str, Any] = {}
        self.clear()

    def clear(self, projection: str | None = None) -> Any:
        """New axes with the old ones' settings."""
        self.figure.clear()
        self.axes = self.figure.add_subplot(projection=projection)
        for name, value in self.set.items():
            getattr(self.axes, name, lambda value: None)(value)
        return self.axes

    def keep(self, name: str, value: object) -> None:
        """Calls a method of the axes, and of later ones; axes without it are left out."""
        self.set[name] = value
        getattr(self.axes, name, lambda value: None)(value)
        self.refresh()

    def refresh(self) -> None:
        """Shows the window as it is now."""
        if self.file is None and not in_notebook():
            show_window(self.figure)


class _Plots:
    by_number: dict[int, Plot] = {}
    current: int | None = None


def current() -> Plot:
    """The current figure; the first, if there is none."""
    if _Plots.current is None:
        figure()
    return _Plots.by_number[_Plots.current]  # type: ignore[index]


def _figure(n: int | None, file: str | None = None, format: str | None = None) -> int:
    n = max(_Plots.by_number, default=0) + 1 if n is None else n
    if n not in _Plots.by_number or file is not None:
        _Plots.by_number[n] = Plot(n, file, format)
    _Plots.current = n
    return n


def figure(n: int | None = None) -> int:
    """Makes a figure the current one, or makes a new one. Raises ImportError without matplotlib."""
    return _figure(n)


def _file_figure(fname: str, n: int | None, format: str) -> int:
    if not os.path.isdir(os.path.dirname(fname) or "."):
        raise FileNotFoundError(f"gnuplot: cannot save to {fname}: directory does not exist")
    return _figure(n, fname, format)


def pngfigure(fname: str, n: int | None = None) -> int:
    """A new figure that `plotflush` writes to a PNG file. Raises OSError without its folder, ImportError."""
    return _file_figure(fname, n, "png")


def epsfigure(fname: str, n: int | None = None) -> int:
    """A new figure that `plotflush` writes to an EPS file. Raises OSError without its folder, ImportError."""
    return _file_figure(fname, n, "eps")


def pdffigure(fname: str, n: int | None = None) -> int:
    """A new figure that `plotflush` writes to a PDF file. Raises OSError without its folder, ImportError."""
    return _file_figure(fname, n, "pdf")


def svgfigure(fname: str, n: int | None = None) -> int:
    """A new figure that `plotflush` writes to an SVG file. Raises OSError without its folder, ImportError."""
    return _file_figure(fname, n, "svg")


def figprint(fname: str) -> None:
    """Writes the current figure to a file; the name's ending says the format. Raises ValueError for others."""
    kind = os.path.splitext(fname)[1].removeprefix(".")
    if kind not in ("eps", "png", "pdf", "svg"):
        raise ValueError(f"gnuplot.figprint: expected a file of eps, png, pdf or svg, got {fname}")
    write(current().figure, fname, format=kind)


def plotflush(n: int | None = None) -> None:
    """Writes the current figure, or the one of a number, to its file; in a notebook, shows it."""
    number = _Plots.current if n is None else n
    plot = _Plots.by_number.get(number)  # type: ignore[arg-type]
    if plot is None:
        print(f"no figure {number}")
    elif plot.file is not None:
        write(plot.figure, plot.file, format=plot.format)
    elif in_notebook():
        show_below(plot.figure)
    else:
        plot.refresh()


def close(n: int | None = None) -> None:
    """Closes the current figure, or the one of a number, after writing its file if it has one."""
    number = _Plots.current if n is None else n
    plot = _Plots.by_number.get(number)  # type: ignore[arg-type]
    if plot is None:
        return
    plotflush(number)
    if plot.file is None and not in_notebook():
        from matplotlib import pyplot

        pyplot.close(plot.figure)
    del _Plots.by_number[plot.number]
    _Plots.current = None


def closeall() -> None:
    """Closes all figures."""
    for number in [*_Plots.by_number]:
        close(number)


# Axes -----------------------------------------------------------------------------------------------------------------


def xlabel(label: str) -> None:
    """Names the x axis."""
    current().keep("set_xlabel", label)


def ylabel(label: str) -> None:
    """Names the y axis."""
    current().keep("set_ylabel", label)


def zlabel(label: str) -> None:
    """Names the z axis."""
    current().keep("set_zlabel", label)


def title(label: str) -> None:
    """Sets the title."""
    current().keep("set_title", label)


def grid(toggle: bool) -> None:
    """Shows or hides the grid."""
    current().keep("grid", toggle)


def logscale(toggle: bool) -> None:
    """Makes the y axis logarithmic, or linear."""
    current().keep("set_yscale", "log" if toggle else "linear")


PLACES = {"top": "upper", "bottom": "lower", "middle": "center"}


def movelegend(hloc: str, vloc: str) -> None:
    """Puts the legend to the "left", "right" or "center", "top", "bottom" or "middle". Raises ValueError for others."""
    if hloc not in ("left", "right", "center") or vloc not in PLACES:
        raise ValueError(
            f"gnuplot.movelegend: expected left, right or center, top, bottom or middle; got {hloc}, {vloc}"
        )
    plot = current()
    place = "center" if (hloc, vloc) == ("center", "middle") else f"{PLACES[vloc]} {hloc}"
    plot.legend = place
    legend(plot)


def legend(plot: Plot) -> None:
    """Shows the lines' names, if they have any, at the top right or where `movelegend` put them."""
    if plot.axes.get_legend_handles_labels()[1]:
        plot.axes.legend(loc=plot.legend)
    plot.refresh()


def axis(axis: str | Sequence) -> None:
    """Sets the axes: "auto", "image" or "equal" (circles are circles), "fill", or [xmin, xmax, ymin, ymax].

    An empty text among the four keeps the present limit. Raises ValueError for others.
    """
    plot = current()
    if isinstance(axis, str):
        if axis not in ("auto", "image", "equal", "fill"):
            raise ValueError(f"gnuplot.axis: expected auto, image, equal, fill or four limits, got {axis!r}")
        plot.keep("set_aspect", "equal" if axis in ("image", "equal") else "auto")
        return
    if len(axis) != 4:
        raise ValueError(f"gnuplot.axis: expected {{xmin, xmax, ymin, ymax}}, got {axis}")
    limits = [None if each == "" else each for each in axis]
    plot.keep("set_xlim", limits[:2])
    plot.keep("set_ylim", limits[2:])


def setterm(terminal: str) -> None:
    """Does nothing: the notebook or matplotlib shows figures, and files are named by the programs.

    Raises TypeError unless the terminal is a text.
    """
    if not isinstance(terminal, str):
        raise TypeError(f"gnuplot.setterm: expected the name of a terminal, got {terminal!r}")
