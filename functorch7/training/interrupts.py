"""Signals that end a run at the next good moment."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any, Self

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from .sharding import AXES, Sharding


class Interrupted(Exception):
    """A signal of this name came."""


class Interrupts:
    """Within its `with`, the first SIGINT (Ctrl-C) or SIGTERM is noted in `number`; the next does what it always did.

    While the program waits for data, which may never come, the first is raised as Interrupted at once.
    Only the main thread can do so; elsewhere signals keep their meaning.
    """

    at_once = True

    def __init__(self) -> None:
        self.number, self._waits = 0, False
        self._before: dict[int, Any] = {}

    def look(self) -> str | None:
        """The name of the signal that ends the run now, if one does."""
        return signal.Signals(self.number).name if self.number else None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._note) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Around what waits for data."""
        self._waits = self.at_once
        try:
            yield
        finally:
            self._waits = False

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.number = number
        self._restore()
        if self._waits:
            raise Interrupted(signal.Signals(number).name)

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}

    def __exit__(self, *error: object) -> None:
        self._restore()


class SharedInterrupts(Interrupts):
    """The signals of all processes of a mesh, which look equally often: each sees the same at the same look.

    A look hands this process's signal to the devices, which find the largest of all, and gives what the look before
    handed them. So a signal is seen one look late, and no device waits for the host.
    """

    at_once = False  # the others have to see it, too

    def __init__(self, sharding: Sharding) -> None:
        super().__init__()
        self._each = NamedSharding(sharding.mesh, PartitionSpec(AXES))
        self._largest = self._asked()

    def look(self) -> str | None:
        found, self._largest = int(self._largest), self._asked()
        return signal.Signals(found).name if found else None

    def _asked(self) -> jax.Array:
        mine = np.full(1, self.number, np.int32)
        return jnp.max(jax.make_array_from_callback((self._each.mesh.size,), self._each, lambda _: mine))


def interrupts(sharding: Sharding | None) -> Interrupts:
    """What ends a run of these devices."""
    return SharedInterrupts(sharding) if sharding is not None and sharding.mesh.is_multi_process else Interrupts()
