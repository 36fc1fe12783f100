"""Steps along a gradient that were computed ahead, together with the gradient, for whoever is about to make them."""

from __future__ import annotations

from typing import Protocol
from weakref import WeakValueDictionary

from ...core.types import Scalar, Value
from .storage import Storage


class Foreseeing(Protocol):
    """What holds a storage of parameters, and may have foreseen the next step of it."""

    def foreseen(self, parameters: list, gradients: list, rate: Scalar, /) -> list | None:
        """The storages' arrays after a step along their gradients; None if it is another one."""
        ...


_known: WeakValueDictionary[int, Foreseeing] = WeakValueDictionary()


def foresee(who: Foreseeing, storage: Storage) -> None:
    """Notes who foresees the steps of a storage, which they hold: until then no other has its id."""
    _known[id(storage)] = who


def foreseen(storage: Storage, parameters: Value, gradient: Value, rate: Scalar) -> Value | None:
    """parameters - rate * gradient, if this was computed together with the gradient; the former are a storage's."""
    who = _known.get(id(storage))
    found = None if who is None else who.foreseen([parameters], [gradient], rate)
    return None if found is None else found[0]
