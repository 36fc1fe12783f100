"""Calls on an accelerator's arrays: they are noted, and run together when a result is read.

Starting an operation there takes longer than running a small one. So computations of tensors are only checked at once,
and noted: a `Noted` stands for the array, whose sizes and type are known. When its elements are asked for, everything
noted for the same place runs. What is noted in the same way a second time is compiled as one program, which is then
found by what was noted, so an iteration of a loop takes one start. Results that can no longer be asked for are dropped.
A function whose result depends on values is computed at once.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache, lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax._src import core  # the context has no public name

from ...checks.errors import ASKS_FOR_VALUES
from ...core.types import ArrayLike, Device, Structure, Value
from .devices import Place, place_of, precision, spread_over
from .noted import Cell, Noted
from .noted_programs import Call, Prepared, Step, Varies, laid_out, outline, program_of
from .portions import portion
from .together import brought_together, place_among

MOST_CALLS, MOST_BYTES, MOST_WORK = 256, 2**28, 512
"""Limits of what waits: calls, bytes of their arrays, and operations in networks' calls, which are compiled."""


class Notes:
    """What was noted for one place and has not run yet."""

    runs_at_once = False  # of all places: what is noted runs before the next call

    def __init__(self, place: Place):
        self.place = place
        self.calls: list[Call] = []
        self._held: set[int] = set()  # the arrays that calls take
        self._bytes = 0  # of all of them
        self._work = 0  # of networks' calls
        self._round = 0  # how often all ran
        self._lock = threading.RLock()

    @property
    def device(self) -> Device:
        """The device for arrays from the host: the first of the place."""
        return min(self.place, key=lambda device: device.id)

    def brought(self, array: np.ndarray) -> jax.Array:
        """An array from the host, moved here."""
        with self._where(), precision(array.dtype):
            return jax.device_put(array, self.device if len(self.place) == 1 else spread_over(self.place))

    def known(self, array: ArrayLike) -> Noted:
        """A `Noted` for an existing array, for calls of this place."""
        return Noted(self, Cell(outline(array), array))

    def note(self, function: Callable, *args: Value, **kwargs: Value) -> Value:
        """Notes a call; its future results, each array as a `Noted`. Raises the function's errors for wrong shapes.

        Arrays and fractions may differ next time; everything else is part of the program.
        """
        leaves, structure = jax.tree.flatten((args, kwargs))
        if any([place_among(leaf) not in (None, self.place) for leaf in leaves]):
            leaves, place = brought_together(leaves)
            if place not in (None, self.place):
                return notes_of(place).note(function, *args, **kwargs)
        varying = [leaf for leaf in leaves if _varies(type(leaf))]
        is_wide = jax.config.jax_enable_x64 or any(map(_is_wide, varying))  # type: ignore[attr-defined]
        inputs = tuple([_cell_of(leaf, is_wide) for leaf in varying])
        fixed = tuple([Varies if _varies(type(leaf)) else leaf for leaf in leaves])
        step = Step(function, structure, fixed, tuple(map(type, fixed)), is_wide)
        try:
            avals, result = _outline(step, tuple([cell.aval for cell in inputs]))
        except ASKS_FOR_VALUES:
            with self._where():
                found = step(*[self._value(cell) for cell in inputs])
            return jax.tree.map(self.known, found)
        outputs = [Cell(aval) for aval in avals]
        noted = result.unflatten([Noted(self, cell) for cell in outputs])
        self._take(Call(step, inputs, outputs))
        return noted

    def call(self, prepared: Prepared, leaves: list) -> Value:
        """Notes the call of a compiled function with these flattened arguments; its future results."""
        inputs = [(leaf._cell if leaf.notes is self else leaf()) if type(leaf) is Noted else leaf for leaf in leaves]
        outputs = [Cell(aval) for aval in prepared.avals]
        noted = prepared.layout.unflatten([Noted(self, cell) for cell in outputs])
        self._take(Call(prepared, tuple(inputs), outputs))
        return noted

    def _take(self, call: Call) -> None:
        with self._lock:
            self.calls.append(call)
            if type(call.step) is Prepared:
                self._work += call.step.work  # none of these takes many bytes (`engine/noting.py`)
            else:
                self._count_bytes(call.inputs)
            if Notes.runs_at_once:
                self.run()
            elif len(self.calls) > MOST_CALLS or self._bytes > MOST_BYTES or self._work > MOST_WORK:
                self.run(portion([call.step for call in self.calls]))

    def _count_bytes(self, inputs: tuple) -> None:
        for each in inputs:
            value = each.value if type(each) is Cell else each
            if hasattr(value, "nbytes") and id(value) not in self._held:
                self._held.add(id(value))
                self._bytes += value.nbytes

    def _value(self, cell: Cell) -> Value:
        if cell.value is None:
            self.run()
        if cell.error is not None:
            raise cell.error
        return cell.value

    def run(self, count: int | None = None) -> None:
        """Runs the first calls, all by default."""
        if not self.calls:
            return
        with self._lock:
            calls, later = self.calls[:count], self.calls[len(self.calls) if count is None else count :]
            arguments, taken = laid_out(calls)
            made = [cell for call in calls for cell in call.outputs]
            awaited = {id(cell) for call in later for cell in call.inputs} if later else ()
            wanted = tuple([at for at, cell in enumerate(made) if cell.reader() is not None or id(cell) in awaited])
            if wanted:
                program = program_of(tuple([call.step for call in calls]), taken, len(made))
                try:
                    with self._where():
                        found = program(arguments, wanted, self._round)
                    for at, value in zip(wanted, found, strict=True):
                        made[at].value = value
                except Exception:
                    self._go_on_with(later)
                    self._run_apart(calls)
            self._go_on_with(later)
            self._round += count is None

    def _go_on_with(self, calls: list[Call]) -> None:
        """Sets what still waits."""
        self.calls = calls
        self._held.clear()
        self._bytes = 0
        self._work = sum(call.step.work for call in calls if type(call.step) is Prepared)

    def _run_apart(self, calls: list[Call]) -> None:
        """Runs calls one by one, since one of them fails, and raises its error; only what depends on it is missing."""
        errors = []
        for call in calls:
            cells = [each for each in call.inputs if type(each) is Cell]
            error = next((cell.error for cell in cells if cell.error is not None), None)
            found: list = []
            if error is None:
                try:
                    with self._where():
                        found = call.step.results([each.value if type(each) is Cell else each for each in call.inputs])
                except Exception as failed:
                    error = failed
                    errors.append(failed)
            for cell, value in itertools.zip_longest(call.outputs, found):
                cell.value, cell.error = value, error
        if errors:
            raise errors[0]

    @contextmanager
    def _where(self) -> Iterator[None]:
        """A block in which new arrays are made at this place, and nothing becomes part of a trace."""
        place = jax.default_device(next(iter(self.place))) if len(self.place) == 1 else nullcontext()
        with place, core.eval_context():
            yield


