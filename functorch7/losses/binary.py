"""Losses between scores and yes-or-no targets, element by element."""

from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from ..core import check_values, expected, lookable
from ..core.types import Array, Value
from .base import Averaged, Criterion, Weighted

EPSILON = 1e-12


def _from_ends(x: Any) -> tuple[Any, Any]:
    """x and 1 - x, but at least 1e-12, or the closest that the dtype can represent.

    A maximum, not a sum as in Torch: a compiler may add the 1e-12 to the 1, where it is lost.
    """
    tiny = jnp.asarray(max(EPSILON, float(jnp.finfo(x.dtype).tiny)), x.dtype)
    return jnp.maximum(x, tiny), jnp.maximum(1 - x, tiny)


@jax.custom_jvp
def cross_entropy(x: Array, y: Array) -> Array:
    """-(y log x + (1 - y) log(1 - x)); its derivative (x - y) / (x (1 - x)) is 0 where x = y, also at 0 and 1."""
    yes, no = _from_ends(x)
    return -(y * jnp.log(yes) + (1 - y) * jnp.log(no))


@cross_entropy.defjvp
def _(primals, tangents):
    x, y = primals
    yes, no = _from_ends(x)
    slope = (x - y) / (yes * no) * tangents[0] + (jnp.log(no) - jnp.log(yes)) * tangents[1]
    return cross_entropy(x, y), slope


def weighted(criterion: Weighted, losses: Array) -> Array:
    """Losses times the criterion's weights, if any: one for each element, or each column of a batch."""
    if criterion.weights is None:
        return losses
    weights = criterion.weights.value
    if weights.size != losses.size and losses.shape[-1:] != weights.shape:
        raise expected(criterion, f"weights for {weights.size} elements or columns", losses)
    shape = losses.shape if weights.size == losses.size else (1,) * (losses.ndim - 1) + weights.shape
    return losses * jnp.asarray(weights, losses.dtype).reshape(shape)


class BCECriterion(Weighted, Averaged):
    """-sum_i w_i (y_i log x_i + (1 - y_i) log(1 - x_i)), divided by the count if size_average.

    Shape: probabilities and targets (0, 1, or between) of one element count -> scalar; weights (n,) count for each
    element, if there are n, or for each column of a batch. Logarithms are taken of at least 1e-12.
    Raises: ValueError if the counts differ, for weights of another size, and for inputs outside 0 to 1 if these are
    concrete.
    Source: nn/doc/criterion.md#nn.BCECriterion.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f"{f7.BCECriterion()(jnp.array([0.5, 0.5]), jnp.array([1.0, 0.0])).item():.3f}"
    '0.693'
    """

    def check(self, input: Value, target: Value) -> None:
        values = lookable(input)
        message = f"{self}: input value should be between 0~1, but got {{value:g}}"
        check_values(values, (values < 0) | (values > 1), message)

    def each(self, input: jax.Array, target: jax.Array) -> jax.Array:
        return weighted(self, cross_entropy(input, target))


class MarginCriterion(Averaged):
    """sum_i max(0, margin - y_i x_i), divided by the count if size_average; y is 1 or -1.

    Shape: input and target of one element count, in any shape -> scalar. At the margin the gradient is 0.
    Raises: ValueError if the counts differ.
    Source: nn/doc/criterion.md#nn.MarginCriterion.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.MarginCriterion()(jnp.array([0.5, 3.0]), jnp.array([1.0, -1.0])).item()
    2.25
    """

    tunable: ClassVar[tuple[str, ...]] = ("margin",)

    margin: float = 1
    size_average: bool = True

    def each(self, input: jax.Array, target: jax.Array) -> jax.Array:
        below = self.margin - target * input
        return jnp.where(below > 0, below, 0)


class SoftMarginCriterion(Averaged):
    """sum_i log(1 + exp(-y_i x_i)), divided by the count if size_average; y is 1 or -1.

    Shape: input and target of one element count, in any shape -> scalar. Stable for all x. An argument is accepted and
    unused, as in Torch7.
    Raises: ValueError if the counts differ.
    Source: nn/doc/criterion.md#nn.SoftMarginCriterion.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f"{f7.SoftMarginCriterion()(jnp.zeros(2), jnp.array([1.0, -1.0])).item():.3f}"
    '0.693'
    """

    unused: object = None
    size_average: bool = True

    def each(self, input: jax.Array, target: jax.Array) -> jax.Array:
        return jax.nn.softplus(-target * input)


class MultiLabelSoftMarginCriterion(Weighted, Averaged):
    """-sum_i w_i (y_i log s(x_i) + (1 - y_i) log(1 - s(x_i))) with the sigmoid s; by the count if size_average.

    Shape: scores and targets (0, 1, or between) of one element count -> scalar; weights (n,) as BCECriterion's. Stable
    for all x.
    Raises: ValueError if the counts differ, and for weights of another size.
    Source: nn/doc/criterion.md#nn.MultiLabelSoftMarginCriterion.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f"{f7.MultiLabelSoftMarginCriterion()(jnp.zeros(2), jnp.array([1.0, 0.0])).item():.3f}"
    '0.693'
    """

    def each(self, input: jax.Array, target: jax.Array) -> jax.Array:
        return weighted(self, jax.nn.softplus(input) - target * input)


class BinaryLogisticRegression(Averaged):
    """sum_i log(1 + exp(-y_i x_i)), divided by the count if size_average; y is 1 or -1.

    A y of 0, as of an example without a class, gives log 2 and no gradient.
    Shape: (B) or (B, 1), and a target of as many elements -> scalar. Stable for all x.
    Raises: ValueError for other shapes.
    Source: dpnn/README.md#nn.BinaryLogisticRegression.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f"{f7.BinaryLogisticRegression()(jnp.zeros(2), jnp.array([1.0, -1.0])).item():.3f}"
    '0.693'
    """

    size_average: bool = True

    def loss(self, input: Value, target: Value) -> jax.Array:
        for each in (input, target):
            if each.ndim not in (1, 2) or max(each.shape) != each.size:
                raise expected(self, "batchSize or batchSize x 1 numbers", each)
        return super().loss(input, target)

    def each(self, input: jax.Array, target: jax.Array) -> jax.Array:
        return jax.nn.softplus(-target * input)


class SpatialBinaryLogisticRegression(Criterion):
    """sum_i log(1 + exp(-y_i x_i)) / (2 h w), divided by the batch size, too, if size_average; y is 1 or -1.

    A y of 0, as of a pixel without a class, gives log 2 and no gradient.
    Shape: (B, 1, h, w) or (1, h, w), and a target of that shape -> scalar. Stable for all x.
    Raises: ValueError for other shapes.
    Source: dpnn/README.md#nn.SpatialBinaryLogisticRegression.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f"{f7.SpatialBinaryLogisticRegression()(jnp.zeros((1, 1, 2)), jnp.ones((1, 1, 2))).item():.3f}"
    '0.347'
    """

    size_average: bool = True

    def loss(self, input: Value, target: Value) -> jax.Array:
        if input.ndim not in (3, 4) or input.shape[-3] != 1 or input.shape != target.shape:
            raise expected(self, "images of 1 channel and a target of that shape, 3D or 4D", [input, target])
        count = 2 * input.shape[-1] * input.shape[-2]
        if self.size_average and input.ndim == 4:
            count *= len(input)
        return jax.nn.softplus(-target.astype(input.dtype) * input).sum() / count
