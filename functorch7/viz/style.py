"""How figures look: one style for all, light or dark, sharp on screens with two pixels for one."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..interop.writing import replacing_by_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Theme = Literal["light", "dark"]

DPI = 160
"""Pixels of a figure's inch: twice what pages show it in."""

COLOURS = ("#3e7cb1", "#e07a3f", "#4f9d69", "#b5496b", "#7a68b3", "#8c7a4f")
"""Of curves, in order: they differ in lightness, too."""

PAPER = {"light": "#ffffff", "dark": "#161b22"}
INK = {"light": "#1f2933", "dark": "#e6edf3"}
FAINT = {"light": "#d3dae1", "dark": "#3b434c"}


def styled(theme: Theme = "light") -> AbstractContextManager[None]:
    """A block in which matplotlib's figures are made in functorch7's style.

    Raises: ValueError for another theme; ImportError without matplotlib.

    >>> from matplotlib.figure import Figure
    >>> with styled("dark"):
    ...     axes = Figure().add_subplot()
    >>> axes.get_facecolor()[:3] == axes.figure.get_facecolor()[:3]
    True
    """
    if theme not in PAPER:
        raise ValueError(f"styled: expected the theme 'light' or 'dark', got {theme!r}")
    from cycler import cycler
    from matplotlib import rc_context

    paper, ink, faint = PAPER[theme], INK[theme], FAINT[theme]
    coloured = dict.fromkeys(("text.color", "axes.labelcolor", "axes.titlecolor", "xtick.color", "ytick.color"), ink)
    return rc_context({
        **coloured, "figure.facecolor": paper, "axes.facecolor": paper, "savefig.facecolor": "auto",
        "axes.edgecolor": faint, "grid.color": faint, "legend.edgecolor": faint, "legend.facecolor": paper,
        "axes.prop_cycle": cycler(color=COLOURS), "axes.grid": True, "axes.axisbelow": True, "grid.linewidth": 0.6,
        "axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 10, "axes.titleweight": "bold",
        "axes.titlelocation": "left", "axes.labelsize": 9, "xtick.labelsize": 8, "ytick.labelsize": 8,
        "legend.fontsize": 8, "legend.framealpha": 0.9, "lines.linewidth": 1.6, "figure.dpi": DPI / 2,
    })  # fmt: skip


def write(figure: Figure, path: str | os.PathLike) -> None:
    """Writes a figure to a file, whole or not at all. Raises: OSError; ValueError for an unknown ending."""
    with replacing_by_bytes(path) as written:
        figure.savefig(written, dpi=DPI, format=Path(path).suffix[1:] or None)
