"""Who is told of a run, all together, and whether one of them wants it to end."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from .callbacks import Callback
from .records import Record


class Listeners:
    """A run's callbacks; `reason` is why the run should end, None while nobody wants that."""

    def __init__(self, callbacks: Sequence[Callback]):
        self.callbacks = callbacks
        self.reason: str | None = None
        self.ended = "error"
        """How the run ended; what stays if nobody says it."""

    @contextlib.contextmanager
    def told(self, step: int, epochs: Sequence[Record]) -> Iterator[None]:
        """Tells of the start, and of the end; who was told of the start is told of the end, whatever happens."""
        with contextlib.ExitStack() as at_end:
            for each in self.callbacks:
                at_end.callback(lambda each=each: each.on_end(self.ended))
                self._heard(each.on_start(step, epochs))
            yield

    def step(self, step: int, numbers: dict[str, float]) -> None:
        for each in self.callbacks:
            each.on_step(step, numbers)

    def record(self, record: Record) -> None:
        for each in self.callbacks:
            each.on_record(record)

    def epoch(self, epoch: int, results: dict[str, float]) -> None:
        for each in self.callbacks:
            self._heard(each.on_epoch(epoch, results))

    def checkpoint(self, step: int, folder: Path) -> None:
        for each in self.callbacks:
            each.on_checkpoint(step, folder)

    def _heard(self, reason: str | None) -> None:
        self.reason = self.reason or reason
