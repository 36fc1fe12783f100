"""Values from inside a network: what each child received and gave, and gradients with respect to its input.

Nothing is recorded, and nothing costs anything, unless a `Recorder` is open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp

from .precision import is_inexact
from .probe import Probe, opened, probing
from .tree import Path
from .types import Array, ArrayLike, Output, State, Tree, Value


class Recorder(Probe):
    """Collects, by path, each child's `input`, `output` and the values its layer exposes.

    `sinks` (by path, zeros shaped as the child's input) are added to the children's inputs: the gradient with respect
    to one is the gradient at that input.
    """

    def __init__(self, perturbations: dict[Path, Value] | None = None, path: Path = ()):
        super().__init__(perturbations)
        self.path = path
        self.elsewhere: dict[Path, Path] = {}  # where what is at a place is recorded, if not there

    @property
    def inputs(self) -> dict[Path, Value]:
        """What each child was given, at the first of its calls."""
        return self._by_path("input")

    @property
    def outputs(self) -> dict[Path, Value]:
        """What each child gave, at the last of its calls."""
        return self._by_path("output")

    @property
    def exposed(self) -> dict[Path, State]:
        """What else layers show, by name."""
        return self._by_path("exposed")

    def _by_path(self, what: str) -> dict[Path, Value]:
        return {path: value for (kind, path), value in self.taps.items() if kind == what}

    def has_run(self, key: Path) -> bool:
        return ("input", key) in self.taps

    def at_step(self, time: Array, sinks: Value, first: int) -> Recorder:
        inner = super().at_step(time, sinks, first)
        inner.path, inner.elsewhere = self.path, self.elsewhere  # type: ignore[attr-defined]
        return inner  # type: ignore[return-value]


@contextmanager
def recording(perturbations: dict[Path, Value] | None = None) -> Iterator[Recorder]:
    """Opens a recorder for the calls made in the block (in the same trace).

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> network = f7.Sequential(f7.Square(), f7.Square())
    >>> with f7.core.recording() as seen:
    ...     output, _ = network.apply([{}, {}], [{}, {}], jnp.array([3.0]))
    >>> {path: value.tolist() for path, value in seen.outputs.items()}
    {(0,): [9.0], (1,): [81.0]}
    """
    with probing({Recorder: (recorder := Recorder(perturbations))}):
        yield recorder


def expose(**values: Value) -> None:
    """Lets a layer show intermediate values (a dropout mask, the winners of a pooling) to whoever records."""
    here = opened(Recorder)
    if here is not None:
        here.note(("exposed", here.path), here.taps.get(("exposed", here.path), {}) | values)


def recorded_path() -> Path:
    """The place of the module that is being called, for whoever records; () where nobody does."""
    here = opened(Recorder)
    return () if here is None else here.path


@contextmanager
def recorded_at(path: Path, places: Mapping[Path, Path]) -> Iterator[None]:
    """A block whose calls are recorded below this path, but those at these places below it at the places of others."""
    here = opened(Recorder)
    if here is None:
        yield
        return
    outer, known = here.path, here.elsewhere
    here.path, here.elsewhere = path, known | {(*path, *place): other for place, other in places.items()}
    try:
        yield
    finally:
        here.path, here.elsewhere = outer, known


def recorded_below(
    name: int | str, run: Callable[[Value], tuple[Output, Tree]], input: Tree, through: bool
) -> tuple[Output, Tree]:
    """Calls a child, and is below its place meanwhile; `through`: what is called records it, or only what is inside."""
    here = opened(Recorder)
    if here is None:
        return run(input)
    path = (*here.path, name)
    outer, here.path = here.path, here.elsewhere.get(path, path)
    try:
        return run(input) if through else recorded_call(run, input)
    finally:
        here.path = outer


def recorded_call(
    run: Callable[[Value], tuple[Output, Tree]], input: Value, steps: bool = False
) -> tuple[Output, Tree]:
    """Calls the child at the recorder's path, notes its input and output, and adds its perturbation.

    Of a child that is called several times, the output is that of the last call, and input and perturbation (whose
    gradient is what backward leaves, which comes to the first call last) those of the first. `steps`: it is called for
    all steps at once, with time first; then these are those of the last step, and the perturbation the first step's.
    """
    here = opened(Recorder)
    if here is None:
        return run(input)
    given, path = ("input", here.path), here.path
    if given not in here.taps:
        if path in here.sinks:
            input = jax.tree.map(_perturbed_first if steps else perturbed, input, here.sinks[path])
        here.note(given, _last(input) if steps else input)
    output, buffers = run(input)
    here.note(("output", path), _last(output) if steps else output)
    return output, buffers


def _last(values: Any) -> Any:
    return jax.tree.map(lambda value: value[-1], values)


def _perturbed_first(values: Any, by: Any) -> Any:
    return jnp.asarray(values).at[0].set(perturbed(values[0], by))


def perturbed(value: ArrayLike, by: ArrayLike) -> ArrayLike:
    """A floating-point value with something added; integers as they are."""
    return value + by if is_inexact(value) else value
