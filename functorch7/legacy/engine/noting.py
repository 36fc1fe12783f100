"""Small networks' calls on an accelerator: they are noted, and run together with those of tensors (`tensors/notes.py`).

On the host starting a program takes less than it takes to note a call, so that calls run at once there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import jax
import numpy as np
from jax._src import core as jax_core
from jax.experimental.checkify import Error

from ... import core
from ...core.types import Value
from ..tensors.devices import has_others, precision
from ..tensors.findings import tell_later
from ..tensors.noted import Noted, looked_at, ready
from ..tensors.noted_programs import Prepared, prepared
from ..tensors.notes import Notes, notes_of
from ..tensors.number import plain
from ..tensors.together import met, place_among
from .compiled import Residuals

WHOLE = (Residuals, Error)
"""Results that are handed on as they are: what JAX calls the parts of an error is another in each program."""

MOST_ELEMENTS = 2**22
"""Of what a call takes and gives: with more, starting a program costs little beside running it."""


class Noting:
    """What is known of the calls of one plan."""

    __slots__ = ("_prepared", "is_wide")

    def __init__(self, is_wide: bool):
        self._prepared: dict[tuple, Prepared | None] = {}
        self.is_wide = is_wide

    def __call__(self, function: Callable, args: tuple, varying: Value) -> Value:
        """What a function will give for arguments, of which `varying` may have other shapes; None: run it at once."""
        leaves, structure = jax.tree.flatten(args)
        leaves = list(map(plain, leaves))
        place, *others = {*map(place_among, leaves)} - {None} or (None,)
        if place is None or others or Notes.runs_at_once or not all(_may_wait(type(leaf)) for leaf in leaves):
            return None
        key = (function, structure, _signature(varying))
        if key not in self._prepared:
            is_wide = self.is_wide or jax.config.read("jax_enable_x64")
            made = prepared(function, structure, leaves, WHOLE, is_wide)
            self._prepared[key] = made if made.size <= MOST_ELEMENTS else None
        found = self._prepared[key]
        return None if found is None else notes_of(place).call(found, leaves)


@cache
def _may_wait(kind: type) -> bool:
    """Whether values of this class can be kept until later: arrays, but for those that are being traced, and numbers.

    All else is refused where a call runs.
    """
    return issubclass(kind, (float, int)) or (hasattr(kind, "shape") and not issubclass(kind, jax_core.Tracer))


def _signature(value: Value) -> object:
    if hasattr(value, "shape"):
        return value.shape, value.dtype
    if isinstance(value, (list, tuple)):
        return tuple([_signature(each) for each in value])
    if isinstance(value, dict):
        return tuple([(name, _signature(each)) for name, each in value.items()])
    return type(value)


def called(noting: Noting | None, function: Callable, args: tuple, varying: Value, dtype: np.dtype | None) -> Value:
    """As `at_once`, or, where the arguments are on an accelerator, noted for when somebody looks."""
    found = None if noting is None else noting(function, args, varying)
    return at_once(function, args, dtype) if found is None else found


def at_once(function: Callable, args: tuple, dtype: np.dtype | None) -> Value:
    """What a compiled function gives for arguments; `dtype` is that of 64-bit numbers among them, if there are any."""
    if has_others():
        leaves, structure = jax.tree.flatten(args)
        leaves = [plain(ready(leaf)) for leaf in leaves]
        args = structure.unflatten(met(leaves))  # a network may be spread over devices (nn.GPU)
    if dtype is None:
        return function(*args)
    with precision(dtype):
        return function(*args)


def report(error: Error | Noted) -> None:
    """Raises ValueError for what a call has found; on an accelerator when somebody looks at something there."""
    leaves = [error] if type(error) is Noted else jax.tree.leaves(error)
    place = next(filter(None, map(place_among, leaves)), None) if has_others() else None
    if place is None or Notes.runs_at_once:
        core.raise_found(looked_at(error))
    else:
        tell_later(partial(ready, error), place)


def all_looked_at(args: tuple) -> tuple:
    """Arguments with the arrays that noted ones stand for, and with numbers that an accelerator computes."""
    return jax.tree.map(lambda leaf: plain(looked_at(leaf)), args)
