"""Running a recipe: the trainer, with what the recipe says."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import jax

from ..core import forget
from ..training import data_parallel, fully_sharded
from ..training.trainer import Result, Trainer
from ..training.validation import evaluate
from .recipe import Recipe, Task

SHARDINGS = {"copies": data_parallel, "shards": fully_sharded}


class Outcome(NamedTuple):
    """What a run gave."""

    task: Task
    result: Result
    """The last state, and the epochs' records."""
    test: dict[str, float]
    """What the best epoch's network has on the test set, by the name of the measure; empty if the run was stopped."""


def run(
    recipe: Recipe, folder: str | os.PathLike | None = None, *, devices: str | None = None, **options: Any
) -> Outcome:  # fmt: skip
    """Trains what a recipe describes, from where the run in the folder was, if there is one.

    `devices` "copies" trains on all devices, with all parameters on each; "shards" with a part of them on each. Other
    options are the Trainer's (compute_dtype, log_every, ...).
    Raises: ValueError for other `devices`, and for any with a recipe that learns by rows; what reading the data raises,
    and `Trainer.fit`.
    """
    if devices not in (None, *SHARDINGS):
        raise ValueError(f"recipes.run: expected devices {' or '.join(SHARDINGS)}, got {devices!r}")
    task = recipe.task()
    sharding = None if devices is None else SHARDINGS[devices](batch_dim=task.batch_dim)
    of_task = {"methods": task.methods, "count": task.count, "clip": task.clip, "by_rows": task.by_rows}
    options = {**of_task, "patience": recipe.early_stop, **options}
    trainer = Trainer(task.module, task.criterion, task.optimizer, folder, sharding=sharding, **options)
    result = trainer.fit(
        task.train, recipe.epochs, validation=task.validation, batch_size=task.batch_size, seed=recipe.seed,
        variables=jax.jit(task.init)(recipe.key),
    )  # fmt: skip
    if task.test is None or result.ended not in ("all epochs", "no improvement"):
        return Outcome(task, result, {})
    params, buffers = (result.state if folder is None else trainer.load(best=True))[:2]
    batches = task.test.batches(task.batch_size, process_index=0, process_count=1)
    placed = batches if sharding is None else map(sharding.place_whole, batches)
    found = evaluate(task.module, params, forget(task.module, buffers), placed, task.methods, key=recipe.key)
    return Outcome(task, result, {str(method): each.result()[0] for each, method in found})
