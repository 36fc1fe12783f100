"""Values and gradients handed out of a program to functions that look at them after it has run.

A `Watch` is a hook (`hooks.py`) that shows what it sees to the `Watcher` in whose block the program is traced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp

from .probe import Keyed, Probe, opened, probing, silent
from .types import Array, Value


def _as_they_are(module: Value, *values: Value) -> tuple:
    return values


class Watch(NamedTuple):
    """A hook that returns nothing, and shows what it sees under its number: view(module, *values)."""

    number: int
    view: Callable[..., tuple] = _as_they_are

    def __call__(self, module: object, *values: Value) -> None:
        seen = opened(Watcher)
        if seen is not None:
            seen.see(seen.key(self), self.view(module, *values))


SightKey = tuple[int, int]
"""The number of a watch, and how often it has seen something before in this call."""


class Watcher(Probe):
    """Collects what watches see.

    What a watch sees on the way back is the gradient with respect to its sink: zeros of the same shape, whose gradient
    is defined to be just this.
    """

    def key(self, watch: Watch) -> SightKey:
        """The next key of a watch."""
        return watch.number, self.turn(watch.number)

    def has_run(self, key: SightKey) -> bool:
        number, count = key
        return self._turns[number] > count

    def see(self, key: SightKey, values: tuple) -> None:
        """Takes what a watch sees on the way forward."""
        self.note(key, values)

    def sink(self, key: SightKey, like: Value) -> Value:
        """The zeros of a watch, shaped as what it is to see; None if nobody asks for it."""
        return self.sinks.get(key)

    def show(self, key: SightKey, has_sink: bool) -> Callable[[Value], Value]:
        """A function that returns what a watch sees on the way back as the gradient of its sink, if it has one.

        Pull-backs keep this function, so it holds nothing of the program that is being traced.
        """
        return partial(_as_gradient, has_sink)


def _as_gradient(has_sink: bool, gradient: Value) -> Value:
    return gradient if has_sink else None


class Asking(Watcher):
    """Collects the sinks that a program needs, in the order in which modules run: the reverse of their gradients'."""

    def see(self, key: SightKey, values: tuple) -> None:
        pass

    def sink(self, key: SightKey, like: Value) -> Value:
        self.note(key, like)


def asked(run: Callable[[], object]) -> dict[SightKey, Value]:
    """The sinks that a program needs, in the order in which they get their gradients. It is only traced, for shapes."""

    def ask() -> Keyed:
        with silent(), watching(Asking()) as watcher:
            run()
        return Keyed.of(watcher.taps)

    shapes = jax.eval_shape(ask)
    return dict(reversed([*jax.tree.map(lambda shape: jnp.zeros(shape.shape, shape.dtype), shapes).items()]))


class Pulled(Watcher):
    """Watches a program that runs operation by operation, and puts gradients into `gradients` as they come.

    Only loops, which are compiled, need sinks, so no run is needed beforehand to find them out. The sinks of a loop are
    made of the `seed`: a zero with respect to which the program is differentiated.
    """

    def __init__(self, gradients: dict[SightKey, Value], seed: jax.Array):
        super().__init__()
        self.gradients, self.seed = gradients, seed

    def show(self, key: SightKey, has_sink: bool) -> Callable[[Value], Value]:
        return partial(_keep, self.gradients, key)

    def sinks_of_steps(self, step: Callable[[], object], length: int) -> Value:
        found = reversed(asked(step).items())
        self.sinks = {key: _tapped(zeros, self.seed, self.show(key, False)) for key, zeros in found}

    def at_step(self, time: Array, sinks: Value, first: int) -> Watcher:
        return Watcher(self.sinks).at_step(time, sinks, first)  # type: ignore[return-value]


def _keep(gradients: dict[SightKey, Value], key: SightKey, gradient: Value) -> None:
    gradients[key] = gradient


@partial(jax.custom_vjp, nondiff_argnums=(2,))
def _tapped(zeros: Value, seed: jax.Array, show: Callable[[Any], None]) -> Value:
    """The zeros; shows their gradient when it is there."""
    return zeros


def _show(show: Callable[[Any], None], _: None, gradient: Value) -> tuple[Any, Any]:
    show(gradient)
    return gradient, jnp.zeros((), jnp.float32)


_tapped.defvjp(lambda zeros, seed, show: (zeros, None), _show)

Seeing = TypeVar("Seeing", bound=Watcher)


@contextmanager
def watching(watcher: Seeing) -> Iterator[Seeing]:
    """A block whose calls are watched."""
    with probing({Watcher: watcher}):
        yield watcher
