"""Losses between tensors of numbers."""

import jax
import jax.numpy as jnp
import numpy as np

from ..core import const, expected
from ..core.arrays import Numbers
from ..core.types import Value
from .base import Averaged, Criterion, size_of


class MSECriterion(Averaged):
    """sum_i (x_i - y_i)^2, divided by the number of elements if size_average.

    Shape: input and target of one element count, in any shape -> scalar.
    Raises: ValueError if the element counts differ.
    Source: nn/doc/criterion.md#nn.MSECriterion.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.MSECriterion()(jnp.array([1.0, 2.0]), jnp.array([1.0, 4.0])).item()
    2.0
    """

    size_average: bool = True

    def each(self, input: jax.Array, target: jax.Array) -> jax.Array:
        return jnp.square(input - target)


class AbsCriterion(Averaged):
    """sum_i |x_i - y_i|, divided by the number of elements if size_average; the derivative at 0 is 1.

    Shape: input and target of one element count, in any shape -> scalar.
    Raises: ValueError if the element counts differ.
    Source: nn/doc/criterion.md#nn.AbsCriterion.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.AbsCriterion()(jnp.array([1.0, 2.0]), jnp.array([1.0, 4.0])).item()
    1.0
    """

    size_average: bool = True

    def each(self, input: jax.Array, target: jax.Array) -> jax.Array:
        return jnp.where(input >= target, input - target, target - input)


class SmoothL1Criterion(Averaged):
    """sum_i of d^2 / 2 where |d| < 1, else |d| - 1/2, with d = x_i - y_i; divided by the count if size_average.

    Shape: input and target of one element count, in any shape -> scalar.
    Raises: ValueError if the element counts differ.
    Source: nn/doc/criterion.md#nn.SmoothL1Criterion; Girshick, 2015.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.SmoothL1Criterion()(jnp.array([1.0, 2.0]), jnp.array([1.5, 4.0])).item()
    0.8125
    """

    size_average: bool = True

    def each(self, input: jax.Array, target: jax.Array) -> jax.Array:
        size = jnp.abs(input - target)
        small = jnp.minimum(size, 1)  # whose square is finite, with a slope that is
        return jnp.where(size < 1, 0.5 * small * small, size - 0.5)


class DistKLDivCriterion(Averaged):
    """sum_i y_i (log y_i - x_i) over the y_i > 0, divided by the number of all elements if size_average.

    Shape: log-probabilities and probabilities of one shape -> scalar.
    Raises: ValueError if the shapes differ.
    Source: nn/doc/criterion.md#nn.DistKLDivCriterion.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f"{f7.DistKLDivCriterion()(jnp.log(jnp.array([0.5, 0.5])), jnp.array([1.0, 0.0])).item():.3f}"
    '0.347'
    """

    size_average: bool = True

    def loss(self, input: jax.Array, target: jax.Array) -> jax.Array:
        if input.shape != target.shape:
            raise expected(self, f"a target of the input's shape {tuple(input.shape)}", target)
        return super().loss(input, target)

    def each(self, input: jax.Array, target: jax.Array) -> jax.Array:
        counted = target > 0
        return jnp.where(counted, target * (jnp.log(jnp.where(counted, target, 1)) - input), 0)


class WeightedMSECriterion(Averaged):
    """l = sum_i (x_i - w_i y_i)^2 / n: MSECriterion between x and w * y: the weight scales the target.

    Shape: as MSECriterion; w has the target's shape, or that of one example of a batch.
    Raises: ValueError if the element counts differ, or the weight fits neither.
    Source: nn/doc/criterion.md#nn.WeightedMSECriterion.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.WeightedMSECriterion([1.0, 0.5])(jnp.array([1.0, 2.0]), jnp.array([2.0, 4.0])).item()
    0.5
    """

    weight: Numbers
    size_average: bool = True

    def __post_init__(self) -> None:
        self._set(weight=const(self.weight))

    def loss(self, input: Value, target: Value) -> jax.Array:
        weight = jnp.asarray(np.asarray(self.weight), input.dtype)
        if target.shape not in (weight.shape, (*target.shape[:1], *weight.shape)):
            raise expected(self, f"a target of the weight's shape {weight.shape}, or a batch of such", target)
        weight = weight.reshape((1,) * (target.ndim - weight.ndim) + weight.shape)
        return super().loss(input, target.astype(input.dtype) * weight)

    def each(self, input: jax.Array, target: jax.Array) -> jax.Array:
        return jnp.square(input - target)


class SpatialAutoCropMSECriterion(Averaged):
    """sum_{c, i, j} (x[c, i, j] - y[c, p + i, q + j])^2, divided by the number of x's elements if size_average:
    MSECriterion between images and the centre of larger target images.

    Shape: (C, h, w) or (B, C, h, w), and a target with H >= h and W >= w -> scalar; the crop begins at
    p = floor((H - h) / 2) and q = floor((W - w) / 2), from 0.
    Raises: ValueError for other ranks, plane counts, and for smaller targets.
    Differs from Torch7: the gradient takes the larger target, too.
    Source: nn/doc/criterion.md#nn.SpatialAutoCropMSECriterion.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.SpatialAutoCropMSECriterion()(jnp.ones((1, 1, 1)), jnp.array([[[0.0, 3.0, 0.0]]])).item()
    4.0
    """

    size_average: bool = True

    def loss(self, input: jax.Array, target: jax.Array) -> jax.Array:
        if input.ndim not in (3, 4) or target.ndim != input.ndim or target.shape[:-2] != input.shape[:-2]:
            raise expected(self, f"a target like the input, 3D or 4D of shape {tuple(input.shape)}", target)
        room = [t - s for t, s in zip(target.shape[-2:], input.shape[-2:], strict=True)]
        if min(room) < 0:
            raise expected(self, f"a target no smaller than {input.shape[-2]} x {input.shape[-1]}", target)
        top, left = (r // 2 for r in room)
        height, width = input.shape[-2:]
        return super().loss(input, target[..., top : top + height, left : left + width])

    def each(self, input: jax.Array, target: jax.Array) -> jax.Array:
        return jnp.square(input - target)


class L1Cost(Criterion):
    """sum_i |x_i|; there is no target, and no mean. The derivative at 0 is 0.

    Shape: any -> scalar.
    Source: nn/doc/criterion.md#nn.L1Cost.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.L1Cost()(jnp.array([-1.0, 2.0])).item()
    3.0
    """

    def loss(self, input: jax.Array, target: jax.Array) -> jax.Array:
        return size_of(input).sum()
