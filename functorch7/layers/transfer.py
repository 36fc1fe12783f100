"""Transfer functions: element by element, or along one dimension."""

from typing import ClassVar

import jax
import jax.numpy as jnp

from ..core import Map, axis, check_floating, expected, is_concrete
from ..core.module import Module
from ..core.precision import in_float32
from ..core.straight_through import derived_as
from ..core.types import Array, Key, Tree
from ..network import number
from .frugal import sigmoid, tanh, where


class Transfer(Map, abstract=True):
    """A function of a floating-point tensor: write `f(input)`. Integers and tables are refused, as in Torch.

    A field `inplace` is accepted and changes no value.
    """

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        check_floating(self, input)
        return self.f(input), buffers


class Tanh(Transfer):
    """y = tanh(x).

    Shape: any, kept.
    Raises: TypeError for integers.
    Source: nn/doc/transfer.md#nn.Tanh.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> [f"{y:.3f}" for y in f7.Tanh().apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()]
    ['-0.762', '0.000', '0.964']
    """

    def f(self, input: Array) -> Array:
        return tanh(input)


class Sigmoid(Transfer):
    """y = 1 / (1 + exp(-x)).

    Shape: any, kept.
    Raises: TypeError for integers.
    Source: nn/doc/transfer.md#nn.Sigmoid.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> [f"{y:.3f}" for y in f7.Sigmoid().apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()]
    ['0.269', '0.500', '0.881']
    """

    def f(self, input: Array) -> Array:
        return sigmoid(input)


class TanhShrink(Transfer):
    """y = x - tanh(x).

    Shape: any, kept.
    Raises: TypeError for integers.
    Source: nn, TanhShrink.lua.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> [f"{y:.3f}" for y in f7.TanhShrink().apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()]
    ['-0.238', '0.000', '1.036']
    """

    @in_float32
    def f(self, input: Array) -> Array:
        return input - jnp.tanh(input)


class HardTanh(Transfer):
    """y = min_val where x < min_val, max_val where x > max_val, else x; the gradient passes strictly between.

    Shape: any, kept.  `inplace` is accepted and changes no value.
    Raises: ValueError unless min_val < max_val; TypeError for integers.
    Source: nn/doc/transfer.md#nn.HardTanh.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.HardTanh().apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()
    [-1.0, 0.0, 1.0]
    """

    tunable: ClassVar[tuple[str, ...]] = ("min_val", "max_val")

    min_val: float = -1
    max_val: float = 1
    inplace: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.max_val > self.min_val:
            name = self.torch_name()
            raise ValueError(f"{name}: max_value must be larger than min_value, got {self.min_val}, {self.max_val}")

    def f(self, input: Array) -> Array:
        limit = jnp.where(input > self.min_val, self.max_val, self.min_val).astype(input.dtype)
        return where((input > self.min_val) & (input < self.max_val), input, limit)


class Clamp(HardTanh):
    """y = max(min_val, min(x, max_val)): x kept between two limits; the gradient passes strictly between.

    Shape: any, kept.
    Raises: ValueError unless min_val < max_val; TypeError for integers.
    Source: nn/doc/simple.md#nn.Clamp.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.Clamp(0, 1).apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()
    [0.0, 0.0, 1.0]
    """


class HardShrink(Transfer):
    """y = x where |x| > lambda, else 0.

    Shape: any, kept.
    Raises: TypeError for integers.
    Source: nn/doc/transfer.md#nn.HardShrink.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.HardShrink(1.5).apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()
    [0.0, 0.0, 2.0]
    """

    tunable: ClassVar[tuple[str, ...]] = ("lambda_",)

    lambda_: float = 0.5

    def f(self, input: Array) -> Array:
        return where((input > self.lambda_) | (input < -self.lambda_), input, 0)


class SoftShrink(Transfer):
    """y = x - lambda where x > lambda, x + lambda where x < -lambda, else 0.

    Shape: any, kept.
    Raises: TypeError for integers.
    Source: nn/doc/transfer.md#nn.SoftShrink.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.SoftShrink(0.5).apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()
    [-0.5, 0.0, 1.5]
    """

    tunable: ClassVar[tuple[str, ...]] = ("lambda_",)

    lambda_: float = 0.5

    def f(self, input: Array) -> Array:
        above, below = input > self.lambda_, input < -self.lambda_
        return jnp.where(above, input - self.lambda_, jnp.where(below, input + self.lambda_, 0))


class SoftPlus(Transfer):
    """y = log(1 + exp(beta x)) / beta; x itself where beta x > threshold.

    Shape: any, kept.
    Raises: ValueError for a beta of 0; TypeError for integers.
    Source: nn/doc/transfer.md#nn.SoftPlus.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> [f"{y:.3f}" for y in f7.SoftPlus().apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()]
    ['0.313', '0.693', '2.127']
    """

    beta: float = 1
    threshold: float = 20
    tunable: ClassVar[tuple[str, ...]] = ("beta", "threshold")

    def __post_init__(self) -> None:
        super().__post_init__()
        if is_concrete(self.beta) and self.beta == 0:
            raise ValueError(f"{self.torch_name()}: expected a beta that is not 0, got {self.beta}")

    @number
    def inverse(self) -> float:
        """The factor of the logarithm."""
        return 1 / self.beta

    def f(self, input: Array) -> Array:
        scaled = input * self.beta
        # No exponential overflows; as precise as jax.nn.softplus, in two thirds of its time with the gradient. Not
        # -|x|, whose derivative at 0 is -1 in JAX.
        smooth = jnp.maximum(scaled, 0) + jnp.log1p(jnp.exp(jnp.minimum(scaled, -scaled)))
        return jnp.where(scaled > self.threshold, input, smooth * self.inverse)


