"""dpnn's layers for images: glimpses, crops, and changes of colour."""

from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.typing import DTypeLike

from ..core import Map, Module, check_floating, check_number, check_positive, const, draws, expected
from ..core.arrays import Numbers
from ..core.precision import at_least_float32
from ..core.straight_through import derived_as
from ..core.types import Array, Key, Table, Tree
from .dropout import DropoutLayer
from .merging import merged
from .table import check_table
from .upsampling import linear


def check_images(module: Module, input: Array, channels: int | None = None) -> None:
    """Refuses anything but an image or a batch of images."""
    check_floating(module, input)
    if input.ndim not in (3, 4) or (channels is not None and input.shape[-3] != channels):
        with_channels = "" if channels is None else f" with {channels} channels in dimension -3"
        raise expected(module, f"a 3D or 4D tensor{with_channels}", input)


class Clip(Map):
    """y = max(minval, min(x, maxval)): x kept between two limits; the gradient passes everywhere, as if nothing were
    cut.

    Shape: any, kept.
    Raises: TypeError unless the limits are numbers.
    Source: dpnn/README.md#nn.Clip.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.Clip(0, 1).apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()
    [0.0, 0.0, 1.0]
    """

    minval: float
    maxval: float
    tunable: ClassVar[tuple[str, ...]] = ("minval", "maxval")

    def __post_init__(self) -> None:
        check_number(self, minval=self.minval, maxval=self.maxval)

    def f(self, input: Array) -> Array:
        return derived_as(jnp.clip(input, self.minval, self.maxval), input)


