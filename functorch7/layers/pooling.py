"""Poolings by maximum and by average, over windows of a fixed size."""

import math
from dataclasses import field
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from ..core import Map, builder, check_floating, expose
from ..core.precision import in_float32
from ..core.types import Array
from .first_maxima import max_pool
from .windows import Windows, padded


class Pooling(Windows, Map, abstract=True):
    """Layers with one number for each window of each plane; without a stride, windows are adjacent."""

    def __post_init__(self) -> None:
        for axis in self.axes:
            if getattr(self, "d" + axis) is None:
                self._set(**{"d" + axis: getattr(self, "k" + axis)})
        self.check_windows()
        if any(2 * pad > k for pad, k in zip(self.window("pad"), self.window("k"), strict=True)):
            order = self.printed_axes
            pads = ", ".join(f"pad{a.upper()} = {getattr(self, 'pad' + a)}" for a in order)
            kernel = ", ".join(f"k{a.upper()} = {getattr(self, 'k' + a)}" for a in order)
            raise ValueError(f"{self}: pad should be smaller than half of kernel size, but got {pads}, {kernel}")

    def places(self, input: Array) -> tuple[int, ...]:
        """The number of windows along each axis."""
        self.check_rank(input)
        return self.counts(input, getattr(self, "ceil_mode", False))

    def printed(self) -> str:
        text = f"{self.type_name()}({self.joined('k', 'x')}, {self.joined('d')}"
        text += "" if self.is_default("pad") else f", {self.joined('pad')}"
        return text + (f", {self.joined('dilation')})" if hasattr(self, "dilationw") else ")")


class Rounding(Pooling, abstract=True):
    """Poolings whose output sizes are rounded down, or up after `ceil()`."""

    @builder
    def ceil(self) -> "Rounding":
        """The same pooling with output sizes rounded up."""
        return self.replace(ceil_mode=True)

    @builder
    def floor(self) -> "Rounding":
        """The same pooling with output sizes rounded down (the default)."""
        return self.replace(ceil_mode=False)


class Record:
    """A record that a pooling of the `legacy` interface leaves for its unpooling: indices, and the input's sizes.

    Poolings with a record are not compiled, so that these are concrete values.
    """

    def __init__(self) -> None:
        self.indices: Any = None
        self.sizes: tuple[int, ...] = ()

    def keep(self, indices: Array, sizes: tuple[int, ...]) -> None:
        """Records a call."""
        self.indices, self.sizes = indices, sizes


class MaxPooling(Rounding, abstract=True):
    """Maximum over windows: subclasses declare the windows."""

    exposes: ClassVar[tuple[str, ...]] = ("indices",)
    record: Record | None = field(default=None, kw_only=True)

    @property
    def traceable(self) -> bool:
        return self.record is None

    def f(self, input: Array) -> Array:
        counts = self.places(input)
        check_floating(self, input)
        best, position = max_pool(input, self, counts)
        indices = position + 1
        expose(indices=indices)
        if self.record is not None:
            self.record.keep(indices, input.shape[-len(self.axes) :])
        return jnp.maximum(best, jnp.finfo(best.dtype).min) if self._leaves_empty(input, counts) else best

    def _leaves_empty(self, input: Array, counts: tuple[int, ...]) -> bool:
        """Whether a window has nothing of the input: Torch has the least number there, which is finite, unlike -inf."""
        axes = zip(input.shape[-len(self.axes) :], counts, *self.geometry(), strict=True)
        return any(
            not any(0 <= start + step * i < size for i in range(k))
            for size, count, k, d, pad, step in axes
            for start in {*range(-pad, min(0, count * d - pad), d), (count - 1) * d - pad}  # the others begin inside
        )


