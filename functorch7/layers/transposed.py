"""Transposed ("full") convolutions: the gradients of convolutions, as layers."""

import math
from typing import ClassVar

import jax

from ..core import Layer, builder, check_positive, expected, in_dtype_of, spread
from .convolving_transposed import Places, convolve_transposed
from .initializers import split, uniform
from .merging import merged
from .windows import Windows


class FullConvolution(Windows, Layer, abstract=True):
    """Transposed convolution with learned kernels: subclasses declare the fields."""

    scaled_axes = {"weight": 1}

    def __post_init__(self) -> None:
        check_positive(self, n_input_plane=self.n_input_plane, n_output_plane=self.n_output_plane)
        self.check_windows()
        if any(adj > d - 1 for adj, d in zip(self.window("adj"), self.window("d"), strict=True)):
            raise ValueError(f"{self}: expected adjustments smaller than the stride, got {self.joined('adj')}")

    def init_params(self, key: jax.Array, stdv: float | None = None) -> dict[str, jax.Array]:
        shape = (self.n_input_plane, self.n_output_plane, *self.window("k"))
        fan_in = self.n_input_plane * math.prod(self.window("k"))
        weight_key, bias_key = split(key)
        params = {"weight": uniform(weight_key, shape, fan_in, stdv)}
        if self.bias:
            params["bias"] = uniform(bias_key, (self.n_output_plane,), fan_in, stdv)
        return params

    def adjustment(self, sizes: tuple[int, ...], wanted: tuple[int, ...] | None) -> tuple[int, ...]:
        """The sizes added at the far ends: the fields adj, or the difference to the requested sizes."""
        if wanted is None:
            return self.window("adj")
        kernel, stride, padding, _ = self.geometry()
        return tuple((w + 2 * pad - k) % d for w, k, d, pad in zip(wanted, kernel, stride, padding, strict=True))

    def f(self, params: dict[str, jax.Array], input: jax.Array) -> jax.Array:
        wanted = None
        if isinstance(input, (list, tuple)):
            if len(input) < 2:
                raise expected(self, "a tensor, or a table of a tensor and one whose sizes the output takes", input)
            wanted = input[1].shape[-len(self.axes) :]
            input = input[0]
        self.check_rank(input, self.n_input_plane)
        dims, weight = len(self.axes), params["weight"]
        images = merged(in_dtype_of(self, input, weight), dims + 1)
        adjustment = self.adjustment(images.shape[2:], wanted)
        places = Places(self.window("d"), self.window("pad"), adjustment)
        if min(places.sizes(images.shape[2:], self.window("k"))) < 1:
            raise expected(self, "an input whose output has at least one element", input)
        output = convolve_transposed(images, weight, *places)
        if self.bias:
            output = output + spread(params["bias"], output.shape, (1, -1, *(1 for _ in self.axes)))
        return output.reshape(input.shape[: -1 - dims] + output.shape[1:])

    @builder
    def no_bias(self) -> "FullConvolution":
        """The same layer without bias."""
        return self.replace(bias=False)

    def printed(self) -> str:
        text = f"{self.type_name()}({self.n_input_plane} -> {self.n_output_plane}, {self.joined('k', 'x')}"
        return text + self.printed_steps() + self.printed_end()

    def printed_end(self) -> str:
        """What stands after the numbers."""
        return ")" if self.bias else ") without bias"


class SpatialFullConvolution(FullConvolution):
    """y[o, p, q] = b_o + sum_{c, i, j} w[c, o, p + padh - i dh, q + padw - j dw] x[c, i, j]: transposed convolution of
    images, plus a bias per output plane.

    Shape: (C, H, W) or (B, C, H, W) -> n_output_plane planes of (size - 1) d - 2 pad + k + adj. A table [input, other]
    takes adj such that the output is as large as `other`, whose gradient is zero.
    Parameters: weight (n_input_plane, n_output_plane, kh, kw), bias (n_output_plane,); both uniform on
    +-1/sqrt(kw * kh * n_input_plane), or +-stdv * sqrt(3).
    Raises: ValueError for other ranks or plane counts, adj >= d, and outputs without elements.
    Source: nn/doc/convolution.md#nn.SpatialFullConvolution.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SpatialFullConvolution(16, 3, 4, 4, 2, 2, 1, 1), (8, 16, 12, 12))
    (8, 3, 24, 24)
    """

    n_input_plane: int
    n_output_plane: int
    kw: int
    kh: int
    dw: int = 1
    dh: int = 1
    padw: int = 0
    padh: int = 0
    adjw: int = 0
    adjh: int = 0
    bias: bool = True


class VolumetricFullConvolution(FullConvolution):
    """y[o, u, p, q] = b_o + sum_{c, t, i, j} w[c, o, u + padt - t dt, p + padh - i dh, q + padw - j dw] x[c, t, i, j]:
    transposed convolution of volumes, plus a bias per output plane.

    Shape: (C, T, H, W) or (B, C, T, H, W) -> planes of (size - 1) d - 2 pad + k + adj; tables as for
    SpatialFullConvolution.
    Parameters: weight (n_input_plane, n_output_plane, kt, kh, kw), bias (n_output_plane,); both uniform on
    +-1/sqrt(kt * kw * kh * n_input_plane), or +-stdv * sqrt(3).
    Raises: as SpatialFullConvolution.
    Source: nn/doc/convolution.md#nn.VolumetricFullConvolution.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.VolumetricFullConvolution(16, 3, 4, 4, 4, 2, 2, 2, 1, 1, 1), (8, 16, 5, 12, 12))
    (8, 3, 10, 24, 24)
    """

    axes: ClassVar[str] = "thw"
    printed_axes: ClassVar[str] = "twh"

    n_input_plane: int
    n_output_plane: int
    kt: int
    kw: int
    kh: int
    dt: int = 1
    dw: int = 1
    dh: int = 1
    padt: int = 0
    padw: int = 0
    padh: int = 0
    adjt: int = 0
    adjw: int = 0
    adjh: int = 0
    bias: bool = True

    def printed_end(self) -> str:
        return ")"
