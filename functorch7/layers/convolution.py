"""Convolutions with one kernel for each pair of planes."""

import math
from dataclasses import field
from typing import ClassVar

from ..core import Layer, builder, check_positive, in_dtype_of, spread
from ..core.types import Array, Tree
from .convolving import convolve
from .initializers import weight_and_bias
from .merging import merged
from .windows import Windows


class Convolution(Windows, Layer, abstract=True):
    """Cross-correlation with learned kernels: subclasses declare the fields."""

    scaled_axes = {"weight": 0}

    def __post_init__(self) -> None:
        planes = {"n_input_plane": self.n_input_plane, "n_output_plane": self.n_output_plane}
        check_positive(self, **planes, groups=self.groups)
        if any(count % self.groups for count in planes.values()):
            counts = " and ".join(map(str, planes.values()))
            raise ValueError(f"{self.torch_name()}: expected planes in {self.groups} equal groups, got {counts}")
        self.check_windows()

    def kernel_shape(self) -> tuple[int, ...]:
        """The kernels' shape: n_output_plane x n_input_plane / groups x kernel."""
        return (self.n_output_plane, self.n_input_plane // self.groups, *self.window("k"))

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        shape = self.kernel_shape()
        return weight_and_bias(key, shape, math.prod(shape[1:]), self.bias, stdv)

    def kernels(self, params: Tree) -> Array:
        """The weight in the shape `kernel_shape`."""
        return params["weight"]

    def convolved(self, images: Array, weight: Array) -> Array:
        """The output without bias."""
        return convolve(images, weight, self.window("d"), self.window("pad"), self.window("dilation"), self.groups)

    def f(self, params: dict[str, Array], input: Array) -> Array:
        self.check_rank(input, self.n_input_plane)
        self.counts(input)
        weight = self.kernels(params)
        images = merged(in_dtype_of(self, input, weight), len(self.axes) + 1)
        output = self.convolved(images, weight)
        if self.bias:
            output = output + spread(params["bias"], output.shape, (1, -1, *(1 for _ in self.axes)))
        return output.reshape(input.shape[: -1 - len(self.axes)] + output.shape[1:])

    @builder
    def no_bias(self) -> "Convolution":
        """The same layer without bias."""
        return self.replace(bias=False)

    def printed(self) -> str:
        text = f"{self.type_name()}({self.n_input_plane} -> {self.n_output_plane}, {self.joined('k', 'x')}"
        in_groups = f" in {self.groups} groups" if self.groups > 1 else ""
        return text + self.printed_steps() + self.printed_end() + in_groups

    def printed_end(self) -> str:
        """The arguments after the padding."""
        return ")" if self.bias else ") without bias"


class SpatialConvolution(Convolution):
    """y[o, i, j] = b_o + sum_{c, m, n} w[o, c, m, n] x[c, i dh + m - padh, j dw + n - padw]: cross-correlation of
    images with learned kernels, plus a bias per output plane.

    Shape: (C, H, W) or (B, C, H, W) -> n_output_plane planes of floor((size + 2 pad - k) / d) + 1.
    Arguments come width first (kw, kh, dw, dh, padw, padh), padh is padw unless given; sizes in pixels. With `groups`,
    output planes see only their own group of input planes (n_input_plane groups: one plane each, "depthwise").
    Parameters: weight (n_output_plane, n_input_plane / groups, kh, kw), bias (n_output_plane,); both uniform on
    +-1/sqrt(kw * kh * n_input_plane / groups), or +-stdv * sqrt(3).
    Raises: ValueError for other ranks or plane counts, planes that groups do not divide, and images smaller than the
    kernel.
    Source: nn/doc/convolution.md#nn.SpatialConvolution.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SpatialConvolution(3, 16, 5, 5), (8, 3, 32, 32))
    (8, 16, 28, 28)
    >>> f7.output_shape(f7.SpatialConvolution(3, 16, 3, 3, 2, 2, 1, 1), (8, 3, 32, 32))  # strides, padding
    (8, 16, 16, 16)
    """

    n_input_plane: int
    n_output_plane: int
    kw: int
    kh: int
    dw: int = 1
    dh: int = 1
    padw: int = 0
    padh: int | None = None
    bias: bool = field(default=True, kw_only=True)
    groups: int = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        self._set(padh=self.padw if self.padh is None else self.padh)
        super().__post_init__()


class SpatialConvolutionMM(SpatialConvolution):
    """y[o, i, j] = b_o + sum_{c, m, n} w[o, (c kh + m) kw + n] x[c, i dh + m - padh, j dw + n - padw]:
    SpatialConvolution, with its weight stored as a matrix.

    Shape: (C, H, W) or (B, C, H, W), as SpatialConvolution.
    Parameters: weight (n_output_plane, n_input_plane / groups * kh * kw), bias (n_output_plane,), both as
    SpatialConvolution's.
    Raises: as SpatialConvolution.
    Source: nn/doc/convolution.md#nn.SpatialConvolutionMM.

    >>> import functorch7 as f7, jax
    >>> jax.eval_shape(f7.SpatialConvolutionMM(3, 16, 5, 5).init, jax.random.key(0)).params["weight"].shape
    (16, 75)
    """

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        params = super().init_params(key, stdv)
        return {**params, "weight": params["weight"].reshape(self.n_output_plane, -1)}

    def kernels(self, params: Tree) -> Array:
        return params["weight"].reshape(self.kernel_shape())


class SpatialDilatedConvolution(SpatialConvolution):
    """y[o, i, j] = b_o + sum_{c, m, n} w[o, c, m, n] x[c, i dh + m dilationh - padh, j dw + n dilationw - padw]:
    SpatialConvolution with dilation - 1 pixels left out between the elements of a kernel.

    Shape: (C, H, W) or (B, C, H, W) -> n_output_plane planes of floor((size + 2 pad - dilation (k - 1) - 1) / d) + 1.
    Parameters and errors: as SpatialConvolution.
    Source: nn/doc/convolution.md#nn.SpatialDilatedConvolution; Yu & Koltun, 2016.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SpatialDilatedConvolution(3, 16, 3, 3, 1, 1, 2, 2, 2, 2), (8, 3, 32, 32))
    (8, 16, 32, 32)
    """

    dilationw: int = 1
    dilationh: int = 1

    def printed_end(self) -> str:
        return f", {self.joined('dilation')}" + super().printed_end()


class VolumetricConvolution(Convolution):
    """y[o, t, i, j] = b_o + sum_{c, l, m, n} w[o, c, l, m, n] x[c, t dt + l - padt, i dh + m - padh, j dw + n - padw]:
    cross-correlation of volumes (or videos) with learned kernels, plus a bias per output plane.

    Shape: (C, T, H, W) or (B, C, T, H, W) -> n_output_plane planes of floor((size + 2 pad - k) / d) + 1. Arguments come
    in the order t, w, h; padw is padt and padh is padw unless given. `groups`: as SpatialConvolution's.
    Parameters: weight (n_output_plane, n_input_plane / groups, kt, kh, kw), bias (n_output_plane,); both uniform on
    +-1/sqrt(kt * kw * kh * n_input_plane / groups), or +-stdv * sqrt(3).
    Raises: ValueError for other ranks or plane counts, planes that groups do not divide, and volumes smaller than the
    kernel.
    Source: nn/doc/convolution.md#nn.VolumetricConvolution.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.VolumetricConvolution(3, 16, 3, 5, 5), (8, 3, 10, 32, 32))
    (8, 16, 8, 28, 28)
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
    padw: int | None = None
    padh: int | None = None
    bias: bool = field(default=True, kw_only=True)
    groups: int = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        padw = self.padt if self.padw is None else self.padw
        self._set(padw=padw, padh=padw if self.padh is None else self.padh)
        super().__post_init__()

    def printed_end(self) -> str:
        return ")"


class VolumetricDilatedConvolution(VolumetricConvolution):
    """y[o, t, i, j] = b_o + sum_{c, l, m, n} w[o, c, l, m, n] x[c, t dt + l dilationt - padt,
    i dh + m dilationh - padh, j dw + n dilationw - padw]: VolumetricConvolution with dilation - 1 elements left out
    between those of a kernel.

    Shape: (C, T, H, W) or (B, C, T, H, W) -> planes of floor((size + 2 pad - dilation (k - 1) - 1) / d) + 1.
    Parameters and errors: as VolumetricConvolution.
    Source: nn/doc/convolution.md#nn.VolumetricDilatedConvolution.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.VolumetricDilatedConvolution(3, 16, 3, 3, 3, dilationt=2), (8, 3, 10, 32, 32))
    (8, 16, 6, 30, 30)
    """

    dilationt: int = 1
    dilationw: int = 1
    dilationh: int = 1

    def printed_end(self) -> str:
        return f", {self.joined('dilation')}" + Convolution.printed_end(self)
