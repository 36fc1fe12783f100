"""iTorch's plots, by matplotlib in place of Bokeh."""

from __future__ import annotations

import math
import os
from io import StringIO
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ...interop.writing import replacing
from ..image.display import show_or_write
from ..optim.pictures import new_figure, write
from ..tensors.named import Named
from ..tensors.tensor import Tensor
from ..tensors.values import unwrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Numbers = Tensor | np.ndarray | list[float]
Colors = str | list[str] | None
Name = str | None
COLORS = ("red", "blue", "green", "yellow", "black", "brown", "orange", "pink", "magenta", "purple")
"""The colours of `gscatter`'s classes, which come again after these."""


class Plot(Named):
    """Points, lines and bars in one picture: `Plot().line(x, y, "blue", "loss").title("training").draw()`.

    Every method returns the plot. A colour is a name, "#FF8932", or a list with one for each point; a plot shows its
    legend after `legend(true)`. `x` and `y` are vectors or lists of as many numbers.
    Raises: ValueError for vectors of other sizes; ImportError without matplotlib when it is drawn.
    Source: iTorch's README.

    >>> from functorch7.legacy import itorch
    >>> itorch.Plot().line([1, 2], [3, 4], "blue", "loss").title("two steps").legend()
    itorch.Plot
    """

    _package = "itorch"

    def __init__(self) -> None:
        self._drawn: list[tuple[str, tuple, dict[str, Any]]] = []  # matplotlib's methods, and what they are given
        self._title = self._xaxis = self._yaxis = ""
        self._has_legend = False

    def _add(self, method: str, *given: Any, **options: Any) -> Self:
        self._drawn.append((method, given, options))
        return self

    def circle(self, x: Numbers, y: Numbers, color: Colors = None, legend: Name = None, tips: object = None) -> Self:
        """Circles at points."""
        return self._add("scatter", *_alike("circle", x, y), **_look(color, legend))

    def triangle(self, x: Numbers, y: Numbers, color: Colors = None, legend: Name = None, tips: object = None) -> Self:
        """Triangles at points."""
        return self._add("scatter", *_alike("triangle", x, y), marker="^", **_look(color, legend))

    def line(self, x: Numbers, y: Numbers, color: Colors = None, legend: Name = None, tips: object = None) -> Self:
        """A line through points, in their order."""
        return self._add("plot", *_alike("line", x, y), **_look(color, legend))

    def segment(
        self, x0: Numbers, y0: Numbers, x1: Numbers, y1: Numbers, color: Colors = None, legend: Name = None
    ) -> Self:
        """Lines from the points (x0, y0) to (x1, y1)."""
        x0, y0, x1, y1 = _alike("segment", x0, y0, x1, y1)
        gap = np.full_like(x0, math.nan)  # which ends a line
        x, y = (np.stack([*ends, gap], 1).reshape(-1) for ends in ((x0, x1), (y0, y1)))
        return self._add("plot", x, y, **_look(color, legend))

    def quad(
        self, x0: Numbers, y0: Numbers, x1: Numbers, y1: Numbers, color: Colors = None, legend: Name = None
    ) -> Self:
        """Filled rectangles with corners at (x0, y0) and (x1, y1)."""
        x0, y0, x1, y1 = _alike("quad", x0, y0, x1, y1)
        return self._add("bar", x0, y1 - y0, x1 - x0, y0, align="edge", **_look(color, legend))

    def histogram(
        self, x: Tensor, nBins: int = 100, min: float | None = None, max: float | None = None, color: Colors = None,
        legend: Name = None,
    ) -> Self:  # fmt: skip
        """How many elements are in each of `nBins` parts of the range from `min` to `max`, by default their own."""
        values = np.asarray(unwrapped(x), np.float64).reshape(-1)
        if not values.size or np.isnan(values).any():
            raise ValueError("itorch.Plot.histogram: expected numbers, got nan among them, or none")
        ends = values.min() if min is None else min, values.max() if max is None else max
        counts, edges = np.histogram(values, nBins, ends)
        return self.quad(edges[:-1], np.zeros(nBins), edges[1:], counts.astype(np.float64), color, legend)

    hist = histogram

    def gscatter(self, x: Numbers, y: Numbers, labels: Numbers | None = None, legend: bool = True) -> Self:
        """Circles in a colour for each label."""
        x, y, marks = _alike("gscatter", x, y, np.zeros(len(x)) if labels is None else labels)
        for number, label in enumerate(dict.fromkeys(marks.tolist())):
            chosen = marks == label
            self.circle(x[chosen], y[chosen], COLORS[number % len(COLORS)], f"Class {label:g}")
        return self.legend(legend and labels is not None)

    def quiver(self, U: Tensor, V: Tensor, color: Colors = None, legend: Name = None, scaling: float = 40) -> Self:
        """Arrows (U, V) / scaling from the places (column, row) of two matrices."""
        u, v = (np.asarray(unwrapped(each), np.float64) for each in (U, V))
        if u.ndim != 2 or u.shape != v.shape:
            raise ValueError(f"itorch.Plot.quiver: expected two matrices of one size, got {u.shape} and {v.shape}")
        y, x = np.indices(u.shape) + 1.0
        options = {"angles": "xy", "scale_units": "xy", "scale": scaling}
        return self._add("quiver", x, y, u, v, **_look(color, legend), **options)

    def text(
        self, x: Numbers | float, y: Numbers | float, text: str | list[str], angle: Numbers | float = 0,
        color: str = "black",
    ) -> Self:  # fmt: skip
        """A text at a point, turned by an angle in radians; or a list of texts, with vectors of the others."""
        texts = [text] if isinstance(text, str) else list(text)
        places = (np.broadcast_to(np.asarray(unwrapped(each), np.float64), len(texts)) for each in (x, y, angle))
        for x0, y0, turned, each in zip(*(place.tolist() for place in places), texts, strict=True):
            self._add("text", x0, y0, each, rotation=math.degrees(turned), color=color)
        return self

    def hover_tool(self, tooltips: object) -> Self:
        """Bokeh's tips, which pictures have not."""
        return self

    def title(self, text: str) -> Self:
        """The title above."""
        self._title = text
        return self

    def xaxis(self, text: str) -> Self:
        """The name of the horizontal axis."""
        self._xaxis = text
        return self

    def yaxis(self, text: str) -> Self:
        """The name of the vertical axis."""
        self._yaxis = text
        return self

    def legend(self, shown: bool = True) -> Self:
        """Whether the names of what is drawn are shown."""
        self._has_legend = bool(shown)
        return self

    def draw(self, window: str | None = None) -> Self:
        """Shows the plot below a notebook's cell; outside of notebooks in a file, itorch.plot.png."""
        figure = self.figure()
        show_or_write(figure, "itorch.plot", lambda draft: write(figure, draft, format="png"))
        return self

    def redraw(self) -> Self:
        """Shows it again."""
        return self.draw()

    def figure(self) -> Figure:
        """The plot as matplotlib's figure."""
        found = new_figure("itorch.Plot", window=False)
        axes: Any = found.subplots()
        for method, given, options in self._drawn:
            getattr(axes, method)(*given, **options)
        axes.set(title=self._title, xlabel=self._xaxis, ylabel=self._yaxis)
        if self._has_legend:
            axes.legend()
        return found

    def toHTML(self) -> str:
        """A page with the plot."""
        picture = StringIO()
        self.figure().savefig(picture, format="svg")
        return f"<!DOCTYPE html>\n<html><body>\n{picture.getvalue()}</body></html>\n"

    def save(self, filename: str | os.PathLike) -> Self:
        """Writes the page to a file."""
        page = self.toHTML()
        with replacing(filename) as draft:
            draft.write_text(page, encoding="utf-8")
        return self


def _look(color: Colors, legend: Name) -> dict[str, Any]:
    """A colour and a name, with iTorch's for nil."""
    return {"color": color or "red", "label": legend or "unnamed"}


def _alike(method: str, *vectors: Numbers) -> list[np.ndarray]:
    """Vectors of as many numbers."""
    found = [np.asarray(unwrapped(each), np.float64) for each in vectors]
    if any(each.ndim != 1 or each.shape != found[0].shape for each in found):
        sizes = " and ".join(map(str, [each.shape for each in found]))
        raise ValueError(f"itorch.Plot.{method}: expected vectors of as many numbers, got {sizes}")
    return found