class SpatialGlimpse(Map):
    """y_d = reduce(patch(x, place, size scale^d)): patches around a place in the image, each `scale` times larger than
    the one before, all reduced to one size.

    Patch d (from 0) is size * scale^d pixels wide, with zeros beyond the image; larger ones are reduced by averaging if
    scale is 2, else by bilinear interpolation with aligned corners (SpatialReSampling), or as `resampled` says.
    Shape: [(C, H, W), (2)] or [(B, C, H, W), (B, 2)] -> depth * C planes of `size`, a number or (height, width). Places
    are (y, x) from (-1, -1), top left, to (1, 1), bottom right; they get no gradient.
    Raises: ValueError unless it is given such a table, for patches to be averaged that do not divide evenly, and for
    images of 1 pixel where a patch is even.
    Source: dpnn/README.md#nn.SpatialGlimpse; Mnih et al., 2014.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SpatialGlimpse(8, depth=3), [(5, 1, 28, 28), (5, 2)])
    (5, 3, 8, 8)
    """

    takes_table = True

    size: int | tuple[int, int]
    depth: int = 3
    scale: float = 2
    resampled: bool | None = None

    def __post_init__(self) -> None:
        size = (self.size,) * 2 if isinstance(self.size, (int, float)) else self.size
        if isinstance(size, (str, dict)) or len(size) != 2:
            raise expected(self, "a size, a number or (height, width)", self.size)
        size = tuple(int(s) for s in size)
        self._set(size=size)
        check_positive(self, height=size[0], width=size[1], depth=self.depth)
        check_number(self, scale=self.scale)
        if self.resampled is None:
            self._set(resampled=self.scale != 2)

    def patch(self, image: Array, place: Array, number: int) -> Array:
        """Patch `number` of one image, at its own size."""
        sizes = [int(s * self.scale**number) for s in self.size]  # type: ignore[union-attr]
        pads = [(s - 1) // 2 for s in sizes]
        wide = jnp.pad(image, [(0, 0), *((p, p) for p in pads)])
        if any(s > w for s, w in zip(sizes, wide.shape[1:], strict=True)):
            raise expected(self, f"images larger than 1 pixel, for a patch of {sizes[0]} x {sizes[1]}", image)
        room = jnp.asarray([w - s for w, s in zip(wide.shape[1:], sizes, strict=True)], place.dtype)
        corner = jnp.clip((place + 1) / 2 * room, 0, room).astype(jnp.int32)
        return lax.dynamic_slice(wide, (jnp.int32(0), corner[0], corner[1]), (image.shape[0], *sizes))

    def reduced(self, patch: Array) -> Array:
        """A patch at the glimpse's size."""
        height, width = self.size  # type: ignore[misc]
        if patch.shape[1:] == (height, width):
            return patch
        if self.resampled:
            return linear(patch, (height, width))
        if patch.shape[1] % height or patch.shape[2] % width:
            raise expected(self, f"patches of whole blocks for {height} x {width} means", patch)
        blocks = patch.reshape(len(patch), height, patch.shape[1] // height, width, patch.shape[2] // width)
        return blocks.mean((2, 4))

    def glimpse(self, image: Array, place: Array) -> Array:
        """All patches of one image."""
        return jnp.concatenate([self.reduced(self.patch(image, place, d)) for d in range(self.depth)])

    def f(self, input: Table) -> Array:
        image, place = check_table(self, input, 2)[:2]
        if image.ndim not in (3, 4) or place.shape != (*image.shape[:-3], 2):
            raise expected(self, "a table of images, 3D or 4D, and a place (y, x) for each", input)
        check_floating(self, image)
        place = place.astype(at_least_float32(image.dtype))
        return self.glimpse(image, place) if image.ndim == 3 else jax.vmap(self.glimpse)(image, place)


class SpatialUniformCrop(Module):
    """y[i, j] = x[r + i, c + j]: a random crop of each image in training, all places (r, c) equally likely; the central
    one in evaluation.

    With scale (least, most), the training crop is larger by a random factor and resized by bilinear interpolation.
    Shape: (C, H, W) or (B, C, H, W) -> (..., oheight, owidth); owidth is oheight by default.
    Raises: ValueError for another scale, other ranks, images smaller than the crop, and if the key is missing.
    Source: dpnn/README.md#nn.SpatialUniformCrop.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SpatialUniformCrop(24), (8, 3, 32, 32))  # the centre, in evaluation
    (8, 3, 24, 24)
    """

    oheight: int
    owidth: int | None = None
    scale: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        self._set(owidth=self.oheight if self.owidth is None else self.owidth)
        check_positive(self, oheight=self.oheight, owidth=self.owidth)
        if self.scale is not None:
            scale = self.scale  # a Lua table has any order
            least, most = (scale.get("min", 0), scale.get("max", 0)) if isinstance(scale, dict) else scale
            if not 0 < least <= most:
                raise ValueError(f"{self.torch_name()}: expected a scale (least, most) above 0, got {self.scale}")
            self._set(scale=(float(least), float(most)))

    def draws(self, train: bool) -> bool:
        return train

    def crop(self, image: Array, key: Array) -> Array:
        """A random crop of one image."""
        place_key, scale_key = jax.random.split(key)
        dtype = at_least_float32(image.dtype)
        sizes = jnp.asarray([self.oheight, self.owidth], dtype)
        if self.scale is not None:
            sizes = jnp.floor(sizes * draws.uniform(scale_key, (), dtype, *self.scale))
        room = jnp.asarray(image.shape[1:], dtype) - sizes
        corner = jnp.minimum(jnp.floor(draws.uniform(place_key, (2,), dtype) * (room + 1)), room)
        if self.scale is None:
            start = corner.astype(jnp.int32)
            sizes = (image.shape[0], self.oheight, self.owidth)
            return lax.dynamic_slice(image, (jnp.int32(0), start[0], start[1]), sizes)
        for axis, count in ((0, self.oheight), (1, self.owidth)):
            image = _resampled(image, axis + 1, corner[axis], sizes[axis], int(count or 0))
        return image

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Array, train: bool) -> tuple[Array, Tree]:
        check_images(self, input)
        height, width = input.shape[-2:]
        largest = self.scale[1] if train and self.scale else 1
        if self.oheight * largest > height or (self.owidth or 0) * largest > width:
            raise expected(self, f"images of at least {self.oheight} x {self.owidth} (times {largest:g})", input)
        if not train:
            top, left = (height - self.oheight) // 2, (width - (self.owidth or 0)) // 2
            return input[..., top : top + self.oheight, left : left + (self.owidth or 0)], buffers
        images = merged(input, 3)
        cropped = jax.vmap(self.crop)(images, jax.random.split(key, len(images)))
        return cropped.reshape(input.shape[:-2] + cropped.shape[-2:]), buffers


def _resampled(image: Array, axis: int, start: Array, size: Array, count: int) -> Array:
    """`count` places along an axis, evenly spaced from `start` over `size` elements, interpolated linearly."""
    places = start + jnp.arange(count, dtype=start.dtype) * ((size - 1) / max(count - 1, 1))
    low = jnp.floor(places)
    shape = tuple(-1 if a == axis else 1 for a in range(image.ndim))
    share = (places - low).reshape(shape).astype(image.dtype)
    low = low.astype(jnp.int32)
    high = jnp.minimum(low + 1, image.shape[axis] - 1)
    return jnp.take(image, low, axis) * (1 - share) + jnp.take(image, high, axis) * share


class SpatialRegionDropout(DropoutLayer):
    """y = x * noise, in training: 0 on a share p of the image at its top, bottom, left or right, 1 / (1 - p) on the
    rest.

    One side is drawn for the whole batch; evaluation changes nothing.
    Shape: (C, H, W) or (B, C, H, W), kept.
    Raises: ValueError unless 0 <= p < 1, for other ranks, and if the key is missing.
    Source: dpnn/README.md#nn.SpatialRegionDropout.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SpatialRegionDropout(0.2), (8, 3, 32, 32))
    (8, 3, 32, 32)
    """

    p: float = 0.2

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Array, train: bool) -> tuple[Array, Tree]:
        check_images(self, input)
        if not train:
            return input, buffers
        height, width = input.shape[-2:]
        row, column = np.arange(height)[:, None], np.arange(width)[None, :]
        rows, columns = int(height * self.p), int(width * self.p)
        everywhere = np.zeros((height, width), bool)
        dropped = np.stack([
            (row < rows) | everywhere, (row >= height - rows) | everywhere,
            (column < columns) | everywhere, (column >= width - columns) | everywhere,
        ])  # fmt: skip
        side = draws.whole(key, (), 0, 4)
        kept = jnp.where(jnp.asarray(dropped)[side], 0, jnp.asarray(self.gain, input.dtype))
        return input * kept.reshape((1,) * (input.ndim - 2) + kept.shape), buffers

    def printed(self) -> str:
        return f"{self.type_name()} p: {self.p:f}"