class SpatialMaxPooling(MaxPooling):
    """y[i, j] = max_{m < kh, n < kw} x[i dh + m - padh, j dw + n - padw]: maximum over kw x kh windows of each plane,
    every dw, dh pixels; padding counts as -inf.

    Shape: (C, H, W) or (B, C, H, W) -> op((size + 2 pad - k) / d) + 1 pixels, op being floor, or ceil after
    `ceil()`; with padding, none whose window begins beyond the image (without, it has the type's least number, as in
    Torch7). The gradient goes to each window's first maximum.
    Exposes: indices, each maximum's row-major position in its plane, counted from 1.
    Raises: ValueError for other ranks, padding above half the kernel, and images smaller than a window.
    Source: nn/doc/convolution.md#nn.SpatialMaxPooling.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SpatialMaxPooling(3, 3, 2, 2), (8, 16, 12, 12))
    (8, 16, 5, 5)
    >>> f7.output_shape(f7.SpatialMaxPooling(3, 3, 2, 2).ceil(), (8, 16, 12, 12))
    (8, 16, 6, 6)
    """

    kw: int
    kh: int
    dw: int | None = None
    dh: int | None = None
    padw: int = 0
    padh: int = 0
    ceil_mode: bool = field(default=False, kw_only=True)


class SpatialDilatedMaxPooling(SpatialMaxPooling):
    """y[i, j] = max_{m < kh, n < kw} x[i dh + m dilationh - padh, j dw + n dilationw - padw]: SpatialMaxPooling with
    dilation - 1 pixels left out between those of a window.

    Shape: (C, H, W) or (B, C, H, W) -> op((size + 2 pad - dilation (k - 1) - 1) / d) + 1 pixels.
    Exposes and raises: as SpatialMaxPooling.
    Source: nn/doc/convolution.md#nn.SpatialDilatedMaxPooling.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SpatialDilatedMaxPooling(3, 3, 1, 1, 0, 0, 2, 2), (8, 16, 12, 12))
    (8, 16, 8, 8)
    """

    dilationw: int = 1
    dilationh: int = 1


class VolumetricMaxPooling(MaxPooling):
    """y[t, i, j] = max_{l < kt, m < kh, n < kw} x[t dt + l - padt, i dh + m - padh, j dw + n - padw]: maximum over kt x
    kh x kw windows of each plane; padding counts as -inf. Arguments come in the order t, w, h.

    Shape: (C, T, H, W) or (B, C, T, H, W) -> op((size + 2 pad - k) / d) + 1 elements, as SpatialMaxPooling.
    Exposes: indices, each maximum's row-major position in its plane, counted from 1.
    Raises: as SpatialMaxPooling.
    Source: nn/doc/convolution.md#nn.VolumetricMaxPooling.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.VolumetricMaxPooling(2, 2, 2), (8, 16, 10, 12, 12))
    (8, 16, 5, 6, 6)
    """

    axes: ClassVar[str] = "thw"
    printed_axes: ClassVar[str] = "twh"

    kt: int
    kw: int
    kh: int
    dt: int | None = None
    dw: int | None = None
    dh: int | None = None
    padt: int = 0
    padw: int = 0
    padh: int = 0
    ceil_mode: bool = field(default=False, kw_only=True)


class VolumetricDilatedMaxPooling(VolumetricMaxPooling):
    """y[t, i, j] = max_{l < kt, m < kh, n < kw} x[t dt + l dilationt - padt, i dh + m dilationh - padh,
    j dw + n dilationw - padw]: VolumetricMaxPooling with dilation - 1 elements left out between those of a window.

    Shape: (C, T, H, W) or (B, C, T, H, W) -> op((size + 2 pad - dilation (k - 1) - 1) / d) + 1 elements.
    Exposes and raises: as VolumetricMaxPooling.
    Source: nn/doc/convolution.md#nn.VolumetricDilatedMaxPooling.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.VolumetricDilatedMaxPooling(2, 2, 2, 1, 1, 1, dilationt=3), (8, 16, 10, 12, 12))
    (8, 16, 7, 11, 11)
    """

    dilationt: int = 1
    dilationw: int = 1
    dilationh: int = 1


def summed(x: Array, windows: Windows, counts: tuple[int, ...]) -> Array:
    """The sum over each window of ... x sizes (including their padding), one axis after the other."""
    leading = x.ndim - len(counts)
    for axis, (n, k, d) in enumerate(zip(counts, windows.window("k"), windows.window("d"), strict=True), leading):
        if d == k:  # adjacent windows
            x = x.reshape((*x.shape[:axis], n, k, *x.shape[axis + 1 :])).sum(axis + 1)
        elif k <= 5:
            taps = [jax.lax.slice_in_dim(x, i, i + (n - 1) * d + 1, d, axis) for i in range(k)]
            x = sum(taps[1:], taps[0])
        else:
            begin = np.arange(n)[:, None] * d
            inside = (np.arange(x.shape[axis]) >= begin) & (np.arange(x.shape[axis]) < begin + k)
            x = jnp.moveaxis(jnp.tensordot(x, jnp.asarray(inside, x.dtype), ((axis,), (1,))), -1, axis)
    return x


