"""Normalisation by the surroundings of a pixel, in its plane or in neighbouring planes."""

from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np
from jax import lax

from ..core import Map, check_floating, check_positive, const, expected
from ..core.arrays import Numbers
from ..core.module import Module
from ..core.precision import in_float32
from ..core.types import Array
from ..network import number
from .connections import SpatialConvolutionMap, one_to_one
from .convolution import SpatialConvolution
from .convolving import convolve
from .merging import merged


class SpatialCrossMapLRN(Map):
    """y_f = x_f / (k + alpha / size * sum_l x_l^2)^beta, over the `size` planes l around f.

    Shape: (C, H, W) or (B, C, H, W), kept. Planes before the first and after the last count as zeros. With an even
    size, one more plane after f is used than before it, as in cuDNN and ONNX.
    Raises: ValueError for other ranks and for a size below 1.
    Source: nn/doc/convolution.md#nn.SpatialCrossMapLRN; Krizhevsky et al., 2012.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SpatialCrossMapLRN(5), (8, 16, 12, 12))
    (8, 16, 12, 12)
    """

    tunable: ClassVar[tuple[str, ...]] = ("alpha", "k")

    size: int
    alpha: float = 0.0001
    beta: float = 0.75
    k: float = 1

    def __post_init__(self) -> None:
        check_positive(self, size=self.size)

    @in_float32
    def f(self, input: Array) -> Array:
        check_floating(self, input)
        if input.ndim not in (3, 4):
            raise expected(self, "a 3D or 4D tensor", input)
        planes, before = input.ndim - 3, (self.size - 1) // 2
        edges = [(before, self.size // 2, 0) if axis == planes else (0, 0, 0) for axis in range(input.ndim)]
        squares = lax.pad(input * input, np.zeros((), input.dtype), edges)
        count = input.shape[planes]
        around = [lax.slice_in_dim(squares, i, i + count, axis=planes) for i in range(self.size)]
        scale = self.k + self.share * sum(around[1:], around[0])
        return input * self._power(scale)

    @number
    def share(self) -> float:
        """The weight of one plane."""
        return self.alpha / self.size

    def _power(self, scale: Array) -> Array:
        """scale^-beta; roots are several times faster than powers."""
        if self.beta == 0.75:
            root = lax.rsqrt(scale)
            return root * jnp.sqrt(root)
        return lax.rsqrt(scale) if self.beta == 0.5 else scale**-self.beta


class Neighbourhood(Map, abstract=True):
    """Layers with a weighted mean over a window in all planes; a 1-D kernel is for both directions."""

    estimators: ClassVar[int] = 0
    """The number of means in Torch's class, by convolutions whose weights it draws before setting the kernel."""

    n_input_plane: int = 1
    kernel: Numbers | None = None

    def __post_init__(self) -> None:
        check_positive(self, n_input_plane=self.n_input_plane)
        kernel = np.ones((9, 9)) if self.kernel is None else np.asarray(self.kernel, np.float64)
        if kernel.ndim not in (1, 2):
            raise ValueError(f"{self.torch_name()}: averaging kernel must be 2D or 1D, got shape {kernel.shape}")
        if any(size % 2 == 0 for size in kernel.shape):
            raise ValueError(f"{self.torch_name()}: averaging kernel must have ODD dimensions, got {kernel.shape}")
        self._set(kernel=const(kernel), made_first=self._convolutions(*kernel.shape) * self.estimators)

    def _convolutions(self, height: int, width: int | None = None) -> tuple[Module, ...]:
        """The convolutions of one estimator: one with the kernel, or one along rows and one along columns."""
        planes = self.n_input_plane
        if width is not None:
            return (SpatialConvolution(planes, 1, width, height),)
        row = SpatialConvolutionMap(one_to_one(planes), height, 1)
        return row, SpatialConvolution(planes, 1, 1, height)

    def checked(self, input: Array) -> Array:
        """The input as a batch of images."""
        check_floating(self, input)
        if input.ndim not in (3, 4) or input.shape[-3] != self.n_input_plane:
            raise expected(self, f"a 3D or 4D tensor with {self.n_input_plane} planes in dimension -3", input)
        return merged(input, 3)

    def mean(self, images: Array) -> Array:
        """The kernel-weighted mean over window and planes: B x 1 x H x W; outside of the image there are zeros."""
        kernel = np.asarray(self.kernel)
        kernel = np.outer(kernel, kernel) if kernel.ndim == 1 else kernel
        weight = jnp.asarray(kernel / (kernel.sum() * self.n_input_plane), images.dtype)
        padding = (kernel.shape[0] // 2, kernel.shape[1] // 2)
        return convolve(images.sum(1, keepdims=True), weight[None, None], (1, 1), padding)

    def mass(self, images: Array) -> Array:
        """The share of the kernel inside the image: 1 x 1 x H x W."""
        return self.mean(jnp.ones((1, *images.shape[1:]), images.dtype))

    def centred(self, images: Array) -> Array:
        """The images less their mean; near the border, the mean of the part inside."""
        return images - self.mean(images) / self.mass(images)

    def deviation(self, images: Array) -> Array:
        """The root of the mean of the squares, over the kernel's mass: B x 1 x H x W."""
        squares = self.mean(images * images)
        zero = squares <= 0  # rounding may give less; the root has no gradient there
        return jnp.where(zero, 0, jnp.sqrt(jnp.where(zero, 1, squares))) / self.mass(images)


class SpatialSubtractiveNormalization(Neighbourhood):
    """y = x - mean(x): the kernel-weighted mean of its surroundings in all planes; near the border, of the part inside.

    Shape: (C, H, W) or (B, C, H, W), kept. The kernel (9 x 9 ones by default) has odd sizes; a 1-D one is used in both
    directions.
    Raises: ValueError for other kernels, ranks, and plane counts.
    Source: nn/doc/convolution.md#nn.SpatialSubtractiveNormalization; Jarrett et al., 2009.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.output_shape(f7.SpatialSubtractiveNormalization(3, jnp.ones(7)), (8, 3, 12, 12))
    (8, 3, 12, 12)
    """

    estimators: ClassVar[int] = 1

    @in_float32
    def f(self, input: Array) -> Array:
        images = self.checked(input)
        return self.centred(images).reshape(input.shape)


class SpatialDivisiveNormalization(Neighbourhood):
    """y = x / s, with s^2 the kernel-weighted mean of the squares around it, over the kernel's mass squared.

    Where s <= threshold it is thresval, without gradient (thresval is threshold, and that 1e-4, by default).
    Shape: (C, H, W) or (B, C, H, W), kept. Kernels: as SpatialSubtractiveNormalization.
    Raises: ValueError for other kernels, ranks, and plane counts.
    Source: nn/doc/convolution.md#nn.SpatialDivisiveNormalization; Jarrett et al., 2009.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SpatialDivisiveNormalization(3), (8, 3, 12, 12))
    (8, 3, 12, 12)
    """

    estimators: ClassVar[int] = 2

    threshold: float | None = None
    thresval: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        threshold = 1e-4 if self.threshold is None else self.threshold
        self._set(threshold=threshold, thresval=threshold if self.thresval is None else self.thresval)

    @in_float32
    def f(self, input: Array) -> Array:
        images = self.checked(input)
        deviation: Any = self.deviation(images)
        limited = jnp.where(deviation > self.threshold, deviation, jnp.asarray(self.thresval, input.dtype))
        return (images / limited).reshape(input.shape)


class SpatialContrastiveNormalization(SpatialDivisiveNormalization):
    """y = divisive(subtractive(x)): SpatialSubtractiveNormalization, then SpatialDivisiveNormalization, with the same
    kernel.

    Shape: (C, H, W) or (B, C, H, W), kept.
    Raises: ValueError for other kernels, ranks, and plane counts.
    Source: nn/doc/convolution.md#nn.SpatialContrastiveNormalization.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SpatialContrastiveNormalization(3), (8, 3, 12, 12))
    (8, 3, 12, 12)
    """

    estimators: ClassVar[int] = 3

    @in_float32
    def f(self, input: Array) -> Array:
        images = self.checked(input)
        return super().f(self.centred(images)).reshape(input.shape)


class SpatialNormalization(Neighbourhood):
    """y = c / s: c is x less the mean around it, s the root of the weighted sum of c^2 over the kernel's mass.

    Sums are over the window in all planes, and the mass is the kernel's sum over the part inside the image in all
    planes. s is at least the threshold; without one, the mean of s in its image and at least 0.001, as a constant.
    Networks from before 2012 use it in place of SpatialContrastiveNormalization, whose s is sqrt(planes) times this.
    Shape: (C, H, W) or (B, C, H, W), kept. Kernels: as SpatialSubtractiveNormalization, or a row and a column, which
    stand for their product.
    Raises: ValueError for other kernels, ranks, and plane counts.
    Source: nnx, SpatialNormalization.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SpatialNormalization(3), (8, 3, 12, 12))
    (8, 3, 12, 12)
    """

    threshold: float | None = None

    def __post_init__(self) -> None:
        if isinstance(self.kernel, (list, tuple)) and len(self.kernel) == 2 and np.ndim(self.kernel[0]) == 2:
            row, column = sorted((np.asarray(each, np.float64) for each in self.kernel), key=len)
            if len(row) != 1 or column.shape[1:] != (1,):
                raise expected(self, "two kernels, a row and a column", [row, column])
            self._set(kernel=column @ row)
        super().__post_init__()

    @in_float32
    def f(self, input: Array) -> Array:
        images = self.centred(self.checked(input))
        deviation = self.deviation(images) / self.n_input_plane**0.5
        if self.threshold is None:
            least = lax.stop_gradient(jnp.maximum(deviation.mean((1, 2, 3), keepdims=True), 1e-3))
        else:
            least = jnp.asarray(self.threshold, input.dtype)
        return (images / jnp.where(deviation > least, deviation, least)).reshape(input.shape)
