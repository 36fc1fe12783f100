"""Poolings whose windows depend on the size of the output: adaptive and fractional."""

import math
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from ..core import Map, Module, builder, check_floating, check_positive, draws, expected, expose
from ..core.precision import at_least_float32, in_float32
from ..core.types import Array, Tree
from .merging import flattened, merged
from .windows import Windows


def regions(size: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The first element of each of `count` regions that cover an axis, and the end of each."""
    numbers = np.arange(count)
    return numbers * size // count, -(-(numbers + 1) * size // count)


def largest_of(patches: Array, positions: Array, dims: int) -> tuple[Array, Array]:
    """The first maximum of patches (..., outputs of `dims` axes, then as many window axes), and its position."""
    leading = patches.ndim - dims
    flat, where = (flattened(each, leading) for each in (patches, jnp.broadcast_to(positions, patches.shape)))
    at = jnp.argmax(flat, -1)[..., None]
    return jnp.take_along_axis(flat, at, -1)[..., 0], jnp.take_along_axis(where, at, -1)[..., 0]


class Adaptive(Windows, Map, abstract=True):
    """Poolings of images to w x h: subclasses write `pool`."""

    w: int
    h: int

    def __post_init__(self) -> None:
        check_positive(self, w=self.w, h=self.h)

    def f(self, input: Array) -> Array:
        check_floating(self, input)
        self.check_rank(input)
        return self.pool(input)

    def pool(self, images: Array) -> Array:
        """The output, ... x h x w of ... x H x W."""
        raise NotImplementedError(f"{self.torch_name()} must define pool")


class SpatialAdaptiveMaxPooling(Adaptive):
    """y[i, j] = max_{p, q} x[p, q] where floor(i H / h) <= p < ceil((i + 1) H / h)
    and floor(j W / w) <= q < ceil((j + 1) W / w): the maximum over each of h x w regions, which cover the image.

    Shape: (C, H, W) or (B, C, H, W) -> (C, h, w) or (B, C, h, w). The width comes first. The gradient goes to each
    region's first maximum.
    Exposes: indices, (2, ...): each maximum's column and row, counted from 1.
    Raises: ValueError for other ranks.
    Differs from Torch7: its indices count within each region.
    Source: nn/doc/convolution.md#nn.SpatialAdaptiveMaxPooling.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SpatialAdaptiveMaxPooling(4, 3), (8, 16, 13, 17))
    (8, 16, 3, 4)
    """

    exposes: ClassVar[tuple[str, ...]] = ("indices",)

    def pool(self, images: Array) -> Array:
        planes = merged(images, 2)
        width = planes.shape[2]
        position = self._positions(jax.lax.stop_gradient(planes))
        best = jnp.take_along_axis(flattened(planes), flattened(position), 1)
        shape = (*images.shape[:-2], self.h, self.w)
        expose(indices=jnp.stack([position % width + 1, position // width + 1]).reshape((2, *shape)))
        return best.reshape(shape)

    def _positions(self, planes: Array) -> Array:
        """Each region's first maximum, row by row: the first of each row, and then the first row of these."""
        largest, columns = [], []
        for first, behind in zip(*regions(planes.shape[2], self.w), strict=True):
            part = planes[:, :, first:behind]
            largest.append(part.max(2))
            columns.append(jnp.argmax(part, 2) + first)
        values, column = jnp.stack(largest, 2), jnp.stack(columns, 2)
        positions = []
        for first, behind in zip(*regions(planes.shape[1], self.h), strict=True):
            row = jnp.argmax(values[:, first:behind], 1)[:, None]
            positions.append((row + first) * planes.shape[2] + jnp.take_along_axis(column[:, first:behind], row, 1))
        return jnp.concatenate(positions, 1)


class SpatialAdaptiveAveragePooling(Adaptive):
    """y[i, j] = mean_{p, q} x[p, q] where floor(i H / h) <= p < ceil((i + 1) H / h)
    and floor(j W / w) <= q < ceil((j + 1) W / w): the mean over each of h x w regions, which cover the image.

    Shape: (C, H, W) or (B, C, H, W) -> (C, h, w) or (B, C, h, w). The width comes first.
    Raises: ValueError for other ranks.
    Source: nn/doc/convolution.md#nn.SpatialAdaptiveAveragePooling.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.SpatialAdaptiveAveragePooling(1, 1).apply({}, {}, jnp.array([[[1.0, 2.0], [3.0, 6.0]]]))[0].tolist()
    [[[3.0]]]
    """

    @in_float32
    def pool(self, images: Array) -> Array:
        means = []
        for size, count in zip(images.shape[-2:], (self.h, self.w), strict=True):
            first, behind = regions(size, count)
            inside = (np.arange(size) >= first[:, None]) & (np.arange(size) < behind[:, None])
            means.append(jnp.asarray(inside / (behind - first)[:, None], images.dtype))
        return jnp.einsum("hy,...yx,wx->...hw", means[0], images, means[1])


class FractionalMaxPooling(Windows, abstract=True):
    """Maximum over overlapping windows at pseudo-random places: subclasses declare the fields.

    `out` are sizes (1 or more) or ratios of the input's (below 1), in the tensor's order.
    """

    exposes: ClassVar[tuple[str, ...]] = ("indices", "randomSamples")

    def __post_init__(self) -> None:
        self.check_windows()
        for axis in self.axes:
            value = getattr(self, "out" + axis)
            if not (value >= 1 and float(value).is_integer()) and not 0 < value < 1:
                raise ValueError(f"{self.torch_name()}: expected output sizes >= 1 or ratios in (0, 1), got {value}")

    def draws(self, train: bool) -> bool:
        return not self.fixed

    def output_sizes(self, input: Array) -> tuple[int, ...]:
        """The sizes of the output; ValueError if the windows do not fit."""
        sizes = input.shape[-len(self.axes) :]
        wanted = [getattr(self, "out" + axis) for axis in self.axes]
        out = tuple(int(o) if o >= 1 else math.floor(size * o) for o, size in zip(wanted, sizes, strict=True))
        if any(o < 1 or o + k - 1 > size for o, k, size in zip(out, self.window("k"), sizes, strict=True)):
            raise expected(self, f"an input large enough for {'x'.join(map(str, out))} windows", input)
        return out

    @staticmethod
    def starts(sample: Array, size: int, k: int, count: int) -> Array:
        """Where the windows of one axis begin, for samples in [0, 1): increments are alpha, rounded up or down."""
        if count == 1:
            return jnp.full((*sample.shape, 1), size - k, jnp.int32)
        alpha = jnp.asarray((size - k) / (count - 1), sample.dtype)
        numbers = jnp.arange(count, dtype=sample.dtype)
        shifted = (numbers.reshape((1,) * sample.ndim + (-1,)) + sample[..., None]) * alpha
        begin = shifted.astype(jnp.int32) - (sample * alpha).astype(jnp.int32)[..., None]
        return begin.at[..., -1].set(size - k)

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Array, train: bool) -> tuple[Array, Tree]:
        check_floating(self, input)
        self.check_rank(input)
        dims, out = len(self.axes), self.output_sizes(input)
        sizes = input.shape[-dims:]
        key = jax.random.key(0) if self.fixed else key
        samples = draws.uniform(key, (*input.shape[:-dims], dims), at_least_float32(input.dtype))
        planes = flattened(merged(input, dims))
        position: Any = 0
        for axis, (size, k, n) in enumerate(zip(sizes, self.window("k"), out, strict=True)):
            # Torch's samples have the last axis first.
            begin = self.starts(samples[..., dims - 1 - axis].reshape(-1), size, k, n)
            here = begin[..., None] + jnp.arange(k, dtype=jnp.int32)[None, None]
            shape = [1] * (2 * dims)
            shape[axis], shape[dims + axis] = n, k
            position = position * size + here.reshape((len(planes), *shape))
        patches = jnp.take_along_axis(planes, flattened(position), 1).reshape(position.shape)
        best, at = largest_of(patches, position, dims)
        shape = input.shape[:-dims] + out
        expose(indices=at.reshape(shape) + 1, randomSamples=samples)
        return best.reshape(shape), buffers

    @builder
    def fix_pooling_regions(self, val: bool = True) -> "FractionalMaxPooling":
        """The same pooling with the same windows in every call."""
        return self.replace(fixed=val)


