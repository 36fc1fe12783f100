"""One run of a trainer: what it knows, and the loop."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from signal import Signals
from typing import Any, NamedTuple

import jax
import numpy as np

from ..checks.numbers import check_whole
from ..core import Variables
from ..core.display import table_of
from ..core.types import Value
from ..network import forget
from .claim import claimed
from .distributed import is_first
from .feed import Data, Validation, check_repeats, feed, validation_batches
from .finite import not_finite
from .given import as_results, as_variables
from .interrupts import Interrupted, Interrupts
from .listeners import Listeners
from .progress import progress_bar
from .records import Record, Records
from .resuming import start
from .settings import Settings
from .state import TrainState, init_state
from .validation import by_name, evaluate


class Result(NamedTuple):
    """What `Trainer.fit` gives: the last state, a dict for each epoch, and why it ended.

    `ended` is "all epochs", "no improvement" (early stopping), what a callback said, or the name of a signal.
    """

    state: TrainState
    epochs: list[Record]
    ended: str

    @property
    def variables(self) -> Variables:
        """The network's arrays."""
        return Variables(self.state.params, self.state.buffers)

    def __repr__(self) -> str:
        """How it ended, and a line for each epoch; without the arrays."""
        head, *rows = self._table()
        lines = (", ".join(f"{name} {text}" for name, text in zip(head, row, strict=True)) for row in rows)
        return "\n".join([self._ending(), *lines])

    def _repr_html_(self) -> str:
        head, *rows = self._table()
        return f"<p>{self._ending()}</p>{table_of(head, rows)}"

    def _ending(self) -> str:
        return f"{int(self.state.step)} steps, {len(self.epochs)} epochs, ended: {self.ended}"

    def _table(self) -> list[list[str]]:
        head = list(dict.fromkeys(name for epoch in self.epochs for name in epoch if name not in ("kind", "epoch")))
        numbers = [[epoch["epoch"], *(epoch.get(name, math.nan) for name in head)] for epoch in self.epochs]
        return [["epoch", *head], *([f"{number:.6g}" for number in row] for row in numbers)]


@dataclass
class Progress:
    """Where a run is: plain numbers, which a checkpoint holds beside the state."""

    seed: int
    epoch: int = 0  # those that are complete, validation included
    position: dict | None = None  # of the data
    examples: int = 0
    records: int = 0  # the size of the file
    recent: tuple[float, int] = (0.0, 0)  # the sum and number of losses since the last record
    whole: tuple[float, int] = (0.0, 0)  # and in the epoch
    best: float | None = None
    waited: int = 0  # epochs since the best


class Started(NamedTuple):
    """A step whose loss was not read yet."""

    number: int
    batch: Value
    metrics: Record
    forgot: bool  # whether recurrent state was forgotten before it
    examples: int


