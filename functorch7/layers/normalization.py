"""Normalisation by statistics of the batch."""

from functools import partial
from math import prod
from typing import ClassVar

import jax
import jax.numpy as jnp
from jax import lax

from ..core import Module, check_floating, check_positive, expected, expose
from ..core.precision import at_least_float32
from ..core.types import Array, Key, State, Tree
from ..network import number
from .initializers import between, filled

# The gradient keeps the input and the statistics of each feature, and no shifted copies of the input.
_keeping_the_input = partial(
    jax.checkpoint, prevent_cse=False, policy=lambda operation, *_, **__: operation is lax.reduce_sum_p
)


@partial(_keeping_the_input, static_argnums=1)
def _moments(x: Array, axes: tuple[int, ...]) -> tuple[Array, Array]:
    """Mean and biased variance in one pass, in float32 at least.

    Both are taken around the first element of each feature: the plain difference E[x^2] - E[x]^2 loses all
    digits when the mean is large compared with the spread.
    """
    x = x.astype(at_least_float32(x.dtype))
    origin = lax.stop_gradient(x[tuple(slice(0, 1) if a in axes else slice(None) for a in range(x.ndim))])
    offset = x - origin
    mean = offset.mean(axes)
    variance = jnp.maximum((offset * offset).mean(axes) - mean * mean, 0)
    return mean + origin.reshape(mean.shape), variance


@_keeping_the_input
def _scaled(x: Array, mean: Array, scale: Array, *weight: Array) -> Array:
    return (x.astype(scale.dtype) - mean) * prod(weight, start=scale)


class BatchNormalization(Module):
    """y = (x - mean) / sqrt(var + eps) * weight + bias, per feature (dimension 2).

    Training uses the batch's mean and biased variance, evaluation (and a batch of one element per feature)
    the running ones.
    Shape: (B, n_output), kept; in evaluation also (n_output,), which gives (1, n_output).
    Parameters (if affine): weight (n_output,), uniform on [0, 1); bias (n_output,), zeros.
    Buffers: running_mean (n_output,), from 0; running_var (n_output,), from 1, of the *unbiased* variance; each
    becomes (1 - momentum) * old + momentum * new in training.
    Exposes: save_mean, save_std (the inverse standard deviation) of a training call.
    Raises: ValueError if the input is not B x n_output.
    Differs from Torch7: n_output = 0 is refused (write affine=False).
    Source: nn/doc/convolution.md#nn.BatchNormalization; Ioffe & Szegedy, 2015.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.BatchNormalization(4), (8, 4))
    (8, 4)
    >>> sorted(f7.BatchNormalization(4).init_buffers())
    ['running_mean', 'running_var']
    """

    n_output: int
    eps: float = 1e-5
    momentum: float = 0.1
    affine: bool = True

    ndim: ClassVar[int] = 2
    exposes: ClassVar[tuple[str, ...]] = ("save_mean", "save_std")
    tunable: ClassVar[tuple[str, ...]] = ("eps", "momentum")

    def __post_init__(self) -> None:
        check_positive(self, n_output=self.n_output)

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        if not self.affine:
            return {}
        return {"weight": between(key, (self.n_output,)), "bias": filled(self.n_output, 0.0)}

    def init_buffers(self) -> State:
        return {"running_mean": filled(self.n_output, 0.0), "running_var": filled(self.n_output, 1.0)}

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        check_floating(self, input)
        if not train and input.ndim == self.ndim - 1:
            input = input[None]
        if input.ndim != self.ndim or input.shape[1] != self.n_output:
            raise expected(self, f"a mini-batch ({self.ndim}D) with {self.n_output} features in dimension 2", input)
        per_feature = tuple(-1 if a == 1 else 1 for a in range(self.ndim))
        count = input.size // self.n_output
        if train and len(input) > 1:
            mean, variance = _moments(input, tuple(a for a in range(self.ndim) if a != 1))
            buffers = {
                "running_mean": self._moved(buffers["running_mean"], mean),
                "running_var": self._moved(buffers["running_var"], variance * (count / (count - 1))),
            }
        else:
            precise = at_least_float32(input.dtype)
            mean, variance = (buffers[name].astype(precise) for name in ("running_mean", "running_var"))
        scale = lax.rsqrt(variance + self.eps)
        if train:
            expose(save_mean=mean, save_std=scale)
        weight = [params["weight"].astype(scale.dtype)] if self.affine else []
        output = _scaled(input, *(each.reshape(per_feature) for each in (mean, scale, *weight)))
        if self.affine:
            output = output + params["bias"].astype(output.dtype).reshape(per_feature)
        return output.astype(input.dtype), buffers

    def _moved(self, running: Array, value: Array) -> Array:
        value = lax.stop_gradient(value).astype(running.dtype)
        return running * self.inertia + value * self.momentum

    @number
    def inertia(self) -> float:
        """The share of the old statistics that is kept."""
        return 1 - self.momentum

    def printed(self) -> str:
        return f"{self.type_name()} ({self.ndim}D) ({self.n_output})"


class SpatialBatchNormalization(BatchNormalization):
    """y = (x - mean) / sqrt(var + eps) * weight + bias: BatchNormalization of each feature map, over batch and pixels.

    Shape: (B, n_output, H, W), kept; in evaluation also (n_output, H, W), which gives a batch of one.
    Parameters, buffers, errors: as BatchNormalization. A batch of one example uses the running statistics.
    Source: nn/doc/convolution.md#nn.SpatialBatchNormalization.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SpatialBatchNormalization(4), (8, 4, 12, 12))
    (8, 4, 12, 12)
    """

    ndim: ClassVar[int] = 4


class VolumetricBatchNormalization(BatchNormalization):
    """y = (x - mean) / sqrt(var + eps) * weight + bias: BatchNormalization of each feature map, over batch, time and
    pixels.

    Shape: (B, n_output, T, H, W), kept; in evaluation also (n_output, T, H, W), which gives a batch of one.
    Parameters, buffers, errors: as BatchNormalization. A batch of one example uses the running statistics.
    Source: nn/doc/convolution.md#nn.VolumetricBatchNormalization.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.VolumetricBatchNormalization(4), (8, 4, 10, 12, 12))
    (8, 4, 10, 12, 12)
    """

    ndim: ClassVar[int] = 5