class SpatialFractionalMaxPooling(FractionalMaxPooling, Module):
    """y[i, j] = max_{m < kh, n < kw} x[r_i + m, c_j + n]: maximum over overlapping kw x kh windows; their places r_i,
    c_j, about evenly spread, are drawn for each plane.

    Shape: (C, H, W) or (B, C, H, W) -> (..., outh, outw), or floor(size * ratio) for numbers below 1. With u uniform
    and a = (size - k) / (out - 1), window i begins at int((i + u) a) - int(u a), and the last one at size - k.
    Exposes: indices, each maximum's row-major position in its plane, counted from 1; randomSamples, the u for width and
    height.
    Raises: ValueError for other sizes or ratios, other ranks, images that are too small, and if the key is missing.
    Source: nn/doc/convolution.md#nn.SpatialFractionalMaxPooling; Graham, 2014.

    >>> import functorch7 as f7
    >>> pool = f7.SpatialFractionalMaxPooling(2, 2, 0.7, 0.7)
    >>> f7.output_shape(pool, (8, 16, 20, 20), train=True)
    (8, 16, 14, 14)
    """

    kw: int
    kh: int
    outw: float
    outh: float
    fixed: bool = False

    def printed(self) -> str:
        return f"{self.type_name()}({int(self.outw)}x{int(self.outh)}, {self.kw},{self.kh})"


class VolumetricFractionalMaxPooling(FractionalMaxPooling, Module):
    """y[i, j, t] = max_{m < kh, n < kw, l < kt} x[r_i + m, c_j + n, s_t + l]: SpatialFractionalMaxPooling of volumes,
    whose time axis comes *last*. Arguments come in the order t, w, h.

    Shape: (C, H, W, T) or (B, C, H, W, T) -> (..., outh, outw, outt).
    Exposes: indices, each maximum's row-major position in its plane, counted from 1; randomSamples.
    Raises: as SpatialFractionalMaxPooling.
    Source: nn, VolumetricFractionalMaxPooling.lua.

    >>> import functorch7 as f7
    >>> pool = f7.VolumetricFractionalMaxPooling(2, 2, 2, 4, 7, 6)
    >>> f7.output_shape(pool, (8, 16, 12, 14, 9), train=True)  # time is last
    (8, 16, 6, 7, 4)
    """

    axes: ClassVar[str] = "hwt"
    printed_axes: ClassVar[str] = "twh"

    kt: int
    kw: int
    kh: int
    outt: float
    outw: float
    outh: float
    fixed: bool = False

    def printed(self) -> str:
        out = "x".join(str(int(getattr(self, "out" + axis))) for axis in self.printed_axes)
        return f"{self.type_name()}({out}, {self.joined('k')})"