class Run:
    """One call of `Trainer.fit`."""

    def __init__(
        self, settings: Settings, interrupts: Interrupts, opened: contextlib.ExitStack, data: Data,
        validation: Validation | None, batch_size: int | None, seed: int, variables: Variables | None, resume: bool,
    ):  # fmt: skip
        check_whole("Trainer.fit", 0, seed=seed)
        if seed >= 2**32:
            raise ValueError(f"Trainer.fit: expected seed below 2**32, because JAX's keys take 32 bits, got {seed}")
        variables = None if variables is None else as_variables("Trainer.fit", settings.module, variables)
        if not callable(validation):  # what a function finds is known when it has found it
            names = [] if validation is None else map(str, settings.measures)
            settings.score(dict.fromkeys(["loss", *names], 0.0))
        self.settings, self.interrupts = settings, interrupts
        self.validation: Any = validation
        self.batch_size = batch_size
        initial, self.key, self.validation_key = jax.random.split(jax.random.key(seed), 3)
        if settings.folder is not None:
            opened.enter_context(claimed("Trainer.fit", settings.folder))
        self.checkpoints = settings.checkpoints()
        if self.checkpoints:
            opened.callback(self.checkpoints.close)
        last = start(self.checkpoints, settings.on_damaged) if self.checkpoints else None
        if last is None:
            self.state, self.progress = self._fresh(initial if variables is None else variables), Progress(seed)
        else:
            self.state, self.progress = self._saved(last, resume, seed)
        self.number = int(self.state.step)
        folder = Path(settings.folder) if settings.folder is not None and is_first() else None
        self.records = Records(folder, self.progress.records)
        self.listeners = Listeners(settings.listeners)
        opened.callback(self.records.close)
        with contextlib.nullcontext() if last is None else _fitting(settings.folder):
            self.feed = feed(data, batch_size, seed, self.progress.position, drop_last=settings.sharding is not None)
        opened.callback(self.feed.close)
        self.started: list[Started] = []
        self.clock = time.monotonic(), self.progress.examples

    def _fresh(self, given: Any) -> TrainState:
        """The state before the first step, of a key or of variables."""
        settings = self.settings
        state = init_state(settings.module, settings.transformation, given)
        return state if settings.sharding is None else settings.sharding.place(settings.module, state)

    def _saved(self, step: int, resume: bool, seed: int) -> tuple[TrainState, Progress]:
        """What the checkpoint of a step holds.

        Raises: FileExistsError unless that is wanted; ValueError if it is of another seed; as `Checkpoints.load`.
        """
        assert self.checkpoints
        if not resume:
            raise FileExistsError(f"Trainer.fit: there is a run in {self.settings.folder}; resume=True goes on with it")
        with _fitting(self.settings.folder):
            state, known = self.checkpoints.load(step, self.settings.sharding)
        if known["seed"] != seed:
            raise ValueError(f"Trainer.fit: the run in {self.settings.folder} has seed {known['seed']}, got {seed}")
        return state, Progress(**known)

    # The loop --------------------------------------------------------------------------------------------------

    def fit(self, epochs: int) -> Result:
        """Trains until so many epochs are complete, or something ends it."""
        check_whole("Trainer.fit", 0, epochs=epochs)
        check_repeats(self.validation, epochs)
        steps = self.feed.per_epoch and self.feed.per_epoch * epochs
        told = self.listeners.told(self.number, list(self.records.epochs))
        with progress_bar(steps, self.number, self.settings.verbose) as self.bar, self._noting(), told:
            ended = self._ended(epochs)
            if self.checkpoints:
                self.checkpoints.wait()
            ended = self.interrupts.look() or ended  # what came where no batch was left that it could have ended
            self.listeners.ended = ended
        if ended in Signals.__members__ and self.settings.verbose:
            where = f"the same call goes on from {self.settings.folder}" if self.checkpoints else "nothing was saved"
            print(f"{ended} after step {self.number}; {where}")
        return Result(self.state, self.records.epochs, ended)

    def _ended(self, epochs: int) -> str:
        try:
            while self.progress.epoch < epochs:
                if self.settings.patience and self.progress.waited >= self.settings.patience:
                    return "no improvement"
                if self.listeners.reason:
                    return self.listeners.reason
                if self.feed.position["epoch"] == self.progress.epoch:
                    self._train()
                self._end_epoch(self._validated())
        except Interrupted as signal:
            self._keep()
            return str(signal)
        return "all epochs"

    def _validated(self) -> dict[str, float]:
        try:
            return self._results()
        except Exception as error:
            self._keep_at(error)
            raise

    def _keep(self) -> None:
        """Writes a checkpoint of where the run is, unless there is one."""
        self._read(len(self.started))
        if self.checkpoints and self.checkpoints.newest != self.number:
            self._save()

    def _keep_at(self, error: Exception) -> None:
        """The same where something failed that is no part of the steps: data, validation. Nothing computed is lost.

        Nothing of a run without steps is worth it, and several processes save together or not at all.
        """
        alone = jax.process_count() == 1
        if alone and self.number and not isinstance(error, Interrupted):
            with contextlib.suppress(OSError):  # the error is what has to be told
                self._keep()

    def _train(self) -> None:
        """The rest of the epoch's steps."""
        settings = self.settings
        forgot = not self.feed.position["batch"] and not settings.keep_state
        if forgot:
            self.state = self.state._replace(buffers=forget(settings.module, self.state.buffers))
        due = False
        for given in self._unless_interrupted(self.feed.epoch()):
            batch = given if settings.sharding is None else settings.sharding.place_batch(given)
            if due:  # is not at the end of an epoch, which has a checkpoint of its own
                self._save()
            self.state, metrics = settings.step(self.state, batch, self.key, np.int32(self.number))
            self.started.append(Started(self.number, batch, metrics, forgot, settings.count(*batch)))
            self.number += 1
            forgot = False
            self.progress.position = dict(self.feed.position)
            due = settings.save_every is not None and self.number % settings.save_every == 0
            if len(self.started) > settings.log_every:  # one step is under way while these are read
                self._read(settings.log_every)
        self._read(len(self.started))
        self.progress.position = dict(self.feed.position)

    def _unless_interrupted(self, batches: Iterable) -> Iterator[Any]:
        iterator = iter(batches)
        while True:
            try:
                with self.interrupts.waiting():
                    batch = next(iterator)
            except StopIteration:
                self._look()
                return
            except Exception as error:
                self._look()  # Ctrl-C may have ended what reads data, too
                self._keep_at(error)
                raise
            self._look()
            yield batch

    def _look(self) -> None:
        if name := self.interrupts.look():
            raise Interrupted(name)

    # Losses ----------------------------------------------------------------------------------------------------

    def _read(self, count: int) -> None:
        """Waits for the losses of the first steps that were started, and adds them up."""
        steps, self.started = self.started[:count], self.started[count:]
        for step, metrics in zip(steps, jax.device_get([step.metrics for step in steps]), strict=True):
            numbers = {name: float(value) for name, value in metrics.items()}
            if not (math.isfinite(numbers["loss"]) and math.isfinite(numbers["gradient_norm"])):
                raise self._not_finite(step, numbers["loss"])
            now, loss = self.progress, numbers["loss"]
            now.recent, now.whole = _plus(now.recent, loss), _plus(now.whole, loss)
            now.examples += int(step.examples)
            self.listeners.step(step.number + 1, numbers)
            if (step.number + 1) % self.settings.log_every == 0:
                self._record(step.number + 1, numbers)
        self.bar.update(len(steps))

    def _record(self, number: int, numbers: dict[str, float]) -> None:
        (before, examples), now = self.clock, time.monotonic()
        speed = (self.progress.examples - examples) / max(now - before, 1e-9)
        self.clock = now, self.progress.examples
        mean = _mean(self.progress.recent)
        self.progress.recent = (0.0, 0)
        record = {"kind": "train", "step": number, "epoch": self.progress.epoch + 1, **numbers, "loss": mean}
        self._write({**record, "examples_per_second": round(speed, 1)})
        self.bar.set_postfix_str(f"loss {mean:.4g}, {speed:,.0f} examples/s", refresh=False)

    def _not_finite(self, step: Started, loss: float) -> FloatingPointError:
        settings, state = self.settings, self.state
        if step.forgot:  # the state stayed as it was before the step, but for this
            state = state._replace(buffers=forget(settings.module, state.buffers))
        key = jax.random.fold_in(self.key, step.number)
        found = not_finite(settings.module, settings.criterion, state, step.batch, key, settings.compute_dtype)
        what = "a gradient is not finite" if math.isfinite(loss) else f"the loss is {loss}"
        error = FloatingPointError(f"Trainer.fit: {what} in step {step.number + 1}: {found.text}")
        for place in found.places:
            error.add_note(place)
        return error

    # The end of an epoch -----------------------------------------------------------------------------------------

    def _results(self) -> dict[str, float]:
        """What validation finds, if there is any."""
        settings, given = self.settings, self.validation
        if given is None:
            return {}
        params = settings.validated(self.state)
        buffers = forget(settings.module, self.state.buffers)
        if callable(given):
            self._look()
            return as_results(given(params, buffers))
        batches = self._unless_interrupted(validation_batches(given, self.batch_size))
        batches = batches if settings.sharding is None else map(settings.sharding.place_whole, batches)
        key = jax.random.fold_in(self.validation_key, self.progress.epoch)
        return by_name(evaluate(settings.module, params, buffers, batches, settings.measures, key=key))

    def _end_epoch(self, results: dict[str, float]) -> None:
        progress = self.progress
        results = {"loss": _mean(progress.whole), **results}
        progress.epoch, progress.whole = progress.epoch + 1, (0.0, 0)
        self._write({"kind": "epoch", "step": self.number, "epoch": progress.epoch, **results})
        score = self.settings.score(results)
        better = not math.isnan(score) and (progress.best is None or score > progress.best)
        progress.best, progress.waited = (score, 0) if better else (progress.best, progress.waited + 1)
        if self.settings.verbose:
            shown = ", ".join(f"{name} {value:.4g}" for name, value in results.items())
            self.bar.write(f"epoch {progress.epoch}: {shown}{' (best)' if better else ''}")
        if self.checkpoints:
            self._save(score)
        self.listeners.epoch(progress.epoch, results)

    # Files -------------------------------------------------------------------------------------------------------

    def _write(self, record: dict[str, Any]) -> None:
        self.records.write(record)
        self.listeners.record(record)

    def _save(self, score: float | None = None) -> None:
        assert self.checkpoints
        self._read(len(self.started))
        self.records.synchronize()
        self.progress.records = self.records.size
        self.checkpoints.save(self.state, asdict(self.progress), score)
        self.listeners.checkpoint(self.number, self.checkpoints.folder / str(self.number))

    @contextlib.contextmanager
    def _noting(self) -> Iterator[None]:
        """A note on errors says which checkpoint is whole."""
        try:
            yield
        except Exception as error:
            if self.checkpoints:
                self.checkpoints.finish()  # alone: the others may have no error; one of its own has the same cause
                last = self.checkpoints.last()
                whole = "there is no checkpoint yet" if last is None else f"the checkpoint of step {last} is whole"
                error.add_note(f"Trainer.fit: ended at step {self.number}; {whole} in {self.checkpoints.folder}")
            raise


@contextlib.contextmanager
def _fitting(folder: Any) -> Iterator[None]:
    """A note on errors says that a run which is there already may be the reason."""
    try:
        yield
    except ValueError as error:
        error.add_note(f"Trainer.fit: the run in {folder} would go on; another one needs another folder")
        raise


def _plus(sum: tuple[float, int], loss: float) -> tuple[float, int]:
    return sum[0] + loss, sum[1] + 1


def _mean(sum: tuple[float, int]) -> float:
    return sum[0] / sum[1] if sum[1] else math.nan
