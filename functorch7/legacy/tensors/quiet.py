"""NumPy's functions without warnings about infinite and undefined results, which Torch allows."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable
from contextvars import Context
from typing import TypeVar

import numpy as np

Found = TypeVar("Found")


class _Own(threading.local):
    def __init__(self) -> None:
        # NumPy keeps what it does about them in a context variable: a context in which it is set once costs a call
        # less than `np.errstate`, which takes longer than a sum of nine numbers.
        context = Context()
        context.run(np.seterr, all="ignore")
        self.run = context.run


_own = _Own()


def quietly(function: Callable[..., Found], *args: object) -> Found:
    """function(*args); the function must not call `quietly` itself."""
    return _own.run(function, *args)


def put(array: np.ndarray, place: object, values: object) -> None:
    """array[place] = values, of which numbers that are too large for the array's type become infinite."""
    quietly(operator.setitem, array, place, values)