class SpatialFeatNormalization(Map):
    """y = (x - mean) / std, with a given mean and standard deviation (1 by default) for each channel.

    Shape: (C, H, W) or (B, C, H, W), kept; mean and std have C numbers.
    Raises: ValueError for other ranks or channel counts, and unless mean and std are 1-D and of one size.
    Source: dpnn/README.md#nn.SpatialFeatNormalization.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.SpatialFeatNormalization([1.0], [2.0]).apply({}, {}, jnp.array([[[5.0, 1.0]]]))[0].tolist()
    [[[2.0, 0.0]]]
    """

    mean: Numbers
    std: Numbers | None = None

    def __post_init__(self) -> None:
        mean = np.asarray(self.mean, np.float64)
        std = np.ones(mean.shape) if self.std is None else np.asarray(self.std, np.float64)
        if mean.ndim != 1 or std.shape != mean.shape:
            raise ValueError(f"{self.torch_name()}: Mean/Std should be 1D and match, got {mean.shape} and {std.shape}")
        self._set(mean=const(mean), std=const(std))

    def f(self, input: Array) -> Array:
        mean, std = (jnp.asarray(np.asarray(a)[:, None, None], input.dtype) for a in (self.mean, self.std))
        check_images(self, input, len(mean))
        leading = (1,) * (input.ndim - 3)
        return (input - mean.reshape(leading + mean.shape)) / std.reshape(leading + std.shape)


