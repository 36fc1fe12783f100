"""What a Trainer tells others while it runs, and those that are ready to listen."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..checks.numbers import check_whole
from ..interop.packages import package
from .distributed import is_first
from .records import Record


class Callback:
    """What a Trainer calls while it runs: define the methods that you need; all others do nothing.

    Numbers are plain floats. Losses are read many steps after they were computed (`Trainer`); callbacks get them then,
    in order.

    >>> from functorch7.training import Callback
    >>> class Printed(Callback):
    ...     def on_epoch(self, epoch, results):
    ...         print(epoch, results["loss"])
    >>> Printed().on_epoch(1, {"loss": 0.5})
    1 0.5
    """

    def on_start(self, step: int, epochs: Sequence[Record]) -> str | None:
        """A run begins, or goes on, after so many steps and these epochs, which are records as `on_record`'s.

        A text ends it at once, as that of `on_epoch`.
        """

    def on_step(self, step: int, numbers: dict[str, float]) -> None:
        """A step, from 1: its "loss", "gradient_norm", and "learning_rate" where the optimizer shows one."""

    def on_record(self, record: Record) -> None:
        """What goes into metrics.jsonl: every `log_every` steps ("kind" is "train") and at the end of an epoch."""

    def on_epoch(self, epoch: int, results: dict[str, float]) -> str | None:
        """An epoch, from 1, with its mean "loss" and what validation found. A text ends the run, and says why."""

    def on_checkpoint(self, step: int, folder: Path) -> None:
        """A checkpoint of this step was given to the disk, which writes it into the folder in the background."""

    def on_end(self, ended: str) -> None:
        """The run is over, as `Result.ended` says, or "error"."""


class EarlyStop(Callback):
    """Ends a run after `patience` epochs in a row whose result is not better than the best so far by `at_least`.

    Less is better, unless `larger_is_better`. A run that goes on counts the epochs before it, too.
    Raises: TypeError and ValueError for a patience that is no whole number above 0; ValueError for a result that no
    epoch has.

    >>> from functorch7.training import EarlyStop
    >>> stop = EarlyStop(patience=2)
    >>> [stop.on_epoch(epoch, {"loss": loss}) for epoch, loss in enumerate([0.5, 0.6, 0.7], 1)]
    [None, None, 'no better loss']
    """

    def __init__(self, monitor: str = "loss", patience: int = 3, at_least: float = 0.0, larger_is_better: bool = False):
        check_whole("EarlyStop", 1, patience=patience)
        self.monitor, self.patience, self.at_least = monitor, patience, at_least
        self.larger_is_better = larger_is_better
        self.best, self.waited = -math.inf, 0

    def on_start(self, step: int, epochs: Sequence[Record]) -> str | None:
        self.best, self.waited = -math.inf, 0
        reasons = [self.on_epoch(epoch["epoch"], epoch) for epoch in epochs]
        return reasons[-1] if reasons else None

    def on_epoch(self, epoch: int, results: Record) -> str | None:
        if self.monitor not in results:
            raise ValueError(f"EarlyStop: no result {self.monitor} to monitor; there are {', '.join(results)}")
        value = results[self.monitor]
        score = value if self.larger_is_better else -value
        better = score > self.best + self.at_least
        self.best, self.waited = (score, 0) if better else (self.best, self.waited + 1)
        return f"no better {self.monitor}" if self.waited >= self.patience else None


class LearningRates(Callback):
    """The learning rate of each step, in `steps` and `rates`, where `optax.inject_hyperparams` shows one."""

    def __init__(self) -> None:
        self.steps: list[int] = []
        self.rates: list[float] = []

    def on_step(self, step: int, numbers: dict[str, float]) -> None:
        if "learning_rate" in numbers:
            self.steps.append(step)
            self.rates.append(numbers["learning_rate"])


class Tracker(Callback):
    """Hands on all numbers of records: write `log(numbers, step)`. Of several processes, it is called in the first."""

    def log(self, numbers: dict[str, float], step: int) -> None:
        """Sends the numbers of a step: what a subclass writes. Raises NotImplementedError without it."""
        raise NotImplementedError(f"{type(self).__name__} must define log(numbers, step)")

    def on_record(self, record: Record) -> None:
        if is_first():
            numbers = {name: value for name, value in record.items() if name not in ("kind", "step")}
            self.log({f"{record['kind']}/{name}": value for name, value in numbers.items()}, record["step"])


class TensorBoard(Tracker):
    """Files for TensorBoard in a folder; what a run that goes on computes anew takes the place of what was there.

    Raises: ImportError without tensorboardX (extra `training`).
    """

    def __init__(self, folder: str | os.PathLike):
        self.folder = Path(folder)
        self._writer: Any = None

    def on_start(self, step: int, epochs: Sequence[Record]) -> None:
        if is_first():
            made = package("tensorboardX", "functorch7[training]").SummaryWriter
            self._writer = made(str(self.folder), purge_step=step + 1)

    def log(self, numbers: dict[str, float], step: int) -> None:
        for name, value in numbers.items():
            self._writer.add_scalar(name, value, step)

    def on_end(self, ended: str) -> None:
        if self._writer is not None:
            with contextlib.suppress(OSError):  # metrics.jsonl is what has to be whole
                self._writer.close()


class WeightsAndBiases(Tracker):
    """A run of Weights & Biases: options are those of wandb.init, such as project="digits" and config={...}.

    With id="..." and resume="allow", a run that goes on here goes on there.
    Raises: ImportError without wandb (extra `trackers`).
    """

    def __init__(self, **options: object):
        self.options = options
        self.run: Any = None

    def on_start(self, step: int, epochs: Sequence[Record]) -> None:
        if is_first():
            self.run = package("wandb", "functorch7[trackers]").init(**self.options)

    def log(self, numbers: dict[str, float], step: int) -> None:
        self.run.log(numbers, step=step)

    def on_end(self, ended: str) -> None:
        if self.run is not None:
            self.run.summary["ended"] = ended
            self.run.finish(exit_code=int(ended == "error"))


class MLflow(Tracker):
    """A run of MLflow, where `mlflow.set_tracking_uri` says; options are those of mlflow.start_run, such as run_name.

    With run_id="...", a run that goes on here goes on there.
    Raises: ImportError without mlflow (extra `trackers`).
    """

    def __init__(self, **options: object):
        self.options = options
        self._mlflow: Any = None

    def on_start(self, step: int, epochs: Sequence[Record]) -> None:
        if is_first():
            self._mlflow = package("mlflow", "functorch7[trackers]")
            self._mlflow.start_run(**self.options)

    def log(self, numbers: dict[str, float], step: int) -> None:
        self._mlflow.log_metrics(numbers, step=step)

    def on_end(self, ended: str) -> None:
        if self._mlflow is not None:
            self._mlflow.set_tag("ended", ended)
            self._mlflow.end_run("FAILED" if ended == "error" else "FINISHED")
