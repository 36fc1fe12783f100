"""Losses between pairs: their distances, similarities, and order. Targets are 1 (alike) or -1 (different)."""

import math
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jax import lax

from ..core import Module, expected
from ..core.types import Value
from ..layers.table import rows_or_entries
from .base import Criterion, size_of


def _pair(module: Module, input: Value) -> tuple[Any, Any]:
    """The two tensors of a table, or rows of a tensor."""
    entries = rows_or_entries(input, 2)
    if entries is None or len(entries) != 2 or entries[0].shape != entries[1].shape:
        raise expected(module, "a table of two tensors of one shape", input)
    return entries[0], entries[1]


def _spread(module: Module, target: Value, shape: tuple[int, ...], dtype: Any) -> Any:
    """The target for each element: unchanged, or one number for all of them."""
    if target.size not in (1, math.prod(shape)):
        raise expected(module, f"a target of {math.prod(shape)} elements, or a number", target)
    return jnp.broadcast_to(target.reshape((1,) * len(shape) if target.size == 1 else shape), shape).astype(dtype)


def _positive(value: Any) -> Any:
    """max(0, x), whose gradient passes at 0."""
    return jnp.where(value >= 0, value, 0)


class HingeEmbeddingCriterion(Criterion):
    """sum_i of x_i where y_i = 1, max(0, margin - x_i) where y_i = -1; divided by the count if size_average.

    Shape: any, with a target of that many elements, or one number -> scalar. At the margin the gradient passes.
    Raises: ValueError for another number of targets.
    Source: nn/doc/criterion.md#nn.HingeEmbeddingCriterion.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.HingeEmbeddingCriterion()(jnp.array([0.5, 0.5]), jnp.array([1.0, -1.0])).item()
    0.5
    """

    tunable: ClassVar[tuple[str, ...]] = ("margin",)

    margin: float = 1
    size_average: bool = True

    def loss(self, input: jax.Array, target: jax.Array) -> jax.Array:
        y = _spread(self, target, input.shape, input.dtype)
        losses = jnp.where(y != -1, input, 0) + jnp.where(y != 1, _positive(self.margin - input), 0)
        return losses.mean() if self.size_average else losses.sum()


class L1HingeEmbeddingCriterion(Criterion):
    """||x1 - x2||_1 if y = 1, max(0, margin - ||x1 - x2||_1) if y = -1. Where x1 = x2 the gradient is 0.

    Shape: [x1, x2] of one shape, a pair as a whole, and one number -> scalar.
    Raises: ValueError unless it is given a pair and one number.
    Source: nn/doc/criterion.md#nn.L1HingeEmbeddingCriterion.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.L1HingeEmbeddingCriterion()([jnp.array([1.0, 2.0]), jnp.array([1.0, 4.0])], 1.0).item()
    2.0
    """

    takes_table: ClassVar[bool] = True

    tunable: ClassVar[tuple[str, ...]] = ("margin",)

    margin: float = 1

    def loss(self, input: Value, target: Value) -> jax.Array:
        first, second = _pair(self, input)
        if target.size != 1:
            raise expected(self, "one number as target", target)
        distance = size_of(first - second).sum()
        return jnp.where(target.reshape(()) == 1, distance, _positive(self.margin - distance))


class CosineEmbeddingCriterion(Criterion):
    """l = 1 - cos(x1, x2) where y = 1, else max(0, cos(x1, x2) - margin): y is 1 or -1; the mean of a batch if
    size_average.

    Shape: [x1, x2], (n) each with a number, or (B, n) each with (B) -> scalar. Where a loss is 0, so is its gradient.
    Raises: ValueError unless it is given a pair, and a target for each.
    Source: nn/doc/criterion.md#nn.CosineEmbeddingCriterion.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> pairs = [jnp.array([[1.0, 0.0], [1.0, 0.0]]), jnp.array([[0.0, 1.0], [0.0, 1.0]])]
    >>> f7.CosineEmbeddingCriterion()(pairs, jnp.array([1.0, -1.0])).item()  # (1 + 0) / 2
    0.5
    """

    takes_table: ClassVar[bool] = True

    tunable: ClassVar[tuple[str, ...]] = ("margin",)

    margin: float = 0
    size_average: bool = True

    def loss(self, input: Value, target: Value) -> jax.Array:
        first, second = _pair(self, input)
        if first.ndim not in (1, 2):
            raise expected(self, "vectors or batches of vectors", input)
        lengths = [lax.rsqrt((x * x).sum(-1) + 1e-12) for x in (first, second)]
        cosine = (first * second).sum(-1) * lengths[0] * lengths[1]
        if target.size != cosine.size:
            raise expected(self, f"{cosine.size} targets", target)
        losses = jnp.where(target.reshape(cosine.shape) == 1, 1 - cosine, cosine - self.margin)
        losses = jnp.where(losses > 0, losses, 0)
        return losses.mean() if self.size_average else losses.sum()


class DistanceRatioCriterion(Criterion):
    """sum_i -log(e^-s_i / (e^-s_i + e^-d_i)), the distances s of pairs that are alike, d of others; by the batch size.

    Shape: [s, d], (B) each; there is no target -> scalar. Stable for all distances.
    Raises: ValueError unless it is given such a pair.
    Source: nn/doc/criterion.md#nn.DistanceRatioCriterion.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f"{f7.DistanceRatioCriterion()([jnp.zeros(2), jnp.zeros(2)]).item():.3f}"  # log 2
    '0.693'
    """

    takes_table: ClassVar[bool] = True

    size_average: bool = True

    def loss(self, input: Value, target: Value) -> jax.Array:
        alike, different = _pair(self, input)
        if alike.ndim not in (1, 2) or max(alike.shape) != alike.size:
            raise expected(self, "two tensors of distances, one for each example", input)
        losses = jax.nn.softplus(alike - different)
        return losses.mean() if self.size_average else losses.sum()


class MarginRankingCriterion(Criterion):
    """sum_i max(0, margin - y_i (x1_i - x2_i)), divided by the targets' first size if size_average.

    Shape: [x1, x2], (1) each with a number, or (B) or (B, n) each with a target of that shape -> scalar. At the kink
    the gradient passes.
    Raises: ValueError unless it is given a pair, and a target for each or one number.
    Source: nn/doc/criterion.md#nn.MarginRankingCriterion.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.MarginRankingCriterion()([jnp.array([3.0, 1.0]), jnp.array([1.0, 1.0])], jnp.array([1.0, 1.0])).item()
    0.5
    """

    takes_table: ClassVar[bool] = True

    tunable: ClassVar[tuple[str, ...]] = ("margin",)

    margin: float = 1
    size_average: bool = True

    def loss(self, input: Value, target: Value) -> jax.Array:
        first, second = _pair(self, input)
        y = _spread(self, target, first.shape, first.dtype)
        losses = _positive(self.margin - y * (first - second))
        examples = target.shape[0] if target.size > 1 else max(1, first.size)
        return losses.sum() / examples if self.size_average else losses.sum()
