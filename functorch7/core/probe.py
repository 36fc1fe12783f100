"""Looking into calls: values out of them, and zeros in, whose gradients are what is wanted.

A probe is open for the calls that are traced in a block, in this thread or asynchronous task. Recorders, watches and
tables are probes; this is the one place that takes them through loops over time. Where none is open, nothing is added
to a program.
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
    """Values by key, in the order in which they were seen, as a result of a program."""

    values: list
    keys: tuple[Hashable, ...] = field(metadata={"static": True})

    @classmethod
    def of(cls, values: dict) -> Keyed:
        return cls(list(values.values()), tuple(values))

    def items(self) -> Iterator[tuple[Value, Value]]:
        return zip(self.keys, self.values, strict=True)


class Probe:
    """`taps` are the values that were seen, by key; `sinks` the zeros that go in, by key.

    Of a loop over time it sees what Torch's objects show after one: the last step's values; and its zeros are those of
    the first step, whose gradient backward comes to last.
    """

    def __init__(self, sinks: dict | None = None):
        self.sinks: dict[Any, Any] = sinks or {}
        self.taps: dict[Any, Any] = {}
        self._turns: Counter[Hashable] = Counter()

    def note(self, key: Hashable, value: Value) -> None:
        """Sees a value; what had the key before is forgotten."""
        self.taps.pop(key, None)
        self.taps[key] = value

    def turn(self, name: Hashable) -> int:
        """How often something has had its turn before."""
        self._turns[name] += 1
        return self._turns[name] - 1

    def sinks_of_steps(self, step: Callable[[], object], length: int) -> Value:
        """What is handed to each of so many steps, with time first; `step` makes one abstractly."""
        return None

    def at_step(self, time: Array, sinks: Value, first: int) -> Probe:
        """The probe of one step of a loop whose first step has this number: of what has run before it did, 0 is."""

        def shown(key: Any, zeros: Any) -> Any:
            is_first = time == (0 if self.has_run(key) else first)
            return jax.tree.map(lambda sink: jnp.where(is_first, sink, 0), zeros)

        return type(self)({key: shown(key, zeros) for key, zeros in self.sinks.items()})

    def has_run(self, key: object) -> bool:
        """Whether the zeros of a key have gone in before."""
        return key in self.taps

    def take(self, seen: Keyed) -> None:
        """Takes what the steps have seen, with time first."""
        for key, values in seen.items():
            self.note(key, jax.tree.map(lambda value: value[-1], values))


_open: ContextVar[dict[Any, Probe]] = ContextVar("open", default={})  # noqa: B039 (never changed in place)
Kind = TypeVar("Kind", bound=Probe)
Of = TypeVar("Of", bound=Hashable)


@contextmanager
def probing(probes: Mapping[Of, Kind]) -> Iterator[Mapping[Of, Kind]]:
    """A block in whose calls these probes are open, each under what it is of; one that is open there already is not."""
    with during(_open, {**_open.get(), **probes}):
        yield probes


def silent() -> AbstractContextManager[object]:
    """A block whose calls nobody sees: one that finds out shapes."""
    return during(_open, {})


def opened(of: Hashable) -> Any:
    """The probe that is open here for this; None if there is none."""
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
