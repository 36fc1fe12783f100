"""Looking into calls: probes take values out of a call, and put zeros in, whose gradients are wanted.

A probe is open for the calls that are traced in a block, in this thread or asynchronous task. Recorders, watches and
the reads of tables are probes. Only this file takes probes through loops over time. Where no probe is open, nothing is
added to a program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import jax
import jax.numpy as jnp

from . import varying
from .contexts import during
from .types import Array, Value


@jax.tree_util.register_dataclass
@dataclass
class Keyed:
    """Values by key, in the order in which they were seen: a dict that a program can return without sorting it."""

    values: list
    keys: tuple[Hashable, ...] = field(metadata={"static": True})

    @classmethod
    def of(cls, values: dict) -> Keyed:
        return cls(list(values.values()), tuple(values))

    def items(self) -> Iterator[tuple[Value, Value]]:
        return zip(self.keys, self.values, strict=True)


class Probe:
    """`taps` are the values that were seen, by key; `sinks` are the zeros that are put in, by key.

    Of a loop over time a probe sees what Torch's objects hold after it: the values of the last step. Its zeros go into
    the first step, which backward reaches last.
    """

    def __init__(self, sinks: dict | None = None):
        self.sinks: dict[Any, Any] = sinks or {}
        self.taps: dict[Any, Any] = {}
        self._turns: Counter[Hashable] = Counter()

    def note(self, key: Hashable, value: Value) -> None:
        """Sees a value, which replaces an earlier one of this key and becomes the newest."""
        self.taps.pop(key, None)
        self.taps[key] = value

    def turn(self, name: Hashable) -> int:
        """How often this has been called for the name before."""
        self._turns[name] += 1
        return self._turns[name] - 1

    def sinks_of_steps(self, step: Callable[[], object], length: int) -> Value:
        """What each of `length` steps is given, with time first; `step()` traces one step."""
        return None

    def at_step(self, time: Array, sinks: Value, first: int) -> Probe:
        """The probe of one step of a loop whose first step has number `first`.

        Keys that have been seen before the loop had their first step there, at time 0.
        """

        def shown(key: Any, zeros: Any) -> Any:
            is_first = time == (0 if self.has_run(key) else first)
            return jax.tree.map(lambda sink: jnp.where(is_first, sink, 0), zeros)

        return type(self)({key: shown(key, zeros) for key, zeros in self.sinks.items()})

    def has_run(self, key: object) -> bool:
        """Whether the zeros of a key have been put in already."""
        return key in self.taps

    def take(self, seen: Keyed) -> None:
        """Takes over what the steps have seen, with time first."""
        for key, values in seen.items():
            self.note(key, jax.tree.map(lambda value: value[-1], values))


_open: ContextVar[dict[Any, Probe]] = ContextVar("open", default={})  # noqa: B039 (never changed in place)
Kind = TypeVar("Kind", bound=Probe)
Of = TypeVar("Of", bound=Hashable)


@contextmanager
def probing(probes: Mapping[Of, Kind]) -> Iterator[Mapping[Of, Kind]]:
    """A block in whose calls these probes are open, each under its key; they hide open probes of the same keys."""
    with during(_open, {**_open.get(), **probes}):
        yield probes


def silent() -> AbstractContextManager[object]:
    """A block in which no probe is open, for calls that only find out shapes."""
    return during(_open, {})


def opened(of: Hashable) -> Any:
    """The open probe of this key; None if there is none."""
    return _open.get().get(of)


def is_probed() -> bool:
    """Whether any probe is open."""
    return bool(_open.get())


def scan(
    body: Callable[[Value, Value], tuple[Value, Value]], carry: Value, xs: Value, first: int = 0, unroll: int = 1
) -> tuple[Value, Value]:
    """A `scan` whose body may be looked into. `first` is the number of its first step (1 if step 0 ran before)."""
    return _looped(partial(varying.scan, unroll=unroll), body, carry, xs, first)


def at_once(function: Callable, *xs: Value) -> Value:
    """`jax.vmap(function)(*xs)`, over the steps of a sequence, of a function that may be looked into."""

    def loop(body: Callable, carry: Any, xs: Any) -> tuple[Any, Any]:
        return carry, jax.vmap(lambda x: body(carry, x)[1])(xs)

    return _looped(loop, lambda carry, x: (carry, function(*x)), None, xs, 0)[1]


def _looped(loop: Callable, body: Callable, carry: Any, xs: Any, first: int) -> tuple[Any, Any]:
    outer, length = _open.get(), jax.tree.leaves(xs)[0].shape[0]
    if not outer or not length:  # of no steps nothing is seen
        with silent():
            return loop(body, carry, xs)

    def step() -> Any:
        return body(carry, jax.tree.map(lambda x: x[0], xs))

    def probed(carry: Any, each: tuple) -> tuple[Any, tuple]:
        time, given, x = each
        inner = {of: probe.at_step(time, sinks, first) for (of, probe), sinks in zip(outer.items(), given, strict=True)}
        with during(_open, inner):
            carry, y = body(carry, x)
        return carry, (y, [Keyed.of(probe.taps) for probe in inner.values()])

    times = first + jnp.arange(length)
    given = [probe.sinks_of_steps(step, length) for probe in outer.values()]
    carry, (ys, seen) = loop(probed, carry, (times, given, xs))
    for probe, taps in zip(outer.values(), seen, strict=True):
        probe.take(taps)
    return carry, ys
