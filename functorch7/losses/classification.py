"""Losses between class scores and class numbers, which count from 1."""

import math

import jax
import jax.numpy as jnp
import numpy as np

from ..core import check_floating, check_values, expected, lookable, title
from ..core.module import Module
from ..core.types import Array, Value
from ..layers import LogSoftMax, Squeeze
from ..layers.lookup import are_numbers
from ..layers.merging import merged
from .base import Criterion, Weighted, of_sizes


def are_classes(target: Array | np.ndarray, classes: int) -> Value:
    """Which numbers are classes from 1 to `classes`."""
    return are_numbers(target, 1, classes) & (target % 1 == 0)


def check_classes(module: Module, target: Value, classes: int, ignore: int | None = None) -> None:
    """Raises ValueError, with the position, for the first target that is not a class from 1 to `classes`."""
    targets = lookable(target)
    wrong = ~are_classes(targets, classes)
    if ignore is not None:
        wrong &= targets != ignore
    message = f"{title(module)}: target {{value:g}} at position {{position}}; classes count from 1 to {classes}"
    check_values(targets, wrong, message)


def counted_classes(module: Module, input: Value, target: Value) -> Value:
    """The classes that count, in one dimension: one for each example; for an input of one example, the first."""
    given = jnp.shape(target)
    count, number = len(input) if input.ndim == 2 else 1, math.prod(given)
    if len(given) > 1 or (number != count if input.ndim == 2 else number < count):
        raise expected(module, f"{count} classes in one dimension as target", target)
    classes = target.reshape(-1)
    return classes if input.ndim == 2 else classes[:1]


class ClassNLLCriterion(Weighted):
    """-sum_i w[t_i] * x[i, t_i], divided by sum_i w[t_i] if size_average (w is 1 without weights).

    Shape: log-probabilities (n) with one class (the first of those given), or (B, n) with classes (B,) -> scalar.
    Classes count from 1; targets equal to ignore_index add nothing. If all are ignored, the loss is 0.
    Raises: ValueError for other ranks, weights that are not (n,), and classes outside 1..n if these are
    concrete; under jit a class outside 1..n gives NaN.
    Source: nn/doc/criterion.md#nn.ClassNLLCriterion.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> log_p = jnp.array([[-0.5, -1.0, -3.0], [-2.0, -0.25, -3.0]])
    >>> jax.jit(f7.ClassNLLCriterion())(log_p, jnp.array([1, 2])).item()  # (0.5 + 0.25) / 2
    0.375
    """

    ignore_index: int = -100

    @of_sizes
    def check(self, input: Value, target: Value) -> None:
        check_classes(self, counted_classes(self, input, target), input.shape[-1], self.ignore_index)

    def loss(self, input: jax.Array, target: jax.Array) -> jax.Array:
        if input.ndim not in (1, 2):
            raise expected(self, "an input tensor of 1 or 2 dimensions", input)
        rows, given = merged(input, 1), counted_classes(self, input, target)
        classes, valid = given.astype(jnp.int32), are_classes(given, rows.shape[1])
        counted, weights = classes != self.ignore_index, self._weights_of(rows, classes)
        picked = jnp.take_along_axis(rows, jnp.where(valid, classes - 1, 0)[:, None], 1)[:, 0]
        picked = jnp.where(valid | ~counted, jnp.where(valid, picked, 0), jnp.nan)
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

    def example_weight(self, input: Value, target: Value) -> Array:
        classes = counted_classes(self, input, target).astype(jnp.int32)
        return self._weights_of(merged(input, 1), classes).sum()


class CrossEntropyCriterion(Weighted):
    """l = w[t] (log sum_j exp x_j - x_t): LogSoftMax, then ClassNLLCriterion; a batch is averaged by the sum of w[t].

    Shape: scores (n) with one class, or (B, n) with classes (B,) -> scalar; dimensions of size 1 are squeezed
    from both first. Classes count from 1.
    Raises: as ClassNLLCriterion, which is the field `nll`.
    Source: nn/doc/criterion.md#nn.CrossEntropyCriterion.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> scores = jnp.array([[0.0, 0.0], [0.0, 0.0]])
    >>> f"{f7.CrossEntropyCriterion()(scores, jnp.array([1, 2])).item():.3f}"  # log 2
    '0.693'
    """

    ignore_index: int = -100

    @property
    def lsm(self) -> LogSoftMax:
        """The first part: LogSoftMax."""
        return LogSoftMax()

    @property
    def nll(self) -> ClassNLLCriterion:
        """The second part, with the same weights and target to ignore."""
        return ClassNLLCriterion(self.weights, self.size_average, self.ignore_index)

    @of_sizes
    def check(self, input: Value, target: Value) -> None:
        check_classes(self, target, Squeeze().f(input).shape[-1], self.ignore_index)

    def loss(self, input: jax.Array, target: jax.Array) -> jax.Array:
        scores = Squeeze().f(input)
        if scores.ndim not in (1, 2):
            raise expected(self, "scores of 1 or 2 dimensions after squeezing", input)
        check_floating(self, scores)
        return self.nll.loss(jax.nn.log_softmax(scores, -1), target.squeeze())

    def example_weight(self, input: Value, target: Value) -> Array:
        return self.nll.example_weight(Squeeze().f(input), target.squeeze())


class TreeNLLCriterion(Criterion):
    """l = -mean(x): the negative log-likelihood of SoftMaxTree's output, log-probabilities of the targets.

    Shape: (B) or (B, 1) -> scalar. The criterion's target is not used; it may be None.
    Raises: ValueError for other shapes.
    Source: nnx, TreeNLLCriterion.lua.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.TreeNLLCriterion()(jnp.array([-1.0, -2.0])).item()
    1.5
    """

    def loss(self, input: jax.Array, target: jax.Array) -> jax.Array:
        if input.ndim != 1 and input.shape[1:] != (1,):
            raise expected(self, "a vector of log-probabilities, SoftMaxTree's output, or a column", input)
        return -input.mean()
