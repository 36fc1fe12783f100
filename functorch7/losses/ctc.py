"""Connectionist temporal classification: labels of a sequence whose places in time are not known."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..core import check_floating, check_values, expected, lookable, title
from ..core.types import Array, Table, Value
from ..layers.lookup import are_numbers
from .base import Criterion, of_sizes


class CTCCriterion(Criterion):
    """l = -sum_b log p(y_b | x_b): p is the sum over all ways to say the labels y by one class a step, softmax of x.

    A way says one class at each step, and its labels are what is left when first repetitions and then blanks (class 1
    of the scores) are removed. The target is a table: labels (B, L), from 1 on for the second class of the scores, with
    0 after the last of a shorter row; and the number of steps of each sequence, (B). Steps beyond it do not count, nor
    do sequences with too few steps for their labels.
    Shape: scores (T, B, C), or (B, T, C) with `batch_first`, or (T B, C) -> scalar.
    Raises: ValueError for other shapes; and, if these are concrete, for labels without a score or behind a 0, and more
    steps than there are, which give NaN under jit; TypeError for whole numbers as scores.
    Source: nnx, CTCCriterion.lua, by warp-ctc.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> scores = jnp.zeros((2, 1, 2))  # of 4 ways, a a, a -, - a say "a"
    >>> f"{f7.CTCCriterion()(scores, (jnp.array([[1]]), jnp.array([2]))).item():.3f}"  # -log(3/4)
    '0.288'
    """

    batch_first: bool = False

    @of_sizes
    def check(self, input: Value, target: Value) -> None:
        steps, _, classes = self._by_step(input, len(self._of_target(target)[1])).shape
        for name, given, first, last in zip(("label", "size"), target, (0, 1), (classes - 1, steps), strict=True):
            values = lookable(given)
            wrong = ~(are_numbers(values, first, last) & (values % 1 == 0))
            check_values(values, wrong, f"{title(self)}: {name} {{value:g}} at position {{position}}, of 1 to {last}")
        labels, message = lookable(target[0]), f"{title(self)}: label {{value:g}} behind a 0, which is the end"
        check_values(labels[:, 1:], _behind_zero(labels), message)

    def loss(self, input: Array, target: Table) -> Array:
        labels, sizes = self._of_target(target)
        scores = self._by_step(input, len(sizes))
        check_floating(self, scores)
        possible = are_numbers(labels, 0, scores.shape[2] - 1).all(1) & ~_behind_zero(labels).any(1)
        possible &= are_numbers(sizes, 1, len(scores))
        labels, sizes = (each.astype(np.int32) for each in (labels, sizes))
        lengths = (labels > 0).sum(1, dtype=np.int32)
        repeated = ((labels[:, 1:] == labels[:, :-1]) & (labels[:, 1:] > 0)).sum(1, dtype=np.int32)
        found = _log_likelihoods(jax.nn.log_softmax(scores), labels, lengths, sizes)
        counted = jnp.where(lengths + repeated <= sizes, found, 0)
        return -jnp.where(possible, counted, jnp.nan).sum()

    def _of_target(self, target: Table) -> tuple[Array, Array]:
        if not isinstance(target, (list, tuple)) or len(target) != 2:
            raise expected(self, "a table of labels and sizes as target", target)
        labels, sizes = map(jnp.asarray, target)
        if labels.ndim != 2 or sizes.shape != labels.shape[:1]:
            raise expected(self, "labels (B, L) and sizes (B)", target)
        return labels, sizes

    def _by_step(self, input: Array, count: int) -> Array:
        """The scores as (T, B, C)."""
        if input.ndim == 2 and len(input) % count == 0:
            return input.reshape(-1, count, input.shape[1])
        scores = input.swapaxes(0, 1) if self.batch_first and input.ndim == 3 else input
        if scores.ndim != 3 or scores.shape[1] != count:
            raise expected(self, f"scores of {count} sequences", input)
        return scores


def _behind_zero(labels: Array | np.ndarray) -> Any:
    """Which labels from the second on follow the 0 that ends their row."""
    return (labels[:, 1:] > 0) & (labels[:, :-1] == 0)


def _log_likelihoods(scores: Array, labels: Array, lengths: Array, sizes: Array) -> Array:
    """log p of each sequence's labels, from log-probabilities (T, B, C): after each step, that of each place among the
    labels with blanks around them.
    """
    batch, count = labels.shape
    none = jnp.full((batch, 2 * count + 1), jnp.finfo(scores.dtype).min / 4, scores.dtype)  # of what cannot be
    said = jnp.zeros((batch, 2 * count + 1), labels.dtype).at[:, 1::2].set(labels)
    # From a label to the next without a blank, if it is another.
    may_skip = jnp.pad((said[:, 2:] != said[:, :-2]) & (said[:, 2:] > 0), ((0, 0), (2, 0)))
    emitted = jnp.take_along_axis(scores, said[None], 2)
    place = np.arange(2 * count + 1, dtype=np.int32)[None]

    def moved(before: Array, places: int) -> Array:
        return jnp.concatenate([none[:, :places], before[:, : before.shape[1] - places]], 1)

    def step(before: Array, given: tuple[Array, Array]) -> tuple[Array, None]:
        emitted, time = given
        after = jnp.logaddexp(before, moved(before, 1))
        after = jnp.logaddexp(after, jnp.where(may_skip, moved(before, 2), none)) + emitted
        return jnp.where(time < sizes[:, None], after, before), None

    first = jnp.where(place < 2, emitted[0], none)
    last, _ = lax.scan(step, first, (emitted[1:], jnp.arange(1, len(scores), dtype=np.int32)))
    ends = (place == 2 * lengths[:, None]) | (place == 2 * lengths[:, None] - 1)
    return jax.nn.logsumexp(jnp.where(ends, last, none), 1)
