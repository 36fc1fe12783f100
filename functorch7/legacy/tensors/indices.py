"""Converts indices from 1 to positions from 0; unknown ones are checked when the program runs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any

import numpy as np

from ...core import check_values, is_concrete
from ...core.contexts import during
from .kinds import Elements, Numbers


def indices(name: str, given: Numbers, size: int) -> Elements:
    """Indices from 1 as positions from 0. Raises IndexError for those out of range."""
    if not is_concrete(given):
        return _checked_later(name, given, size)
    found = np.asarray(given).astype(np.int64)
    if found.size and not 1 <= found.min() <= found.max() <= size:
        raise IndexError(f"torch.{name}: expected indices from 1 to {size}, got {found.min()} to {found.max()}")
    return found - 1


_asks: ContextVar[Callable[[], None]] = ContextVar("asks", default=lambda: None)


def asking_for_checks(ask: Callable[[], None]) -> AbstractContextManager[object]:
    """A block in which `ask` is called before unknown values are checked."""
    return during(_asks, ask)


def _checked_later(name: str, given: Any, size: int) -> Any:
    """Positions in a traced program, which reports indices out of range if it reports findings."""
    _asks.get()()
    message = f"torch.{name}: expected indices from 1 to {size}, got {{value}}"
    check_values(given, (given < 1) | (given > size), message)
    return given - 1
