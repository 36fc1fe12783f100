"""Layers over sequences of frames: time x features."""

from typing import ClassVar

import jax.numpy as jnp
from jax import lax

from ..core import Layer, Map, builder, check_floating, check_positive, expected, expose, in_dtype_of, spread
from ..core.precision import in_float32
from ..core.types import Array
from .first_maxima import max_pool
from .initializers import split, uniform, weight_and_bias
from .merging import merged
from .windows import Windows


class Temporal(Windows, abstract=True):
    """Modules with windows of kw frames, with a step of dw."""

    axes: ClassVar[str] = "w"
    printed_axes: ClassVar[str] = "w"

    def frames(self, input: Array, features: int | None = None, ranks: tuple[int, ...] = (2, 3)) -> int:
        """The number of windows in (T, F) or (B, T, F); ValueError for other inputs."""
        if input.ndim not in ranks or (features is not None and input.shape[-1] != features):
            dims = " or ".join(f"{rank}D" for rank in ranks)
            size = "" if features is None else f" with {features} features in the last dimension"
            raise expected(self, f"a {dims} tensor{size}", input)
        return self.counts(input[..., 0])[0]

    def taps(self, input: Array, count: int) -> list[Array]:
        """Frame i of every window, for each i."""
        k, d = self.window("k")[0], self.window("d")[0]
        return [lax.slice_in_dim(input, i, i + (count - 1) * d + 1, d, input.ndim - 2) for i in range(k)]


class TemporalConvolution(Temporal, Layer):
    """y_t = sum_k W_k x_(d (t - 1) + k) + b: a convolution over time.

    Shape: (T, input_frame_size) or (B, T, input_frame_size) -> floor((T - kw) / dw) + 1 frames of output_frame_size.
    Parameters: weight (output_frame_size, kw * input_frame_size), frame by frame, and bias (output_frame_size,); both
    uniform on +-1/sqrt(kw * input_frame_size), or +-stdv * sqrt(3).
    Raises: ValueError for other ranks or frame sizes, and for sequences shorter than kw.
    Source: nn/doc/convolution.md#nn.TemporalConvolution.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.TemporalConvolution(10, 6, 5, 2), (8, 31, 10))
    (8, 14, 6)
    """

    scaled_axes = {"weight": 0}

    input_frame_size: int
    output_frame_size: int
    kw: int
    dw: int = 1

    def __post_init__(self) -> None:
        check_positive(self, input_frame_size=self.input_frame_size, output_frame_size=self.output_frame_size)
        self.check_windows()

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        fan_in = self.kw * self.input_frame_size
        return weight_and_bias(key, (self.output_frame_size, fan_in), fan_in, True, stdv)

    def f(self, params: dict[str, Array], input: Array) -> Array:
        count, weight = self.frames(input, self.input_frame_size), params["weight"]
        windows = jnp.concatenate(self.taps(in_dtype_of(self, input, weight), count), -1)
        output = lax.dot_general(windows, weight, (((windows.ndim - 1,), (1,)), ((), ())))
        return output + spread(params["bias"], output.shape, (1,) * (output.ndim - 1) + (-1,))


