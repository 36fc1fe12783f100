"""Runs a recipe with the Trainer."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import jax
import msgspec

from ..core.types import Value
from ..data import DataLoader
from ..interop.writing import replacing
from ..network import forget
from ..training import data_parallel, distributed, fully_sharded
from ..training.claim import claimed
from ..training.given import check_floating_type, check_folder
from ..training.trainer import Result, Trainer
from ..training.validation import by_name, evaluate
from .recipe import Recipe, Task

MAY_CHANGE = ("epochs", "early_stop", "datapath", "devices")
"""Settings that may change when a run is resumed."""
WORDS = "vocabulary"
"""The entry beside the settings that identifies the words of a text, whose numbers the network has learned."""
SHARDINGS = {"copies": data_parallel, "shards": fully_sharded}


class Outcome(NamedTuple):
    """The result of a run."""

    task: Task
    result: Result
    """The last state and the epochs' records."""
    test: dict[str, float]
    """The measures of the best epoch's network on the test set, by name; empty if the run was stopped."""


def run(
    recipe: Recipe, folder: str | os.PathLike | None = None, *, devices: str | None = None, **options: Any
) -> Outcome:  # fmt: skip
    """Trains by a recipe, and continues the run in the folder if there is one.

    `devices` "copies" trains on all devices with all parameters on each, "shards" with a part of them on each. It and
    `compute_dtype`, if given, replace the recipe's settings. Other options are the Trainer's (log_every, average,
    ...). The recipe is stored in the folder as recipe.json.
    Raises: ValueError for unknown `devices`, for any devices with a recipe that learns by rows, for a folder whose run
    has other settings (except its length and the place of the data), or whose text had other words; BlockingIOError
    while another run uses the folder; the errors of reading the data and of `Trainer.fit`.
    """
    if devices not in (None, *SHARDINGS):
        raise ValueError(f"recipes.run: expected devices {' or '.join(SHARDINGS)}, got {devices!r}")
    given = {"devices": devices, "compute_dtype": _name_of(options.pop("compute_dtype", None))}
    recipe = msgspec.structs.replace(recipe, **{name: value for name, value in given.items() if value is not None})
    if folder is not None:
        check_folder("recipes.run", folder)
    with contextlib.nullcontext() if folder is None else claimed("recipes.run", folder):
        return _run(recipe, folder, options)


def _name_of(dtype: Any) -> str | None:
    """The name of a type, as the recipe's setting."""
    if dtype is None:
        return None
    check_floating_type("compute_dtype", dtype)
    return jax.numpy.dtype(dtype).name


def _run(recipe: Recipe, folder: str | os.PathLike | None, options: dict[str, Any]) -> Outcome:
    task = recipe.task()
    sharding = None if recipe.devices is None else SHARDINGS[recipe.devices](batch_dim=task.batch_dim)
    options = {"compute_dtype": recipe.compute_dtype, **options}
    of_task = {"methods": task.methods, "count": task.count, "clip": task.clip, "by_rows": task.by_rows}
    options = {**of_task, "patience": recipe.early_stop, **options}
    trainer = Trainer(task.module, task.criterion, task.optimizer, folder, sharding=sharding, **options)
    if folder is not None:
        _keep(recipe, words_of(task.train), Path(folder), trainer.last_step() is not None)
    result = trainer.fit(
        task.train, recipe.epochs, validation=task.validation, batch_size=task.batch_size, seed=recipe.seed,
        variables=task.init(recipe.key),
    )  # fmt: skip
    measured = task.test is not None and result.ended in ("all epochs", "no improvement")
    return Outcome(task, result, _on_test(recipe, task, trainer, result) if measured else {})


def _on_test(recipe: Recipe, task: Task, trainer: Trainer, result: Result) -> dict[str, float]:
    """The measures on the test set of the best epoch's network, or, without a folder, of the last one's."""
    assert task.test is not None
    sharding = trainer.sharding
    state = result.state if trainer.folder is None else trainer.load(best=True)
    params, buffers = trainer.validated(state), forget(task.module, state.buffers)
    batches = task.test.batches(task.batch_size, process_index=0, process_count=1)
    placed: Any = batches if sharding is None else map(sharding.place_whole, batches)
    return by_name(evaluate(task.module, params, buffers, placed, task.methods, key=recipe.key))


def words_of(train: DataLoader) -> dict[str, str]:
    """The number of words (or characters) of a text, with a checksum of their order; empty for other data."""
    words = getattr(train, "ivocab", None)
    if not words:
        return {}
    in_order = json.dumps([words[number] for number in sorted(words)]).encode()
    return {WORDS: f"{len(words)} tokens, checksum {hashlib.sha256(in_order).hexdigest()[:12]}"}


def check_words(folder: Path, train: DataLoader) -> None:
    """Raises ValueError if a text's words differ from those that the run in a folder has learned."""
    known, found = _read(folder).get(WORDS), words_of(train).get(WORDS)
    if known not in (None, found):
        raise ValueError(f"{folder}: the run has learned a text of {known}, the one that is there now has {found}")


def kept(folder: Path) -> dict[str, Value]:
    """The settings of the run in a folder. Raises: OSError; ValueError, naming the file, if it is damaged."""
    return {name: value for name, value in _read(folder).items() if name != WORDS}


def _read(folder: Path) -> dict[str, Value]:
    file = folder / "recipe.json"
    try:
        found = json.loads(file.read_bytes())
    except ValueError as error:
        raise ValueError(f"{file}: no settings as a run keeps them: {error}") from error
    if not isinstance(found, dict):
        raise ValueError(f"{file}: no settings as a run keeps them, but {type(found).__name__}")
    return found


def _keep(recipe: Recipe, words: dict[str, str], folder: Path, begun: bool) -> None:
    """Writes the settings into the folder. Raises: ValueError if a run with other settings has begun there."""
    file, settings = folder / "recipe.json", json.loads(msgspec.json.encode(recipe)) | words
    known = _read(folder) if begun and file.exists() else settings
    other = [name for name in settings if name in known and name not in MAY_CHANGE and known[name] != settings[name]]
    if other:
        changes = ", ".join(f"{name} = {known[name]!r}, got {settings[name]!r}" for name in other)
        raise ValueError(f"recipes.run: the run in {folder} has {changes}; another one needs another folder")
    if distributed.is_first():
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(file) as draft:
            draft.write_text(json.dumps(settings, indent=2) + "\n")