@lru_cache(4096)
def _outline(step: Step, avals: tuple) -> tuple[list, Structure]:
    """The shapes and types of a step's results, and their structure."""
    with jax.enable_x64(step.is_wide):
        return jax.tree.flatten(jax.eval_shape(step.__call__, *[0.0 if each is float else each for each in avals]))


class Noting:
    """A function, or a module of functions such as jax.numpy, whose calls are noted."""

    __slots__ = ("_notes", "_target")

    def __init__(self, notes: Notes, target: Any = jnp):
        self._notes, self._target = notes, target

    def __call__(self, *args: Value, **kwargs: Value) -> Value:
        return self._notes.note(self._target, *args, **kwargs)

    def taken_along(self, results: object) -> Value:
        """Results, with those of NumPy moved to where the calls' arrays are."""
        return jax.tree.map(lambda each: self._notes.known(each) if isinstance(each, np.ndarray) else each, results)

    def __getattr__(self, name: str) -> Noting:
        return Noting(self._notes, getattr(self._target, name))


@cache
def _varies(kind: type) -> bool:
    """Whether arguments of this class are arrays, or numbers that may differ next time."""
    return issubclass(kind, (Noted, float, np.ndarray, np.generic, jax.Array))


def _is_wide(leaf: object) -> bool:
    return isinstance(leaf, (Noted, jax.Array)) and leaf.dtype.itemsize == 8


def _cell_of(leaf: Any, is_wide: bool) -> Cell:
    if isinstance(leaf, Noted):
        return leaf._cell
    if isinstance(leaf, np.ndarray) and leaf.dtype.itemsize == 8 and not is_wide:
        leaf = leaf.astype(leaf.dtype.str[:-1] + "4")
    return Cell(outline(leaf), leaf)


def known(array: ArrayLike | Noted, place: Place) -> Noted:
    """A `Noted` for an array, at its own place or, from the host, at this one; a `Noted` itself."""
    return array if isinstance(array, Noted) else notes_of(place_of(array) or place).known(array)


_notes: dict[Place, Notes] = {}


def notes_of(place: Place) -> Notes:
    """The notes of a place."""
    return _notes.setdefault(place, Notes(place)) if place not in _notes else _notes[place]


def eager(wanted: bool = True) -> None:
    """Sets whether calls of tensors, small networks, criterions and optimisers on an accelerator run at once.

    Otherwise (the default) they are noted, and run together when a result is read.

    For debugging: errors on the device then occur at the call.

    Example:
        >>> from functorch7 import legacy
        >>> legacy.eager(True)
        >>> legacy.eager(False)
    """
    Notes.runs_at_once = wanted
    run_all()


def run_all() -> None:
    """Runs everything noted, for all places."""
    for notes in list(_notes.values()):
        notes.run()
