"""The whole step of a small network as one array.

JAX needs a microsecond for each array that a program is given or gives, whatever its size. So the loss, the output, the
gradients, and the parameters as `updateParameters` or `optim.sgd` will have them if the rate is still the same come as
one array, of which tensors show parts. The next step takes this array as its parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import is_

import jax
import jax.numpy as jnp
import numpy as np

from ... import programs
from ...core.types import Array, Scalar
from ..tensors.devices import precision
from .compiled import NOTHING
from .credit import Credit
from .running import Running

MOST_ELEMENTS = 2**16
"""To copy more into one array takes longer than to hand over several."""


class Packing:
    """How the results of steps lie in one array: first those of `together`, then the parameters, and the rate."""

    __slots__ = (
        "_given", "_loss", "_next", "_plan", "_rate", "_results", "_run", "_size", "_updated", "_whole", "credit",
    )  # fmt: skip

    def __init__(self, plan: Running, run: Callable, results: list[tuple[int, ...]], parameters: list[tuple[int, ...]]):
        self._plan, self._run = plan, run
        self.credit = Credit()  # there is some as long as updates are mostly those that were foreseen
        parts = _parts([*results, *parameters, *parameters])
        self._results, self._updated, self._size = parts[: len(results)], parts[len(results) :], parts[-1][0].stop + 1
        self._loss = self._results.pop(1)[0].start
        self._rate: Scalar = math.nan  # of the last step, as are the next
        self._given: list = []  # to the update: the parameters and their gradients
        self._next: list = []  # the parameters after it
        self._whole: Array | None = None  # all that the program gave, which ends with them and the rate

    def __call__(self, arguments: tuple, numbers: list, others: tuple, rate: Scalar) -> tuple:
        """What the program gives whose steps these are."""
        parameters = arguments[0]
        whole = self._plan.run(self._run, self._whole_of(parameters, rate), arguments[2], numbers, others)
        elements = np.asarray(whole)
        # Programs keep outputs, which are not to keep all else in memory.
        output, gradient, *grad_input = _cut(elements[: self._results[-1][0].stop].copy(), self._results)
        rest, count = _cut(elements, self._updated), len(parameters)
        gradients, found = rest[:count], grad_input[0] if grad_input else None
        self._given, self._rate, self._next, self._whole = [*parameters, *gradients], rate, rest[count:], whole
        return (output, NOTHING), None, elements.item(self._loss), gradient, found, [], gradients

    def _whole_of(self, parameters: list, rate: Scalar) -> Array | np.ndarray:
        """An array that ends with these parameters and the rate."""
        if self._whole is not None and rate == self._rate and all(map(is_, parameters, self._next)):
            return self._whole
        whole = np.full(self._size, rate, self._plan.dtype)
        for (part, _), parameter in zip(reversed(self._updated), reversed(parameters), strict=False):
            whole[part] = np.asarray(parameter).reshape(-1)
        return whole

    def updated(self, parameters: list, gradients: list, rate: Scalar) -> list | None:
        """The parameters after an update, if it is the one that the last step has foreseen."""
        if rate != self._rate or not all(map(is_, (*parameters, *gradients), self._given)):
            self.credit.pay()
            return None
        self.credit.earn()
        return self._next


def _parts(shapes: list[tuple[int, ...]]) -> list[tuple[slice, tuple | None]]:
    """Where arrays of these shapes lie one behind the other; None where the shape is that of the part."""
    ends = np.cumsum([0, *map(math.prod, shapes)]).tolist()
    return [(slice(*ends[i : i + 2]), None if len(shape) == 1 else shape) for i, shape in enumerate(shapes)]


def _cut(elements: np.ndarray, parts: list[tuple[slice, tuple | None]]) -> list[np.ndarray]:
    return [elements[part] if shape is None else elements[part].reshape(shape) for part, shape in parts]


def packing(plan: Running, step: Callable, given: tuple) -> Packing | None:
    """How the results of this program lie in one array; None where they cannot, or where that would take longer."""
    layout, gradients = plan.all_parameters, plan.all_gradients
    stored = [storage.shape for storage in layout.storages]
    is_plain = (
        plan.is_stateless and plan.noting is None and layout is plan.parameters and layout.views == gradients.views
    )
    is_whole = layout.are_taken_whole and layout.covers and gradients.covers
    is_once = len(set(layout.views)) == len(layout.views)  # of a tensor in several places Torch counts each
    if not (is_plain and is_whole and is_once and sum(map(len, layout.storages)) <= MOST_ELEMENTS):
        return None
    with precision(plan.dtype):
        found = jax.tree.leaves(step.eval_shape(*given))  # type: ignore[attr-defined]
    results = [each.shape for each in found[: -len(stored)]]
    is_alike = len(results) in (3, 4) and {each.dtype for each in found} == {plan.dtype}
    size = sum(map(math.prod, (*results, *stored, *stored)))
    return Packing(plan, packed(step, tuple(stored)), results, stored) if is_alike and size <= MOST_ELEMENTS else None


@programs.kept
def packed(step: Callable, shapes: tuple[tuple[int, ...], ...]) -> Callable:
    """(an array that ends with parameters of these shapes and a rate, input, numbers, others) -> all results as one."""
    sizes = [math.prod(shape) for shape in shapes]
    ends = np.cumsum(sizes[:-1])

    def run(whole: Array, input: Array, numbers: list, others: tuple) -> Array:
        flat, rate = whole[-sum(sizes) - 1 : -1], whole[-1:]
        parameters = [part.reshape(shape) for part, shape in zip(jnp.split(flat, ends), shapes, strict=True)]
        found = [each.reshape(-1) for each in jax.tree.leaves(step((parameters, [], input, [], None), numbers, others))]
        gradients = jnp.concatenate(found[-len(shapes) :])  # as one, which XLA does not compute again for the update
        return jnp.concatenate([*found[: -len(shapes)], gradients, flat - rate * gradients, rate])

    return programs.Compiled(jax.jit(run))