class AveragePooling(Pooling, abstract=True):
    """Mean over windows: subclasses declare the fields."""

    def areas(self, sizes: tuple[int, ...], counts: tuple[int, ...]) -> np.ndarray:
        """The divisor of each window's sum."""
        pads, include = self.window("pad"), getattr(self, "count_include_pad", True)
        area = np.ones(())
        for size, n, k, d, pad in zip(sizes, counts, self.window("k"), self.window("d"), pads, strict=True):
            start = np.arange(n) * d - pad
            low, high = (-pad, size + pad) if include else (0, size)
            area = area[..., None] * (np.minimum(start + k, high) - np.maximum(start, low))
        return area if getattr(self, "divide", True) else area / math.prod(self.window("k"))

    @in_float32
    def f(self, input: Array) -> Array:
        check_floating(self, input)
        counts = self.places(input)
        areas = self.areas(input.shape[-len(self.axes) :], counts)
        with np.errstate(divide="ignore"):  # windows outside of the image, whose mean is NaN
            inverse = jnp.asarray(1 / areas, input.dtype).reshape((1,) * (input.ndim - areas.ndim) + counts)
        return summed(padded(input, self, counts), self, counts) * inverse


class SpatialAveragePooling(AveragePooling, Rounding):
    """y[i, j] = sum_{m < kh, n < kw} x[i dh + m - padh, j dw + n - padw] / (kh kw): Mean over kw x kh windows of each
    plane, every dw, dh pixels (1 by default); the padding is zeros.

    Shape: (C, H, W) or (B, C, H, W) -> op((size + 2 pad - k) / d) + 1 pixels, op being floor, or ceil after
    `ceil()`; with padding, none whose window begins beyond the image (without, it has NaN, as in Torch7). The padding
    counts as part of a window, unless `set_count_exclude_pad()` is called. With `divide` False, the mean is multiplied
    by kw * kh.
    Raises: ValueError for other ranks, padding above half the kernel, and images smaller than a window.
    Source: nn/doc/convolution.md#nn.SpatialAveragePooling.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.SpatialAveragePooling(2, 1, 2, 1).apply({}, {}, jnp.array([[[1.0, 5.0, 2.0, 4.0]]]))[0].tolist()
    [[[3.0, 3.0]]]
    """

    kw: int
    kh: int
    dw: int = 1
    dh: int = 1
    padw: int = 0
    padh: int = 0
    ceil_mode: bool = False
    count_include_pad: bool = True
    divide: bool = True

    @builder
    def set_count_include_pad(self) -> "SpatialAveragePooling":
        """The same pooling, which counts the padding as part of a window."""
        return self.replace(count_include_pad=True)

    @builder
    def set_count_exclude_pad(self) -> "SpatialAveragePooling":
        """The same pooling, which divides by the number of a window's pixels inside the image."""
        return self.replace(count_include_pad=False)


class VolumetricAveragePooling(AveragePooling):
    """y[t, i, j] = sum_{l < kt, m < kh, n < kw} x[t dt + l, i dh + m, j dw + n] / (kt kh kw): mean over kt x kh x kw
    windows of each plane. Arguments come in the order t, w, h.

    Shape: (C, T, H, W) or (B, C, T, H, W) -> floor((size - k) / d) + 1 elements.
    Raises: ValueError for other ranks, and volumes smaller than a window.
    Source: nn/doc/convolution.md#nn.VolumetricAveragePooling.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.VolumetricAveragePooling(2, 2, 2), (8, 16, 10, 12, 12))
    (8, 16, 5, 6, 6)
    """

    axes: ClassVar[str] = "thw"
    printed_axes: ClassVar[str] = "twh"

    kt: int
    kw: int
    kh: int
    dt: int | None = None
    dw: int | None = None
    dh: int | None = None
