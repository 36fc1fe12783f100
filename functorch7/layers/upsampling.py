"""Layers that enlarge images and volumes, or change them to another size."""

from dataclasses import fields
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from ..core import Map, check_floating, check_positive, expected
from ..core.types import Array, Sizes


def interpolation(size: int, count: int) -> np.ndarray:
    """The matrix (count, size) that interpolates linearly; the first and last elements stay where they are."""
    # In float32, as in Torch: rounding decides which two elements are mixed where a place falls on an element.
    step = np.float32(size - 1) / np.float32(count - 1) if count > 1 else np.float32(0)
    places = np.arange(count, dtype=np.float32) * step
    low = np.minimum(places.astype(int), size - 1)
    high = np.minimum(low + 1, size - 1)
    matrix, rows = np.zeros((count, size)), np.arange(count)
    np.add.at(matrix, (rows, low), 1 - (places - low))
    np.add.at(matrix, (rows, high), places - low)
    return matrix


def nearest(x: Array, scale: int, dims: int) -> Array:
    """The last dimensions with every element repeated."""
    for axis in range(x.ndim - dims, x.ndim):
        x = jnp.repeat(x, scale, axis)
    return x


def linear(x: Array, sizes: tuple[int, ...]) -> Array:
    """The last dimensions interpolated to these sizes, corners aligned."""
    for axis, count in zip(range(x.ndim - len(sizes), x.ndim), sizes, strict=True):
        matrix = jnp.asarray(interpolation(x.shape[axis], count), x.dtype)
        x = jnp.moveaxis(jnp.tensordot(x, matrix, ((axis,), (1,))), -1, axis)
    return x


def _check_scale(module: Map, scale: Sizes) -> None:
    if isinstance(scale, bool) or not isinstance(scale, int) or scale < 1:
        raise ValueError(f"{module.torch_name()}: expected a whole scale >= 1, got {scale!r}")


class SpatialUpSamplingNearest(Map):
    """y[i, j] = x[floor(i / scale), floor(j / scale)]: every pixel repeated in a block of scale_factor x scale_factor.

    Shape: (C, H, W) or (B, C, H, W) -> (..., H scale_factor, W scale_factor).
    Raises: ValueError for other ranks, and for a scale that is not a whole number above 0.
    Source: nn/doc/convolution.md#nn.SpatialUpSamplingNearest.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.SpatialUpSamplingNearest(2).apply({}, {}, jnp.array([[[1.0, 2.0]]]))[0].tolist()
    [[[1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 2.0, 2.0]]]
    """

    scale_factor: int

    def __post_init__(self) -> None:
        _check_scale(self, self.scale_factor)

    def f(self, input: Array) -> Array:
        if input.ndim not in (3, 4):
            raise expected(self, "a 3D or 4D tensor", input)
        return nearest(input, self.scale_factor, 2)


def _sizes_or_scale(module: Map, given: Any, names: tuple[str, ...]) -> tuple[int | None, tuple[int, ...] | None]:
    """(scale, None) or (None, sizes) from a number or a table of sizes."""
    if not isinstance(given, (dict, tuple)):
        _check_scale(module, given)
        return given, None
    sizes = tuple(given[name] for name in names if name in given) if isinstance(given, dict) else given
    if not 2 <= len(sizes) <= len(names):
        raise ValueError(f"{module.torch_name()}: output height and width parameters are required, got {given}")
    check_positive(module, **dict(zip(names[-len(sizes) :], sizes, strict=True)))
    return None, sizes


