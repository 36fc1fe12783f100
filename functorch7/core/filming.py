"""Films of recurrences: what each recurrent module was given and gave at every step, and its state after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import jax
import jax.numpy as jnp

from .probe import Keyed, Probe, opened, probing
from .recording import Recorder, perturbed, recording
from .tree import Path
from .types import Array, State, Value

Frame = tuple[Path, str]
"""Of what: the module's path, and "input", "output" or the name of a state after "state."."""


class Film(Probe):
    """Collects values of all steps, time first.

    Of its zeros (`sinks`, shaped as what it collects) each step adds its own, so that gradients with respect to them
    are those at every step.
    """

    def note(self, key: Frame, value: Value) -> None:  # type: ignore[override]
        """Sees the value of the next step."""
        self.append(key, jax.tree.map(lambda x: jnp.asarray(x)[None], value))

    def append(self, key: Frame, values: Value) -> None:
        """Sees the values of several steps."""
        had = self.taps.pop(key, None)
        self.taps[key] = values if had is None else jax.tree.map(lambda *each: jnp.concatenate(each), had, values)

    def rest(self, key: Frame) -> Value:
        """The zeros of the steps that are still to come; None where none are given."""
        if key not in self.sinks:
            return None
        done = len(jax.tree.leaves(self.taps[key])[0]) if key in self.taps else 0
        return jax.tree.map(lambda sink: sink[done:], self.sinks[key])

    def sinks_of_steps(self, step: Callable[[], object], length: int) -> Value:
        rest = {key: self.rest(key) for key in self.sinks}
        return jax.tree.map(lambda sink: sink.reshape(length, -1, *sink.shape[1:]), rest)

    def at_step(self, time: Array, sinks: Value, first: int) -> Film:
        return Film(sinks)

    def take(self, seen: Keyed) -> None:
        for key, values in seen.items():
            self.append(key, jax.tree.map(lambda value: value.reshape(-1, *value.shape[2:]), values))


@contextmanager
def filming(sinks: dict[Frame, Value] | None = None) -> Iterator[Film]:
    """Opens a film for the calls made in the block (in the same trace)."""
    with recording(), probing({Film: (film := Film(sinks))}):
        yield film


def is_filmed() -> bool:
    """Whether a film is open."""
    return opened(Film) is not None


def filmed(name: str, value: Value, steps: bool = False) -> Value:
    """Shows a film the value of a step of the module that is being called, or, time first, those of all its steps."""
    film = opened(Film)
    if film is None:
        return value
    key = (opened(Recorder).path, name)
    sinks = film.rest(key)
    (film.append if steps else film.note)(key, value)
    if sinks is None:
        return value
    return jax.tree.map(perturbed, value, sinks if steps else jax.tree.map(lambda sink: sink[0], sinks))


def filmed_state(state: State, names: tuple[str, ...]) -> State:
    """Shows a film those of these names, as the state after a step."""
    return state | {name: filmed(f"state.{name}", state[name]) for name in names}
