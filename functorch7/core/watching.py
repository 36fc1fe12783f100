"""Values and gradients handed out of a compiled program to functions that look at them after it has run.

A `Watch` is a hook (`hooks.py`) that shows what it sees to the `Watcher` in whose block the program is traced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from . import rows
from .contexts import during


def _as_they_are(module: Any, *values: Any) -> tuple:
    return values


Key = tuple[int, int]
"""The number of a watch, and how often it has seen something before in this call."""


class Watch(NamedTuple):
    """A hook that returns nothing, and shows what it sees under its number: view(module, *values)."""

    number: int
    view: Callable[..., tuple] = _as_they_are

    def __call__(self, module: Any, *values: Any) -> None:
        seen = watcher()
        if seen is not None:
            key = seen.key(self)
            seen.values[key] = self.view(module, *values)
            seen.order.append(key)


class Watcher:
    """Collects what watches see: `values`, in the `order` in which they see it.

    Gradients are seen when the program is differentiated: the gradients with respect to zeros, the `sinks`, are what
    the watches see on the way back. `templates` are such zeros, `entries` their keys in the reverse of that order.
    """

    def __init__(self, sinks: dict[Key, Any]):
        self.sinks = sinks
        self.values: dict[Key, tuple] = {}
        self.templates: dict[Key, tuple] = {}
        self.order: list[Key] = []
        self.entries: list[Key] = []
        self._count: Counter[int] = Counter()

    def key(self, watch: Watch) -> Key:
        """The next key of a watch."""
        self._count[watch.number] += 1
        return watch.number, self._count[watch.number] - 1


_open: ContextVar[Watcher | None] = ContextVar("open", default=None)


def watcher() -> Watcher | None:
    """Whoever watches now."""
    return _open.get()


def watching(sinks: dict[Key, Any]) -> AbstractContextManager[Watcher]:
    """A block whose calls are watched."""
    return during(_open, Watcher(sinks))


def unwatched() -> AbstractContextManager[None]:
    """A block whose calls are not: one that finds out shapes."""
    return during(_open, None)


def scan(body: Callable, carry: Any, xs: Any, first: int = 0) -> tuple[Any, Any]:
    """`lax.scan` that hands out what is seen in its body: the last step's values, and the gradients of step 0.

    `first` is the number of the first step that is scanned (1 if step 0 ran before the scan).
    """
    outer = watcher()
    if outer is None:
        return rows.scan(body, carry, xs)
    traced: list[Watcher] = []

    def watched_body(state: Any, x: Any) -> tuple[Any, Any]:
        step, carry = state
        with watching(jax.tree.map(lambda sink: jnp.where(step == 0, sink, 0), outer.sinks)) as inner:
            carry, y = body(carry, x)
        traced[:] = [inner]
        return (step + 1, carry), (y, inner.values, inner.templates)

    (_, carry), (ys, *seen) = rows.scan(watched_body, (first, carry), xs)
    values, templates = jax.tree.map(lambda value: value[-1], seen)
    outer.values |= values
    outer.templates |= templates
    (inner,) = traced
    outer.order = [*(key for key in outer.order if key not in inner.values), *inner.order]
    outer.entries += [key for key in inner.entries if key not in outer.entries]
    return carry, ys
