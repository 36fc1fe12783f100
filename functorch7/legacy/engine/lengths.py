"""Sequences of many lengths, run as sequences of few, so that few programs are compiled.

Where a step depends on those before it alone, more steps at the end change nothing: their outputs are left out, and the
gradients there are zeros. So a length is rounded up, long ones by a quarter at most. The first lengths are run as they
are, as most programs have no others, and so is one that comes so often that its own program pays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from types import ModuleType

import jax
import jax.numpy as jnp
import numpy as np

from ...checks.declared import is_array
from ...core.types import Array, Value
from ..tensors.devices import place_of

MOST_AS_THEY_ARE = 2
"""So many lengths of one network get programs of their own at once."""

OFTEN = 1000
"""So many calls of one length are worth another program."""

LEAST = 4
"""Lengths are rounded up to multiples of this, or of more for longer ones."""


class Lengths:
    """The lengths that one network, or one loss, was called with."""

    __slots__ = ("_as_they_are", "_times")

    def __init__(self) -> None:
        self._times: Counter[int] = Counter()
        self._as_they_are: set[int] = set()

    def to_run(self, sequence: Value) -> int | None:
        """As how many steps a sequence is to be run; None: as it is."""
        length = length_of(sequence)
        if length in self._as_they_are:
            return None
        self._times[length] += 1
        if len(self._as_they_are) < MOST_AS_THEY_ARE or self._times[length] > OFTEN:
            self._as_they_are.add(length)
            return None
        return rounded_up(length) if _are_alike(sequence) else None


def rounded_up(length: int) -> int:
    """The next of four numbers between a power of two and the next one."""
    step = max(LEAST, 2 ** max(0, (length - 1).bit_length() - 3))
    return -(-length // step) * step


def length_of(sequence: Value) -> int:
    """How many steps a sequence has, time first or as a table."""
    return len(sequence) if isinstance(sequence, (list, tuple)) or (is_array(sequence) and np.ndim(sequence)) else 0


def _are_alike(sequence: Value) -> bool:
    """Whether all steps have the same shapes: no other table is one of steps."""
    shapes = [jax.tree.map(np.shape, step) for step in sequence] if isinstance(sequence, (list, tuple)) else []
    return all(each == shapes[0] for each in shapes)


def longer(sequence: Value, length: int) -> Value:
    """A sequence, time first or as a table, at whose end the last step comes again."""
    return _followed(sequence, length, lambda last: last)


def with_zeros_after(gradients: Value, length: int) -> Value:
    """Gradients at the steps of a sequence, and zeros at those that were added."""
    return _followed(gradients, length, lambda last: _numpy_for(last).zeros_like(last))


def _followed(sequence: Value, length: int, of_last: Callable[[Array], Array]) -> Value:
    missing = length - length_of(sequence)
    if isinstance(sequence, (list, tuple)):
        return [*sequence, *[jax.tree.map(of_last, sequence[-1])] * missing]
    numpy = _numpy_for(sequence)
    return numpy.concatenate([sequence, numpy.repeat(of_last(sequence[-1:]), missing, 0)])


def cut(results: Value, length: int) -> Value:
    """What is there of the first steps; None stays None."""
    if results is None or isinstance(results, list):
        return results and results[:length]
    return (np.asarray(results) if place_of(results) is None else results)[:length]


def _numpy_for(array: Array) -> ModuleType:
    """NumPy for arrays on the host, as JAX compiles a program for each shape."""
    return np if place_of(array) is None else jnp
