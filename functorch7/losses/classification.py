"""Losses between class scores and class numbers, which count from 1."""

import math
from typing import Any

import jax
import jax.numpy as jnp

from ..core import Const, check_values, expected, lookable, title
from ..layers import LogSoftMax
from .base import Criterion, vector


def check_classes(module: Any, target: Any, classes: int, ignore: int | None = None) -> None:
    """Raises ValueError, with the position, for the first target that is no class from 1 to `classes`."""
    targets = lookable(target)
    wrong = (targets < 1) | (targets > classes) | (targets % 1 != 0)
    if ignore is not None:
        wrong &= targets != ignore
    message = f"{title(module)}: target {{value:g}} at position {{position}}; classes count from 1 to {classes}"
    check_values(targets, wrong, message)


class ClassNLLCriterion(Criterion):
    """-sum_i w[t_i] * x[i, t_i], divided by sum_i w[t_i] if size_average (w is 1 without weights).

    Shape: log-probabilities (n) with one class (the first of those given), or (B, n) with classes (B,) -> scalar.
    Classes count from 1; targets equal to ignore_index add nothing. If all are ignored, the loss is 0.
    Raises: ValueError for other ranks, weights that are not (n,), and classes outside 1..n where these can be
    looked at; under jit a class outside 1..n gives NaN.
    Source: nn/doc/criterion.md#nn.ClassNLLCriterion.
    """

    weights: Const | None = None
    size_average: bool = True
    ignore_index: int = -100

    def __post_init__(self) -> None:
        self._set(weights=vector(self, self.weights))

    def check(self, input: Any, target: Any) -> None:
        check_classes(self, self._counting(input, target), input.shape[-1], self.ignore_index)

    def _counting(self, input: Any, target: Any) -> Any:
        """The classes that count, in one dimension: of one example, the first."""
        given = jnp.shape(target)
        if len(given) > 1 or not math.prod(given) or (input.ndim == 2 and math.prod(given) != len(input)):
            count = len(input) if input.ndim == 2 else 1
            raise expected(self, f"{count} classes in one dimension as target", target)
        classes = target.reshape(-1)
        return classes if input.ndim == 2 else classes[:1]

    def loss(self, input: Any, target: Any) -> jax.Array:
        if input.ndim not in (1, 2):
            raise expected(self, "an input tensor of 1 or 2 dimensions", input)
        rows = input.reshape(-1, input.shape[-1])
        classes = self._counting(input, target).astype(jnp.int32)
        counted, weights = classes != self.ignore_index, self._weights_of(rows, classes)
        valid = (classes >= 1) & (classes <= rows.shape[1])
        picked = jnp.take_along_axis(rows, jnp.where(valid, classes - 1, 0)[:, None], 1)[:, 0]
        picked = jnp.where(valid, picked, jnp.where(counted, jnp.nan, 0))
        total = weights.sum() if self.size_average else 1
        return -(weights * picked).sum() / jnp.where(total == 0, 1, total)

    def _weights_of(self, rows: jax.Array, classes: jax.Array) -> jax.Array:
        """Each example's weight; 0 for the ignored."""
        counted = classes != self.ignore_index
        if self.weights is None:
            return counted.astype(rows.dtype)
        if self.weights.value.shape != rows.shape[1:]:
            raise expected(self, f"a weight for each of the {rows.shape[1]} classes", self.weights.value)
        table = jnp.asarray(self.weights.value, rows.dtype)
        return jnp.where(counted, table[jnp.where(counted, classes - 1, 0)], 0)

    def example_weight(self, input: Any, target: Any) -> Any:
        classes = self._counting(input, target).astype(jnp.int32)
        return self._weights_of(input.reshape(-1, input.shape[-1]), classes).sum()


class CrossEntropyCriterion(Criterion):
    """LogSoftMax, then ClassNLLCriterion: w[t] * (log sum_j exp x_j - x_t), averaged by the sum of w[t].

    Shape: scores (n) with one class, or (B, n) with classes (B,) -> scalar; dimensions of size 1 are squeezed
    from both first. Classes count from 1.
    Raises: as ClassNLLCriterion, which is the field `nll`.
    Source: nn/doc/criterion.md#nn.CrossEntropyCriterion.
    """

    weights: Const | None = None
    size_average: bool = True
    ignore_index: int = -100

    def __post_init__(self) -> None:
        self._set(weights=vector(self, self.weights))

    @property
    def lsm(self) -> LogSoftMax:
        return LogSoftMax()

    @property
    def nll(self) -> ClassNLLCriterion:
        return ClassNLLCriterion(self.weights, self.size_average, self.ignore_index)

    def check(self, input: Any, target: Any) -> None:
        check_classes(self, target, input.squeeze().shape[-1], self.ignore_index)

    def loss(self, input: Any, target: Any) -> jax.Array:
        scores = input.squeeze()
        if scores.ndim not in (1, 2):
            raise expected(self, "scores of 1 or 2 dimensions after squeezing", input)
        return self.nll.loss(jax.nn.log_softmax(scores, -1), target.squeeze())

    def example_weight(self, input: Any, target: Any) -> Any:
        return self.nll.example_weight(input.squeeze(), target.squeeze())


class TreeNLLCriterion(Criterion):
    """-mean(x): the negative log-likelihood of SoftMaxTree's output, log-probabilities of the targets.

    Shape: (B) -> scalar. The criterion's target is not used; it may be None.
    Raises: ValueError for other shapes.
    Source: nnx, TreeNLLCriterion.lua.
    """

    def loss(self, input: Any, target: Any) -> jax.Array:
        if input.ndim != 1:
            raise expected(self, "a vector of log-probabilities, SoftMaxTree's output", input)
        return -input.mean()
