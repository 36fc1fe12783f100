"""Torch's clocks: Timer, tic and toc."""

import os
import time as clock

from ..tensors.named import Named, Written
from .lua import Table


def _now() -> Table:
    used = os.times()
    return Table(real=clock.perf_counter(), user=used.user, sys=used.system)


class Timer(Written, Named):
    """Measures seconds from now on.

    Source: torch7/doc/timer.md.
    """

    def __init__(self) -> None:
        self._counted = Table(real=0.0, user=0.0, sys=0.0)
        self._since: Table | None = _now()

    def __repr__(self) -> str:
        return f"{self.typename()} [status: {'stopped' if self._since is None else 'running'}]"

    def time(self) -> Table:
        """The seconds so far: `real` by the clock, `user` in all threads, `sys` in the operating system."""
        if self._since is None:
            return Table(self._counted)
        now = _now()
        return Table((name, before + now[name] - self._since[name]) for name, before in self._counted.items())

    def reset(self) -> "Timer":
        """Starts from 0; a stopped timer stays stopped."""
        self._counted = Table(real=0.0, user=0.0, sys=0.0)
        self._since = None if self._since is None else _now()
        return self

    def stop(self) -> "Timer":
        """Keeps the seconds so far."""
        self._counted, self._since = self.time(), None
        return self

    def resume(self) -> "Timer":
        """Goes on after `stop`, from the seconds kept."""
        self._since = _now() if self._since is None else self._since
        return self


def tic() -> float:
    """The current time, for `toc`."""
    return clock.perf_counter()


def toc(start: float) -> float:
    """The seconds since a time from `tic`."""
    return clock.perf_counter() - start