class SpatialUpSamplingBilinear(Map):
    """y[i, j] = sum_{p, q} max(0, 1 - |r_i - p|) max(0, 1 - |c_j - q|) x[p, q]; r_i = i (H - 1) / (H' - 1);
    c_j = j (W - 1) / (W' - 1): bilinear interpolation of H x W pixels to H' x W', corners aligned.

    Shape: (C, H, W) or (B, C, H, W) -> (..., H scale, W scale), or the sizes in {"oheight": ..., "owidth": ...}.
    Raises: ValueError for other ranks, and for anything but sizes or a whole scale above 0.
    Source: nn/doc/convolution.md#nn.SpatialUpSamplingBilinear.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SpatialUpSamplingBilinear(2), (8, 3, 12, 12))
    (8, 3, 24, 24)
    >>> f7.output_shape(f7.SpatialUpSamplingBilinear({"oheight": 30, "owidth": 20}), (8, 3, 12, 12))
    (8, 3, 30, 20)
    """

    scale_factor: int | None
    sizes: tuple[int, ...] | None

    def __init__(self, scale: Sizes):
        scale_factor, sizes = _sizes_or_scale(self, scale, ("oheight", "owidth"))
        self._set(scale_factor=scale_factor, sizes=sizes)

    def f(self, input: Array) -> Array:
        check_floating(self, input)
        if input.ndim not in (3, 4):
            raise expected(self, "a 3D or 4D tensor", input)
        return linear(input, self.sizes or tuple(s * (self.scale_factor or 1) for s in input.shape[-2:]))

    def printed(self) -> str:
        shown = self.scale_factor if self.sizes is None else ", ".join(map(str, self.sizes))
        return f"{self.type_name()}({shown})"


BY_TORCH: dict[str, str] = {"dW": "dw", "dH": "dh", "yDim": "y_dim", "xDim": "x_dim"}
"""Names that a table of arguments has as Torch writes them."""


