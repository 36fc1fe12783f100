"""Torch's package tds: tables outside Lua's memory, here Python's own, and a counter for threads."""

import threading

from .objects.packed import Hash as Hash
from .objects.packed import Vec as Vec
from .tensors.named import Named


class AtomicCounter(Named):
    """A number that several threads may increase; 0 at first."""

    _package = "tds"

    def __init__(self) -> None:
        self._lock, self._value = threading.Lock(), 0

    def inc(self) -> int:
        """Adds 1; returns the number before."""
        with self._lock:
            self._value += 1
            return self._value - 1

    def get(self) -> int:
        """The number."""
        return self._value

    def set(self, value: int) -> None:
        """Sets the number."""
        with self._lock:
            self._value = value

    def __repr__(self) -> str:
        return f"tds.AtomicCounter={self._value}"


hash, vec, atomic_counter = Hash, Vec, AtomicCounter
