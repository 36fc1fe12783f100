"""Training by a recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from functorch7 import recipes, viz
from functorch7.interop.packages import check_installed
from functorch7.training.records import recorded

from .command import WrongCall


def train(
    file: str, folder: str | None, settings: tuple[str, ...], devices: str | None, bfloat16: bool, tensorboard: bool,
    quiet: bool,
) -> dict[str, Any]:  # fmt: skip
    """Trains, draws the learning curves, and says how it ended and what the network is worth on the test set."""
    if folder == "":
        raise WrongCall("--folder: expected a folder, got an empty text")  # as of a variable that is not set
    check_installed("matplotlib", "functorch7[training]")  # rather than after the training
    recipe = recipes.load(file)
    of_options = {"devices": devices} if devices else {}
    of_options |= {"compute_dtype": "bfloat16"} if bfloat16 else {}
    try:
        recipe = recipes.changed(recipe, dict(map(recipes.change, settings)) | of_options)
    except ValueError as error:
        raise WrongCall(f"--set: {error}") from error
    runs = Path("runs", Path(file).stem) if folder is None else Path(folder)
    outcome = recipes.run(recipe, runs, tensorboard=tensorboard, verbose=not quiet)
    if recorded(runs / "metrics.jsonl"):  # else it was stopped before there was any
        viz.plot_learning(runs, runs / "curves.png")
    recipe.draw(outcome.task, outcome.result.state.params, outcome.result.state.buffers, runs)
    return {
        "folder": str(runs),
        "ended": outcome.result.ended,
        "epochs": len(outcome.result.epochs),
        "test": outcome.test,
    }


def listed() -> str:
    """The shipped recipes, a line for each."""
    found = recipes.shipped()
    width = max(map(len, found))
    return "\n".join(f"{name:{width}}  {about}" for name, about in found.items())
