"""Transfer functions: element by element, or along one dimension."""

from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from ..core import Map, axis, check_floating, expected
from ..network import number


class Transfer(Map, abstract=True):
    """A function of a floating-point tensor: write `f(input)`. Integers and tables are refused, as in Torch.

    A field `inplace` is accepted and changes no value.
    """

    def __post_init__(self) -> None:
        inplace = getattr(self, "inplace", False)
        if not isinstance(inplace, bool):
            raise TypeError(f"{self.torch_name()}: in-place flag must be boolean, got {inplace!r}")

    def forward(self, params: Any, buffers: Any, input: Any, *, key: Any, train: bool) -> tuple[Any, Any]:
        check_floating(self, input)
        return self.f(input), buffers


class Tanh(Transfer):
    """y = tanh(x).

    Shape: any, kept.
    Raises: TypeError for integers.
    Source: nn/doc/transfer.md#nn.Tanh.
    """

    def f(self, input: Any) -> Any:
        return jnp.tanh(input)


class Sigmoid(Transfer):
    """y = 1 / (1 + exp(-x)).

    Shape: any, kept.
    Raises: TypeError for integers.
    Source: nn/doc/transfer.md#nn.Sigmoid.
    """

    def f(self, input: Any) -> Any:
        return jax.nn.sigmoid(input)


class TanhShrink(Transfer):
    """y = x - tanh(x).

    Shape: any, kept.
    Raises: TypeError for integers.
    Source: nn, TanhShrink.lua.
    """

    def f(self, input: Any) -> Any:
        return input - jnp.tanh(input)