class SoftSign(Transfer):
    """y = x / (1 + |x|).

    Shape: any, kept.
    Raises: TypeError for integers.
    Source: nn/doc/transfer.md#nn.SoftSign.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> [f"{y:.3f}" for y in f7.SoftSign().apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()]
    ['-0.500', '0.000', '0.667']
    """

    @in_float32
    def f(self, input: Array) -> Array:
        size = 1 + jnp.where(input >= 0, input, -input)
        # Derived from this, 1 / (1 + |x|)^2 would be a difference, which has no digits left where x is large.
        return derived_as(input / size, jnp.where(input >= 0, -1, 1) / size)


class LogSigmoid(Transfer):
    """y = log(1 / (1 + exp(-x))).

    Shape: any, kept.
    Raises: TypeError for integers.
    Source: nn/doc/transfer.md#nn.LogSigmoid.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> [f"{y:.3f}" for y in f7.LogSigmoid().apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()]
    ['-1.313', '-0.693', '-0.127']
    """

    def f(self, input: Array) -> Array:
        return jax.nn.log_sigmoid(input)


class GatedLinearUnit(Transfer):
    """y = x1 * sigmoid(x2), where x1 and x2 are the halves of dimension `dim` (the last by default).

    Shape: (..., 2 n, ...) -> (..., n, ...).
    Raises: ValueError for dimension 0 or beyond the input's, and if its size is odd; TypeError for integers.
    Source: nn/doc/transfer.md#nn.GatedLinearUnit; Dauphin et al., 2016.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.GatedLinearUnit().apply({}, {}, jnp.array([4.0, 6.0, 0.0, 0.0]))[0].tolist()
    [2.0, 3.0]
    """

    dim: int | None = None

    def f(self, input: Array) -> Array:
        along = axis(self, -1 if self.dim is None else self.dim, input.ndim)
        if input.shape[along] % 2:
            raise expected(self, f"an even size to halve in dimension {along + 1}", input)
        values, gates = jnp.split(input, 2, along)
        return values * jax.nn.sigmoid(gates)


def class_axis(module: Module, input: Array) -> int:
    """The axis of the classes: that of a vector, a batch of vectors, a C x H x W image or a batch of them."""
    if not 1 <= input.ndim <= 4:
        raise expected(module, "a 1D, 2D, 3D or 4D tensor", input)
    return 0 if input.ndim in (1, 3) else 1


class SoftMax(Transfer):
    """y_i = exp(x_i - max x) / sum_j exp(x_j - max x).

    Shape: (n), (B, n), (C, H, W) over C, or (B, C, H, W) over C; kept.
    Raises: ValueError for more dimensions; TypeError for integers.
    Source: nn/doc/transfer.md#nn.SoftMax.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> [f"{y:.3f}" for y in f7.SoftMax().apply({}, {}, jnp.log(jnp.array([1.0, 3.0, 4.0])))[0].tolist()]
    ['0.125', '0.375', '0.500']
    """

    def f(self, input: Array) -> Array:
        return jax.nn.softmax(input, axis=class_axis(self, input))


class SoftMin(Transfer):
    """y = SoftMax(-x).

    Shape: (n), (B, n), (C, H, W) over C, or (B, C, H, W) over C; kept.
    Raises: ValueError for more dimensions; TypeError for integers.
    Source: nn/doc/transfer.md#nn.SoftMin.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> [f"{y:.3f}" for y in f7.SoftMin().apply({}, {}, jnp.zeros(3))[0].tolist()]
    ['0.333', '0.333', '0.333']
    """

    def f(self, input: Array) -> Array:
        return jax.nn.softmax(-input, axis=class_axis(self, input))


class LogSoftMax(Transfer):
    """y_i = x_i - log sum_j exp(x_j).

    Shape: (n), (B, n), (C, H, W) over C, or (B, C, H, W) over C; kept.
    Raises: ValueError for more dimensions; TypeError for integers.
    Source: nn/doc/transfer.md#nn.LogSoftMax.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> [f"{y:.3f}" for y in f7.LogSoftMax().apply({}, {}, jnp.zeros(3))[0].tolist()]
    ['-1.099', '-1.099', '-1.099']
    """

    def f(self, input: Array) -> Array:
        return jax.nn.log_softmax(input, axis=class_axis(self, input))


class SpatialSoftMax(SoftMax):
    """y[c, i, j] = exp(x[c, i, j]) / sum_k exp(x[k, i, j]): SoftMax over the features at each location.

    Shape: (n), (B, n), (C, H, W) over C, or (B, C, H, W) over C; kept.
    Raises: ValueError for more dimensions; TypeError for integers.
    Source: nn/doc/transfer.md#nn.SpatialSoftMax.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SpatialSoftMax(), (8, 16, 12, 12))  # the 16 numbers of a pixel add up to 1
    (8, 16, 12, 12)
    """


class SpatialLogSoftMax(LogSoftMax):
    """y[c, i, j] = x[c, i, j] - log sum_k exp(x[k, i, j]): LogSoftMax over the features at each location.

    Shape: (n), (B, n), (C, H, W) over C, or (B, C, H, W) over C; kept.
    Raises: ValueError for more dimensions; TypeError for integers.
    Source: nn/doc/transfer.md#nn.SpatialLogSoftMax.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SpatialLogSoftMax(), (8, 16, 12, 12))
    (8, 16, 12, 12)
    """
