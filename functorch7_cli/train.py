"""Training by a recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax

from functorch7 import recipes, viz
from functorch7.interop.packages import check_installed

from .command import WrongCall


def train(
    file: str, folder: str | None, settings: tuple[str, ...], devices: str | None, bfloat16: bool, tensorboard: bool,
    quiet: bool,
) -> dict[str, Any]:  # fmt: skip
    """Trains, draws the learning curves, and says how it ended and what the network is worth on the test set."""
    check_installed("matplotlib", "functorch7[training]")  # rather than after the training
    recipe = recipes.load(file)
    try:
        recipe = recipes.changed(recipe, dict(map(recipes.change, settings)))
    except ValueError as error:
        raise WrongCall(f"--set: {error}") from error
    runs = Path("runs", Path(file).stem) if folder is None else Path(folder)
    dtype = jax.numpy.bfloat16 if bfloat16 else None
    options: Any = {"compute_dtype": dtype, "tensorboard": tensorboard, "verbose": not quiet}
    outcome = recipes.run(recipe, runs, devices=devices, **options)
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