class TemporalRowConvolution(Temporal, Layer):
    """y_t[i] = sum_k w_ik x_(d (t - 1) + k)[i] + b_i: each feature convolved with its own kernel over time.

    Shape: (T, F) or (B, T, F) -> floor((T - kw) / dw) + 1 frames; with feat_first, (F, T) or (B, F, T).
    Parameters: weight (F, 1, kw), bias (F,); both uniform on +-1/sqrt(kw * F), or +-stdv * sqrt(3).
    Raises: ValueError for other ranks or frame sizes, and for sequences shorter than kw.
    Source: nn/doc/convolution.md#nn.TemporalRowConvolution.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.TemporalRowConvolution(10, 5), (8, 31, 10))
    (8, 27, 10)
    """

    input_frame_size: int
    kw: int
    dw: int = 1
    feat_first: bool = False
    bias: bool = True

    def __post_init__(self) -> None:
        check_positive(self, input_frame_size=self.input_frame_size)
        self.check_windows()

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        shape = (self.input_frame_size, 1, self.kw)
        return weight_and_bias(key, shape, self.kw * self.input_frame_size, self.bias, stdv)

    def f(self, params: dict[str, Array], input: Array) -> Array:
        by_time = jnp.swapaxes(input, -1, -2) if self.feat_first and input.ndim > 1 else input
        count, weight = self.frames(by_time, self.input_frame_size), params["weight"]
        ones = (1,) * (input.ndim - 1)
        taps = self.taps(in_dtype_of(self, by_time, weight), count)
        products = [tap * spread(weight[:, 0, k], tap.shape, (*ones, -1)) for k, tap in enumerate(taps)]
        output = sum(products[1:], products[0])
        if self.bias:
            output = output + spread(params["bias"], output.shape, (*ones, -1))
        return jnp.swapaxes(output, -1, -2) if self.feat_first else output

    @builder
    def no_bias(self) -> "TemporalRowConvolution":
        """The same layer without bias."""
        return self.replace(bias=False)

    def printed(self) -> str:
        stride = "" if self.dw == 1 else f", {self.dw}"
        text = f"{self.type_name()}({self.input_frame_size}, {self.kw}{stride})"
        return text if self.bias else text + " without bias"


class TemporalSubSampling(Temporal, Layer):
    """y_t[i] = w_i sum_k x_(d (t - 1) + k)[i] + b_i.

    Shape: (T, input_frame_size) -> floor((T - kw) / dw) + 1 frames.
    Parameters: weight and bias (input_frame_size,), uniform on +-1/sqrt(kw), or +-stdv * sqrt(3).
    Raises: ValueError for other ranks or frame sizes, and for sequences shorter than kw.
    Source: nn/doc/convolution.md#nn.TemporalSubSampling.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> arrays = {"weight": jnp.array([2.0]), "bias": jnp.array([0.5])}
    >>> f7.TemporalSubSampling(1, 2, 2).apply(arrays, {}, jnp.array([[1.0], [2.0], [3.0], [4.0]]))[0].tolist()
    [[6.5], [14.5]]
    """

    input_frame_size: int
    kw: int
    dw: int = 1

    def __post_init__(self) -> None:
        check_positive(self, input_frame_size=self.input_frame_size)
        self.check_windows()

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        keys, shape = split(key), (self.input_frame_size,)
        return {name: uniform(k, shape, self.kw, stdv) for name, k in zip(("weight", "bias"), keys, strict=True)}

    @in_float32
    def f(self, params: dict[str, Array], input: Array) -> Array:
        count = self.frames(input, self.input_frame_size, (2,))
        taps = self.taps(in_dtype_of(self, input, params["weight"]), count)
        return sum(taps[1:], taps[0]) * params["weight"][None] + params["bias"][None]


class TemporalMaxPooling(Temporal, Map):
    """y_t = max_{k < kw} x_{t dw + k}: maximum of each feature over windows of kw frames, every dw (kw by default).

    Shape: (T, F) or (B, T, F) -> floor((T - kw) / dw) + 1 frames. The gradient goes to each window's first maximum.
    Exposes: indices, each maximum's frame, counted from 1.
    Raises: ValueError for other ranks, and for sequences shorter than kw.
    Differs from Torch7: its indices count within each window, from 0.
    Source: nn/doc/convolution.md#nn.TemporalMaxPooling.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.TemporalMaxPooling(2), (8, 30, 10))
    (8, 15, 10)
    """

    exposes: ClassVar[tuple[str, ...]] = ("indices",)

    kw: int
    dw: int | None = None

    def __post_init__(self) -> None:
        self._set(dw=self.kw if self.dw is None else self.dw)
        self.check_windows()

    def f(self, input: Array) -> Array:
        count = self.frames(input)
        check_floating(self, input)
        by_feature = jnp.swapaxes(input, -1, -2)
        best, position = max_pool(merged(by_feature, 1), self, (count,))

        def by_time(values: Array) -> Array:
            return jnp.swapaxes(values.reshape((*by_feature.shape[:-1], count)), -1, -2)

        expose(indices=by_time(position) + 1)
        return by_time(best)
