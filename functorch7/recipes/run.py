"""Running a recipe: the trainer, with what the recipe says."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import jax

from ..training.trainer import Result, Trainer
from ..training.validation import evaluate
from .recipe import Recipe, Task


class Outcome(NamedTuple):
    """What a run gave."""

    task: Task
    result: Result
    """The last state, and the epochs' records."""
    test: dict[str, float]
    """What the best epoch's network has on the test set, by the name of the measure; empty if the run was stopped."""


def run(recipe: Recipe, folder: str | os.PathLike | None = None, **options: Any) -> Outcome:
    """Trains what a recipe describes, from where the run in the folder was, if there is one.

    `options` are the Trainer's (compute_dtype, log_every, ...).
    Raises: what reading the data raises, and `Trainer.fit`.
    """
    task = recipe.task()
    options = {"methods": task.methods, "patience": recipe.early_stop, "count": task.count} | options
    trainer = Trainer(task.module, task.criterion, task.optimizer, folder, **options)
    result = trainer.fit(
        task.train, recipe.epochs, validation=task.validation, batch_size=task.batch_size, seed=recipe.seed,
        variables=jax.jit(task.init)(recipe.key),
    )  # fmt: skip
    if task.test is None or result.ended not in ("all epochs", "no improvement"):
        return Outcome(task, result, {})
    state = result.state if folder is None else trainer.load(best=True)
    batches = task.test.batches(task.batch_size)
    found = evaluate(task.module, state.params, state.buffers, batches, task.methods, key=recipe.key)
    return Outcome(task, result, {str(method): each.result()[0] for each, method in found})
