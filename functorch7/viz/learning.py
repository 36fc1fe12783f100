"""Learning curves of a `training.Trainer`'s records, in notebooks also while it trains."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..interop.packages import package
from ..training import Callback
from ..training.records import OWN, Record, recorded
from .style import DPI, Theme, styled, write

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_learning(folder: str | os.PathLike, path: str | os.PathLike | None = None, theme: Theme = "light") -> Figure:
    """A figure of a training run's records (metrics.jsonl in `folder`), written to the picture file `path` if given.

    The first plot shows the loss over steps and its mean in each epoch; each validation result has another plot.
    An incomplete last line, which a killed run may leave, is ignored.
    Raises ValueError if there are no records yet, and for lines that are not records.
    """
    records = recorded(Path(folder, "metrics.jsonl"))
    if not records:
        raise ValueError(f"plot_learning: no records in {folder}")
    figure = curves_of(records, theme)
    if path is not None:
        write(figure, path)
    return figure


def curves_of(records: Sequence[Record], theme: Theme = "light") -> Figure:
    """The figure of these records, as `plot_learning` draws it."""
    from matplotlib.figure import Figure

    train, epochs = ([r for r in records if r["kind"] == kind] for kind in ("train", "epoch"))
    names = list(dict.fromkeys(n for r in epochs for n in r if n not in OWN))
    with styled(theme):
        figure = Figure(figsize=(4.5 * (1 + len(names)), 3.2), layout="constrained")
        first, *others = figure.subplots(1, 1 + len(names), squeeze=False)[0]
        if train:
            first.plot([r["step"] for r in train], [r["loss"] for r in train], alpha=0.5, label="loss")
        for axes, name in zip((first, *others), ("loss", *names), strict=True):
            known = [r for r in epochs if not math.isnan(r.get(name, math.nan))]
            label = f"{name} of the epoch" if axes is first else name
            axes.plot([r["step"] for r in known], [r[name] for r in known], marker=".", label=label)
            axes.set(title=name, xlabel="step", ylabel=name)
            axes.legend()
    return figure


class LiveCurves(Callback):
    """Shows the learning curves below a notebook's cell, and redraws them with every record of a Trainer.

    Use as `Trainer(..., callbacks=[LiveCurves()])`; its `log_every` says how often it records.
    Raises: ImportError without IPython or matplotlib (extra `viz`).
    """

    def __init__(self, theme: Theme = "light"):
        self.theme: Theme = theme
        self.records: list[dict[str, Any]] = []
        self._shown: Any = None

    def on_start(self, step: int, epochs: Sequence[Record]) -> None:
        self.records, self._shown = list(epochs), None

    def on_record(self, record: Record) -> None:
        self.records.append(record)
        display = package("IPython.display", "ipython")
        data = io.BytesIO()
        curves_of(self.records, self.theme).savefig(data, dpi=DPI)
        picture = display.Image(data.getvalue(), format="png", retina=True)
        if self._shown is None:
            self._shown = display.display(picture, display_id=True)
        else:
            self._shown.update(picture)
