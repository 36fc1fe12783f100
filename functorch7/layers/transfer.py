"""Transfer functions: element by element, or along one dimension."""

from typing import Any

import jax
import jax.numpy as jnp

from ..core import Map, check_floating, expected


class Transfer(Map, abstract=True):
    """A function of a floating-point tensor: write `f(input)`. Integers and tables are refused, as in Torch."""

    def forward(self, params: Any, buffers: Any, input: Any, *, key: Any, train: bool) -> tuple[Any, Any]:
        check_floating(self, input)
        return self.f(input), buffers


class Tanh(Transfer):
    """y = tanh(x).

    Shape: any, kept.
    Source: nn/doc/transfer.md#nn.Tanh.
    """

    def f(self, input: Any) -> Any:
        return jnp.tanh(input)


class Sigmoid(Transfer):
    """y = 1 / (1 + exp(-x)).

    Shape: any, kept.
    Source: nn/doc/transfer.md#nn.Sigmoid.
    """

    def f(self, input: Any) -> Any:
        return jax.nn.sigmoid(input)


class Threshold(Transfer):
    """y = x where x > threshold, else value; the gradient passes where x > threshold.

    Shape: any, kept.  `inplace` is accepted and changes no value.
    Raises: TypeError if threshold or value is no number, or inplace no boolean; ValueError if inplace and
    value > threshold, as Torch7.
    Source: nn/doc/transfer.md#nn.Threshold.
    """

    threshold: float = 1e-6
    val: float = 0
    inplace: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.threshold, (int, float)) or not isinstance(self.val, (int, float)):
            raise TypeError(f"nn.Threshold(threshold, value): expected numbers, got {self.threshold!r}, {self.val!r}")
        if not isinstance(self.inplace, bool):
            raise TypeError(f"{self.torch_name()}: in-place flag must be boolean, got {self.inplace!r}")
        if self.inplace and self.val > self.threshold:
            raise ValueError(
                f"{self.torch_name()}: in-place processing requires value ({self.val}) not exceed "
                f"threshold ({self.threshold})"
            )

    def f(self, input: Any) -> Any:
        return jnp.where(input > self.threshold, input, jnp.asarray(self.val, input.dtype))


class ReLU(Threshold):
    """y = max(0, x); the gradient at 0 is 0.

    Shape: any, kept.  `inplace` is accepted and changes no value.
    Source: nn/doc/transfer.md#nn.ReLU.
    """

    inplace: bool = False

    def __init__(self, inplace: bool = False):
        self._set(threshold=0, val=0, inplace=inplace)
        self.__post_init__()


def class_axis(module: Any, input: Any) -> int:
    """The axis of the classes: that of a vector, a batch of vectors, a C x H x W image or a batch of them."""
    if not 1 <= input.ndim <= 4:
        raise expected(module, "a 1D, 2D, 3D or 4D tensor", input)
    return 0 if input.ndim in (1, 3) else 1


class SoftMax(Transfer):
    """y_i = exp(x_i - max x) / sum_j exp(x_j - max x).

    Shape: (n), (B, n), (C, H, W) over C, or (B, C, H, W) over C; kept.
    Raises: ValueError for more dimensions.
    Source: nn/doc/transfer.md#nn.SoftMax.
    """

    def f(self, input: Any) -> Any:
        return jax.nn.softmax(input, axis=class_axis(self, input))


class LogSoftMax(Transfer):
    """y_i = x_i - log sum_j exp(x_j).

    Shape: (n), (B, n), (C, H, W) over C, or (B, C, H, W) over C; kept.
    Raises: ValueError for more dimensions.
    Source: nn/doc/transfer.md#nn.LogSoftMax.
    """

    def f(self, input: Any) -> Any:
        return jax.nn.log_softmax(input, axis=class_axis(self, input))
