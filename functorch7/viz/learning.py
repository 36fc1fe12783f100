"""Learning curves: what a `training.Trainer` recorded, drawn."""

import json
from pathlib import Path
from typing import Any

from ..interop.writing import replacing


def plot_learning(folder: Any, path: Any = None) -> Any:
    """A figure of a training run's records (metrics.jsonl in `folder`); written to `path`, a picture file, if given.

    On the left the loss over steps, and its mean in each epoch; then a plot for each result of validation.
    Raises ValueError if nothing was recorded yet.
    """
    records = [json.loads(line) for line in Path(folder, "metrics.jsonl").read_text().splitlines()]
    train, epochs = ([r for r in records if r["kind"] == kind] for kind in ("train", "epoch"))
    if not records:
        raise ValueError(f"plot_learning: no records in {folder}")
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(n for r in epochs for n in r if n not in ("kind", "step", "epoch", "loss")))
    figure = Figure(figsize=(4.5 * (1 + len(names)), 3.2), layout="constrained")
    first, *others = figure.subplots(1, 1 + len(names), squeeze=False)[0]
    first.plot([r["step"] for r in train], [r["loss"] for r in train], alpha=0.5, label="loss")
    for axes, name in zip((first, *others), ("loss", *names), strict=True):
        known = [r for r in epochs if r.get(name) is not None]
        axes.plot(
            [r["step"] for r in known],
            [r[name] for r in known],
            marker=".",
            label=f"{name} of the epoch" if axes is first else name,
        )
        axes.set_xlabel("step")
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")
    if path is not None:
        with replacing(path) as draft:
            figure.savefig(draft, dpi=80)
    return figure