class HardTanh(Transfer):
    """y = min_val where x < min_val, max_val where x > max_val, else x; the gradient passes strictly between.

    Shape: any, kept.  `inplace` is accepted and changes no value.
    Raises: ValueError unless min_val < max_val; TypeError for integers.
    Source: nn/doc/transfer.md#nn.HardTanh.
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

    def f(self, input: Any) -> Any:
        limit = jnp.where(input > self.min_val, self.max_val, self.min_val).astype(input.dtype)
        return jnp.where((input > self.min_val) & (input < self.max_val), input, limit)


class Clamp(HardTanh):
    """y = x kept between two limits; the gradient passes strictly between.

    Shape: any, kept.
    Raises: ValueError unless min_val < max_val; TypeError for integers.
    Source: nn/doc/simple.md#nn.Clamp.
    """


class HardShrink(Transfer):
    """y = x where |x| > lambda, else 0.

    Shape: any, kept.
    Raises: TypeError for integers.
    Source: nn/doc/transfer.md#nn.HardShrink.
    """

    tunable: ClassVar[tuple[str, ...]] = ("lambda_",)

    lambda_: float = 0.5

    def f(self, input: Any) -> Any:
        return jnp.where((input > self.lambda_) | (input < -self.lambda_), input, 0)


class SoftShrink(Transfer):
    """y = x - lambda where x > lambda, x + lambda where x < -lambda, else 0.

    Shape: any, kept.
    Raises: TypeError for integers.
    Source: nn/doc/transfer.md#nn.SoftShrink.
    """

    tunable: ClassVar[tuple[str, ...]] = ("lambda_",)

    lambda_: float = 0.5

    def f(self, input: Any) -> Any:
        above, below = input > self.lambda_, input < -self.lambda_
        return jnp.where(above, input - self.lambda_, jnp.where(below, input + self.lambda_, 0))


class SoftPlus(Transfer):
    """y = log(1 + exp(beta x)) / beta; x itself where beta x > threshold.

    Shape: any, kept.
    Raises: TypeError for integers.
    Source: nn/doc/transfer.md#nn.SoftPlus.
    """

    beta: float = 1
    threshold: float = 20
    tunable: ClassVar[tuple[str, ...]] = ("beta", "threshold")

    @number
    def inverse(self) -> float:
        """What the logarithm is multiplied by."""
        return 1 / self.beta

    def f(self, input: Any) -> Any:
        linear = input * self.beta > self.threshold
        scaled = jnp.where(linear, 0, input * self.beta)  # so that no exponential overflows
        return jnp.where(linear, input, jnp.log1p(jnp.exp(scaled)) * self.inverse)


class SoftSign(Transfer):
    """y = x / (1 + |x|).

    Shape: any, kept.
    Raises: TypeError for integers.
    Source: nn/doc/transfer.md#nn.SoftSign.
    """

    def f(self, input: Any) -> Any:
        return input / (1 + jnp.where(input >= 0, input, -input))


class LogSigmoid(Transfer):
    """y = log(1 / (1 + exp(-x))).

    Shape: any, kept.
    Raises: TypeError for integers.
    Source: nn/doc/transfer.md#nn.LogSigmoid.
    """

    def f(self, input: Any) -> Any:
        return jax.nn.log_sigmoid(input)


class GatedLinearUnit(Transfer):
    """y = x1 * sigmoid(x2), where x1 and x2 are the halves of dimension `dim` (the last by default).

    Shape: (..., 2 n, ...) -> (..., n, ...).
    Raises: ValueError if the dimension's size is odd; TypeError for integers.
    Source: nn/doc/transfer.md#nn.GatedLinearUnit; Dauphin et al., 2016.
    """

    dim: int | None = None

    def f(self, input: Any) -> Any:
        along = axis(self, self.dim or -1, input.ndim)
        if input.shape[along] % 2:
            raise expected(self, f"an even size to halve in dimension {along + 1}", input)
        values, gates = jnp.split(input, 2, along)
        return values * jax.nn.sigmoid(gates)


def class_axis(module: Any, input: Any) -> int:
    """The axis of the classes: that of a vector, a batch of vectors, a C x H x W image or a batch of them."""
    if not 1 <= input.ndim <= 4:
        raise expected(module, "a 1D, 2D, 3D or 4D tensor", input)
    return 0 if input.ndim in (1, 3) else 1


class SoftMax(Transfer):
    """y_i = exp(x_i - max x) / sum_j exp(x_j - max x).

    Shape: (n), (B, n), (C, H, W) over C, or (B, C, H, W) over C; kept.
    Raises: ValueError for more dimensions; TypeError for integers.
    Source: nn/doc/transfer.md#nn.SoftMax.
    """

    def f(self, input: Any) -> Any:
        return jax.nn.softmax(input, axis=class_axis(self, input))


class SoftMin(Transfer):
    """y = SoftMax(-x).

    Shape: (n), (B, n), (C, H, W) over C, or (B, C, H, W) over C; kept.
    Raises: ValueError for more dimensions; TypeError for integers.
    Source: nn/doc/transfer.md#nn.SoftMin.
    """

    def f(self, input: Any) -> Any:
        return jax.nn.softmax(-input, axis=class_axis(self, input))


class LogSoftMax(Transfer):
    """y_i = x_i - log sum_j exp(x_j).

    Shape: (n), (B, n), (C, H, W) over C, or (B, C, H, W) over C; kept.
    Raises: ValueError for more dimensions; TypeError for integers.
    Source: nn/doc/transfer.md#nn.LogSoftMax.
    """

    def f(self, input: Any) -> Any:
        return jax.nn.log_softmax(input, axis=class_axis(self, input))


class SpatialSoftMax(SoftMax):
    """SoftMax over the features at each location.

    Shape: (n), (B, n), (C, H, W) over C, or (B, C, H, W) over C; kept.
    Raises: ValueError for more dimensions; TypeError for integers.
    Source: nn/doc/transfer.md#nn.SpatialSoftMax.
    """


class SpatialLogSoftMax(LogSoftMax):
    """LogSoftMax over the features at each location.

    Shape: (n), (B, n), (C, H, W) over C, or (B, C, H, W) over C; kept.
    Raises: ValueError for more dimensions; TypeError for integers.
    Source: nn/doc/transfer.md#nn.SpatialLogSoftMax.
    """
