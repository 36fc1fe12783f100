"""Signals that end a run at the next good moment."""

import signal
import threading
from types import FrameType
from typing import Any, Self


class Interrupts:
    """Within its `with`, the first SIGINT (Ctrl-C) or SIGTERM is noted in `name`; the next does what it always did.

    Only the main thread can do so; elsewhere signals keep their meaning.
    """

    def __init__(self) -> None:
        self.name: str | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._note) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.name = signal.Signals(number).name
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}

    def __exit__(self, *error: object) -> None:
        self._restore()
