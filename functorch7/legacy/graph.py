"""Torch's package graph: directed graphs, walks through them, their order, and pictures.

    g = graph.Graph()
    first, second, third = graph.Node("a"), graph.Node("b"), graph.Node("c")
    g.add([graph.Edge(first, second), graph.Edge(first, third), graph.Edge(third, second)])
    nodes, _, _ = g.topsort()
    [node.data for node in nodes]  # ["a", "c", "b"]
    graph.dot(g, "a title", "file")

Source: torch/graph.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..interop.writing import replacing
from .modules.directed import Edge as Edge
from .modules.directed import Graph as Graph
from .modules.directed import Node as Node
from .tensors.tensor import Tensor

if TYPE_CHECKING:
    from ..viz import Picture

_UNDERSCORED = ("_dotEscape",)
"""Names of Torch's package that begin with an underscore."""


class Pictured(Protocol):
    """An object with a picture: a graph."""

    def picture(self, title: str | None = None, /) -> Picture:
        """Its picture."""
        ...


def todot(g: Pictured | Picture, title: str = "") -> str:
    """A graph (a gModule's is `network.fg`) or a picture in graphviz's language."""
    return _picture(g, title).dot()


def dot(g: Pictured | Picture, title: str = "", fname: str | None = None) -> Path:
    """Writes a graph or picture to FNAME.dot and FNAME.svg (a temporary file by default); returns the latter."""
    return _picture(g, title).write(fname or str(Path(tempfile.mkdtemp()) / "graph"))


def graphvizFile(g: Pictured | Picture, algorithm: str, fname: str) -> None:
    """Writes a graph as a picture, or as text for graphviz; the name's ending, .svg or .dot, says which.

    Raises: ValueError for another ending, or another layout than "dot".
    """
    _expect_dot(algorithm)
    form = Path(fname).suffix.removeprefix(".")
    if form not in ("svg", "dot"):
        raise ValueError(f"graph.graphvizFile: expected a name that ends with .svg or .dot, got {fname!r}")
    with replacing(Path(fname)) as draft:
        draft.write_text(getattr(_picture(g, ""), form)(), encoding="utf-8")


def graphvizLayout(g: Pictured | Picture, algorithm: str = "dot") -> Tensor:
    """The nodes' places in a graph's picture: x and y in each row, from 0 to 1; y grows upwards.

    Raises: ValueError for another layout than "dot".
    """
    _expect_dot(algorithm)
    places, width, height = _picture(g, "").layout()
    return Tensor.of(np.array([[x / width, 1 - y / height] for x, y, *_ in places]))


def _dotEscape(text: str) -> str:
    """A text as graphviz writes values: in quotation marks unless it is one word."""
    from ..viz.graphs import written  # imported only when needed

    return written(text)


def _picture(g: Pictured | Picture, title: str) -> Picture:
    drawn: Any = g
    return drawn.picture(title) if hasattr(g, "picture") else replace(drawn, title=title)


def _expect_dot(algorithm: str | None) -> None:
    if algorithm not in (None, "dot"):
        raise ValueError(f"graph: expected the layout 'dot', got {algorithm!r}")