class ColorTransform(Module, abstract=True):
    """Layers that add a random number to each channel of each image in training: write `shift`."""

    input_channels: int

    def draws(self, train: bool) -> bool:
        return train

    def shift(self, key: Key, count: int, dtype: DTypeLike) -> Array:
        """The numbers to add: (count, channels)."""
        raise NotImplementedError(f"{self.torch_name()} must define shift")

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        check_images(self, input, self.input_channels)
        if not train:
            return input, buffers
        count = len(input) if input.ndim == 4 else 1
        noise = self.shift(key, count, input.dtype)
        return input + noise.reshape((*input.shape[:-2], 1, 1)), buffers


class SimpleColorTransform(ColorTransform):
    """y = x + u in training, with u uniform on +-range for each channel of each image.

    Shape: (C, H, W) or (B, C, H, W), kept; the range has a number for each channel.
    Raises: ValueError for other ranks or channel counts, and if the key is missing.
    Source: dpnn/README.md#nn.SimpleColorTransform.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SimpleColorTransform(3, [0.1, 0.1, 0.2]), (8, 3, 32, 32))
    (8, 3, 32, 32)
    """

    range: Numbers | None = None

    def __post_init__(self) -> None:
        given = np.asarray(self.range, np.float64)
        if given.shape != (self.input_channels,):
            raise ValueError(
                f"{self.torch_name()}: number of input channels and number of range values don't match, got "
                f"{self.input_channels} and shape {given.shape}"
            )
        self._set(range=const(given))

    def shift(self, key: Array, count: int, dtype: DTypeLike) -> Array:
        limit = jnp.asarray(np.asarray(self.range), dtype)
        return draws.uniform(key, (count, self.input_channels), dtype, -1, 1) * limit[None]

    def printed(self) -> str:
        return "SimpleColorTransform"


class PCAColorTransform(ColorTransform):
    """y = x + E (a * v) in training, image by image: eigenvectors in E's columns, eigenvalues v, normal numbers a.

    Shape: (C, H, W) or (B, C, H, W), kept; E is (C, C), v (C); a has mean 0 and std.
    Raises: ValueError for other ranks or channel counts, and if the key is missing.
    Source: dpnn/README.md#nn.PCAColorTransform; Krizhevsky et al., 2012.

    >>> import functorch7 as f7
    >>> axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    >>> f7.output_shape(f7.PCAColorTransform(3, axes, [0.2, 0.1, 0.1]), (8, 3, 32, 32), train=True)
    (8, 3, 32, 32)
    """

    tunable: ClassVar[tuple[str, ...]] = ("std",)

    eigen_vectors: Numbers | None = None
    eigen_values: Numbers | None = None
    std: float = 0.1

    def __post_init__(self) -> None:
        channels = self.input_channels
        vectors, values = (np.asarray(a, np.float64) for a in (self.eigen_vectors, self.eigen_values))
        if vectors.shape != (channels, channels) or values.shape != (channels,):
            raise ValueError(
                f"{self.torch_name()}: expected {channels} x {channels} eigen vectors and {channels} eigen values, "
                f"got {vectors.shape} and {values.shape}"
            )
        self._set(eigen_vectors=const(vectors), eigen_values=const(values))

    def shift(self, key: Array, count: int, dtype: DTypeLike) -> Array:
        scaled = jnp.asarray(np.asarray(self.eigen_vectors) * np.asarray(self.eigen_values)[None, :], dtype)
        return self.std * draws.normal(key, (count, self.input_channels), dtype) @ scaled.T

    def printed(self) -> str:
        return f"{self.type_name()} channels: {self.input_channels}, std: {self.std:f}"