def _by_name(module: Map, arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments by name; the first may be a table of them."""
    first, given = next(iter(arguments.items()))
    if not isinstance(given, dict):
        return arguments
    named = {BY_TORCH[name] if name in BY_TORCH else name: value for name, value in given.items()}
    unknown = named.keys() - {field.name for field in fields(module)}  # type: ignore[arg-type]
    if unknown:
        raise ValueError(f"{module.torch_name()}: no such arguments: {', '.join(sorted(map(str, unknown)))}")
    return {**arguments, first: None, **named}


def _check_dims(module: Any) -> None:
    check_positive(module, y_dim=module.y_dim)
    if module.y_dim + 1 != module.x_dim:
        raise ValueError(f"{module.torch_name()}: expected xDim to be yDim + 1, got {module.y_dim} and {module.x_dim}")


def _check_sizes_or_ratios(module: Any) -> None:
    for name in ("width", "height"):
        size, ratio = getattr(module, f"o{name}"), getattr(module, f"r{name}")
        if size is not None:
            check_positive(module, **{f"o{name}": size})
        elif not isinstance(ratio, (int, float)) or not ratio > 0:
            raise ValueError(f"{module.torch_name()}: expected o{name}, or r{name} above 0, got {ratio!r}")


class SpatialUpSampling(Map):
    """y[i, j] = x[floor(i / dh), floor(j / dw)]: every pixel repeated in a block of dh x dw.

    Shape: any, in which dimension y_dim becomes dh times, and x_dim, the next one, dw times as large. The first
    argument may be a table with these names.
    Raises: ValueError for inputs of fewer dimensions, other dimensions, other names, and unless dw and dh are positive.
    Source: nnx, SpatialUpSampling.lua.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.SpatialUpSampling(2, 1).apply({}, {}, jnp.array([[[1.0, 2.0]]]))[0].tolist()
    [[[1.0, 1.0, 2.0, 2.0]]]
    """

    dw: int
    dh: int
    y_dim: int
    x_dim: int

    def __init__(self, dw: int | dict[str, int] | None = None, dh: int | None = None, y_dim: int = 2, x_dim: int = 3):
        self._set(**_by_name(self, {"dw": dw, "dh": dh, "y_dim": y_dim, "x_dim": x_dim}))
        self.__post_init__()

    def __post_init__(self) -> None:
        check_positive(self, dw=self.dw, dh=self.dh)
        _check_dims(self)

    def f(self, input: Array) -> Array:
        if input.ndim < self.x_dim:
            raise expected(self, f"a tensor of at least {self.x_dim} dimensions", input)
        return jnp.repeat(jnp.repeat(input, self.dh, self.y_dim - 1), self.dw, self.x_dim - 1)


class SpatialReSampling(Map):
    """y[i, j] = sum_{p, q} max(0, 1 - |r_i - p|) max(0, 1 - |c_j - q|) x[p, q]; r_i = i (H - 1) / (H' - 1);
    c_j = j (W - 1) / (W' - 1): bilinear interpolation of H x W pixels to H' x W', corners aligned, by sizes or ratios.

    Shape: (C, H, W) or (B, C, H, W) -> (..., oheight, owidth); where a size is not given, floor(rheight H) or
    floor(rwidth W). The first argument may be a table with these names.
    Raises: ValueError for other ranks, other names, images too small for a ratio, and unless each direction has a size
    or a ratio above 0.
    Differs from Torch7: ratios are of each input; Torch7 keeps the sizes that the first one had.
    Source: nnx, SpatialReSampling.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SpatialReSampling({"owidth": 5, "rheight": 0.5}), (8, 3, 12, 12))
    (8, 3, 6, 5)
    """

    rwidth: float | None
    rheight: float | None
    owidth: int | None
    oheight: int | None

    def __init__(
        self,
        rwidth: float | dict[str, float] | None = None,
        rheight: float | None = None,
        owidth: int | None = None,
        oheight: int | None = None,
    ):
        sizes = {"rwidth": rwidth, "rheight": rheight, "owidth": owidth, "oheight": oheight}
        self._set(**_by_name(self, sizes))
        self.__post_init__()

    def __post_init__(self) -> None:
        _check_sizes_or_ratios(self)

    def f(self, input: Array) -> Array:
        check_floating(self, input)
        if input.ndim not in (3, 4):
            raise expected(self, "a 3D or 4D tensor", input)
        sizes = self.sizes(*input.shape[-2:])
        if 0 in sizes:
            raise expected(self, "an image whose size by the ratios is at least 1 x 1", input)
        return linear(input, sizes)

    def sizes(self, height: int, width: int) -> tuple[int, int]:
        """The height and width of the output for those of an image."""
        return self.oheight or int((self.rheight or 0) * height), self.owidth or int((self.rwidth or 0) * width)


class SpatialReSamplingEx(Map):
    """y[i, j] = x[floor(i / ceil(H' / H)), floor(j / ceil(W' / W))]: images brought to H' x W' pixels, larger by
    repeated pixels; smaller by every floor(H / H')-th row and floor(W / W')-th column ("simple"), or by means over as
    many ("average"); or both by interpolation as SpatialReSampling's ("bilinear").

    Shape: any, in which dimensions y_dim and x_dim, the next one, become oheight and owidth; where a size is not given,
    the ratio rheight or rwidth times the input's, rounded. The first argument may be a table with these names.
    Raises: ValueError for another mode, other dimensions, other names, images that become larger in one direction and
    smaller in the other, sizes of 0, and unless each direction has a size or a ratio above 0.
    Source: nnx, SpatialReSamplingEx.lua.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> halved = f7.SpatialReSamplingEx(0.5, 0.5, mode="average")
    >>> halved.apply({}, {}, jnp.array([[[1.0, 3.0, 5.0, 5.0], [3.0, 5.0, 6.0, 6.0]]]))[0].tolist()
    [[[3.0, 5.5]]]
    """

    rwidth: float | None
    rheight: float | None
    owidth: int | None
    oheight: int | None
    mode: str
    y_dim: int
    x_dim: int

    def __init__(
        self,
        rwidth: float | dict[str, float | str] | None = None,
        rheight: float | None = None,
        owidth: int | None = None,
        oheight: int | None = None,
        mode: str = "simple",
        y_dim: int = 2,
        x_dim: int = 3,
    ):
        sizes = {"rwidth": rwidth, "rheight": rheight, "owidth": owidth, "oheight": oheight}
        self._set(**_by_name(self, sizes | {"mode": mode, "y_dim": y_dim, "x_dim": x_dim}))
        self.__post_init__()

    def __post_init__(self) -> None:
        _check_sizes_or_ratios(self)
        if self.mode not in MODES:
            raise ValueError(f"{self.torch_name()}: expected a mode, {' or '.join(MODES)}, got {self.mode!r}")
        _check_dims(self)

    def f(self, input: Array) -> Array:
        check_floating(self, input)
        if input.ndim < self.x_dim:
            raise expected(self, f"a tensor of at least {self.x_dim} dimensions", input)
        height, width = input.shape[self.y_dim - 1 : self.x_dim]
        oheight = self.oheight or _rounded((self.rheight or 0) * height)
        owidth = self.owidth or _rounded((self.rwidth or 0) * width)
        if not oheight or not owidth or (oheight >= height) != (owidth >= width):
            shown = f"{oheight} x {owidth}"
            raise expected(self, f"an image that becomes larger or smaller in both directions, as {shown}", input)
        return self.along(self.x_dim - 1, owidth, self.along(self.y_dim - 1, oheight, input))

    def along(self, axis: int, count: int, x: Array) -> Array:
        """An axis brought to as many elements."""
        size = x.shape[axis]
        if self.mode == "bilinear":
            return jnp.moveaxis(linear(jnp.moveaxis(x, axis, -1), (count,)), -1, axis)
        if count >= size:
            return jnp.take(x, np.arange(count) // -(-count // size), axis)
        step = size // count
        if self.mode == "simple":
            return lax.slice_in_dim(x, 0, count * step, step, axis)
        kept = lax.slice_in_dim(x, 0, count * step, 1, axis)
        return kept.reshape(*x.shape[:axis], count, step, *x.shape[axis + 1 :]).mean(axis + 1)


MODES = ("simple", "average", "bilinear")
"""In the order of nnx's numbers for them, from 0."""


def _rounded(size: float) -> int:
    return int(np.floor(size + 0.5))


class UpSampling(Map):
    """y[i, j] = x[floor(i / scale), floor(j / scale)]: images or volumes made larger, every element repeated
    ("nearest"), or interpolated as by SpatialUpSamplingBilinear ("linear").

    Shape: (B, C, H, W) or (B, C, T, H, W) -> sizes times the scale, or those in {"oheight": ..., "owidth": ...}, with
    "odepth" for volumes; corners are aligned. "bilinear" and "trilinear" mean "linear".
    Raises: ValueError for other ranks, for anything but sizes or a whole scale above 0, for sizes in mode
    "nearest", and for a volume without "odepth".
    Source: nn, UpSampling.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.UpSampling(2), (8, 3, 12, 12))
    (8, 3, 24, 24)
    """

    scale_factor: int | None
    sizes: tuple[int, ...] | None
    mode: str

    def __init__(self, scale: Sizes, mode: str = "nearest"):
        scale_factor, sizes = _sizes_or_scale(self, scale, ("odepth", "oheight", "owidth"))
        mode = "linear" if mode in ("linear", "bilinear", "trilinear") else "nearest"
        if mode == "nearest" and scale_factor is None:
            raise ValueError("nn.UpSampling: nearest neighbour upsampling requires a scale_factor")
        self._set(scale_factor=scale_factor, sizes=sizes, mode=mode)

    def f(self, input: Array) -> Array:
        check_floating(self, input)
        if input.ndim not in (4, 5):
            raise expected(self, "a 4D or 5D tensor", input)
        dims = input.ndim - 2
        if self.mode == "nearest":
            return nearest(input, self.scale_factor or 1, dims)
        sizes = self.sizes or tuple(s * (self.scale_factor or 1) for s in input.shape[2:])
        if len(sizes) < dims:
            raise expected(self, "an image, as no output depth was given", input)
        return linear(input, sizes[-dims:])

    def printed(self) -> str:
        shown = f"{self.scale_factor}x" if self.sizes is None else "x".join(map(str, self.sizes))
        return f"{self.type_name()}({shown}, {self.mode})"
