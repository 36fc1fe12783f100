"""Images with pixels from anywhere in the old one: rotations, polar coordinates, flow fields."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tensors.kinds import Operand
from ..tensors.tensor import Tensor
from .results import as_result, image_of, one_of, tensors_first, working
from .scaling import cubic_weights

MODES = ("simple", "bilinear", "bicubic", "lanczos")
RADIUS = 3
"""Pixels to each side that Lanczos's kernel looks at."""


def rotate(*args: Operand) -> Tensor:
    """`rotate([result,] image, theta [, mode])`: rotated to the left about its centre by an angle; 0 in empty places.

    The mode is "simple" (the nearest pixel) or "bilinear". Raises ValueError for others.
    Source: image/doc/simpletransform.md; image/generic/image.c.
    """
    destination, (source, theta, *mode) = tensors_first("rotate", args)
    image = _planes(image_of("rotate", source))
    height, width = image.shape[1:]
    bilinear = one_of("rotate", "mode", mode[0] if mode else "simple", ("simple", "bilinear")) == "bilinear"
    real = working(image).dtype.type if bilinear else np.float32
    center_x, center_y = real((width - 1) / 2), real((height - 1) / 2)
    y, x = np.mgrid[:height, :width].astype(real)
    sine, cosine = real(np.sin(theta)), real(np.cos(theta))
    old_x = cosine * (x - center_x) - sine * (y - center_y) + center_x
    old_y = cosine * (y - center_y) + sine * (x - center_x) + center_y
    if bilinear:
        half_y, half_x = _kept_half(old_y, height), _kept_half(old_x, width)
        inside = (half_y >= 0) & (half_x >= 0) & (half_y <= height - 1) & (half_x <= width - 1)
        found = np.where(inside, _bilinear(image, half_y, half_x), 0)
    else:
        found = _pixels(image, _half_away(old_y), _half_away(old_x))
    return as_result(_like(found, source), source, destination)


def _kept_half(position: np.ndarray, size: int) -> np.ndarray:
    """Positions; those less than half a pixel outside move to the edge."""
    edge = np.where((position > size - 1) & (position < size - 0.5), size - 1, position)
    return np.where((edge < 0) & (edge > -0.5), 0, edge)


def _half_away(position: np.ndarray) -> np.ndarray:
    """Rounded, halves away from 0."""
    return np.trunc(position + np.copysign(0.5, position)).astype(np.int64)


def polar(*args: Operand) -> Tensor:
    """`polar([result,] image [, interpolation [, mode]])`: angles in rows, from the bottom clockwise, radii in columns.

    Without a result, the new image is a square of the longer side. The interpolation is "simple" or "bilinear"; with
    the mode "valid" radii end at the nearer edge, with "full" at the corners. Raises ValueError for others.
    Source: image/doc/simpletransform.md; image/generic/image.c.
    """
    return _polar("polar", args, lambda radius, width: np.arange(width, dtype=np.float32) * radius / np.float32(width))


def logpolar(*args: Operand) -> Tensor:
    """As `polar`, with the logarithm of radii. Raises ValueError as `polar` does."""
    return _polar("logpolar", args, lambda radius, width: np.exp(np.arange(width) * np.float32(np.log(radius) / width)))


def _polar(who: str, args: tuple, radii: Any) -> Tensor:
    destination, (source, *options) = tensors_first(who, args)
    interpolation, mode = (*options, *("simple", "valid")[len(options) :])
    one_of(who, "interpolation", interpolation, ("simple", "bilinear"))
    image = _planes(image_of(who, source))
    old_height, old_width = image.shape[1:]
    side = max(old_height, old_width)
    height, width = (side, side) if destination is None else destination.shape[-2:]
    full = one_of(who, "mode", mode, ("valid", "full")) == "full"
    radius = np.float32(np.hypot(old_width, old_height) / 2 if full else min(old_width, old_height) / 2)
    r = radii(radius, width).astype(np.float32)
    angle = (2 * np.pi * np.arange(height) / height).astype(np.float32)[:, None]
    y, x = r * np.cos(angle.astype(np.float64)) + old_height / 2, -r * np.sin(angle.astype(np.float64)) + old_width / 2
    whole_y, whole_x = np.floor(y).astype(np.int64), np.floor(x).astype(np.int64)
    found = _pixels(image, whole_y, whole_x)
    if interpolation == "bilinear":
        inside = (whole_y >= 0) & (whole_x >= 0) & (whole_y < old_height - 1) & (whole_x < old_width - 1)
        found = np.where(inside, _bilinear(image, y, x), found)
    return as_result(_like(found, source), source, destination)


def warp(*args: Operand) -> Tensor:
    """`warp([result,] image, field [, mode [, offset [, clamp [, pad]]]])`: pixels from where a flow field points.

    `field` is 2 x height x width: rows, then columns, from the new pixel (with `offset`, the default) or from the top
    left. The mode is "bilinear", "simple", "bicubic" or "lanczos". Outside the image, `clamp` "clamp" takes the
    nearest pixel and "pad" the number `pad`, by default 0. Raises ValueError for other values, TypeError for a pad
    without "pad".
    Source: image/doc/paramtransform.md; image/generic/image.c.
    """
    destination, (source, field, *options) = tensors_first("warp", args, 2)
    mode, offset, clamp, pad = _options("warp", options, True)
    flow = image_of("warp", field, (3,)).astype(np.float32)
    if flow.shape[0] != 2:
        raise ValueError(f"image.warp: expected a field of 2 planes, got {flow.shape[0]}")
    height, width = flow.shape[1:]
    rows, columns = np.mgrid[:height, :width] * bool(offset)
    return _warped("warp", source, destination, rows + flow[0], columns + flow[1], (mode, clamp, pad))


def affinetransform(*args: Operand) -> Tensor:
    """`affinetransform([result,] image, matrix [, mode [, translation [, clamp [, pad]]]])`: a linear map and a shift.

    `matrix` is 2 x 2, for rows and columns from the centre; `translation` is how far pixels move, down and to the
    right. The other options are those of `warp`. Raises ValueError and TypeError as `warp` does.
    Source: image/doc/paramtransform.md; image/init.lua.
    """
    destination, (source, matrix, *options) = tensors_first("affinetransform", _tensors_last(args), 2)
    mode, translation, clamp, pad = _options("affinetransform", options, (0, 0))
    height, width = image_of("affinetransform", source).shape[-2:]
    y, x = np.mgrid[:height, :width]
    centered = np.stack([(height - 1) / 2 - y, (width - 1) / 2 - x])
    mapped = np.einsum("ij,jhw->ihw", np.asarray(matrix, np.float64), centered)
    shift = np.asarray(translation, np.float64)
    rows, columns = (centered - mapped) - shift[:, None, None]
    return _warped("affinetransform", source, destination, y + rows, x + columns, (mode, clamp, pad))


def _tensors_last(args: tuple) -> tuple:
    """The arguments with an option's tensor as a list, since it is not an image."""
    return tuple(
        each.totable() if isinstance(each, Tensor) and i > 2 and each.dim() == 1 else each
        for i, each in enumerate(args)
    )


def _options(who: str, given: list, second: Any) -> tuple[str, Any, str, float]:
    """(mode, the second option, clamp, pad) with defaults."""
    if len(given) > 4:
        raise TypeError(f"image.{who}: incorrect arguments: {given}")
    defaults: list[Any] = ["bilinear", second, "clamp", 0]
    mode, second, clamp, pad = given + defaults[len(given) :]
    one_of(who, "mode", mode, MODES)
    if one_of(who, "clamp", clamp, ("clamp", "pad")) == "clamp" and len(given) > 3:
        raise TypeError(f'image.{who}: a value to pad with needs the clamp mode "pad"')
    return mode, second, clamp, pad


def _warped(
    who: str, source: Tensor, destination: Tensor | None, y: np.ndarray, x: np.ndarray, options: tuple
) -> Tensor:  # fmt: skip
    mode, clamp, pad = options
    image = working(_planes(image_of(who, source)))
    height, width = image.shape[1:]
    y, x = y.astype(np.float32), x.astype(np.float32)
    outside = (y < 0) | (y > height - 1) | (x < 0) | (x > width - 1)
    y, x = np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)
    if mode == "simple":
        found = _pixels(
            image, np.floor(y + np.float32(0.5)).astype(np.int64), np.floor(x + np.float32(0.5)).astype(int)
        )
    elif mode == "bilinear":
        found = _bilinear(image, y, x)
    elif mode == "bicubic":
        found = _bicubic(image, y, x, pad)
    else:
        found = _lanczos(image, y, x)
    found = np.where(outside, pad, found) if clamp == "pad" else found
    return as_result(_like(found, source), source, destination)


# Values at places in planes -------------------------------------------------------------------------------------------


def _planes(image: np.ndarray) -> np.ndarray:
    return image if image.ndim == 3 else image[None]


def _like(planes: np.ndarray, source: Tensor) -> np.ndarray:
    return planes if source.dim() == 3 else planes[0]


def _pixels(image: np.ndarray, y: np.ndarray, x: np.ndarray, outside: float = 0) -> np.ndarray:
    """The pixels at whole places; outside, another value."""
    height, width = image.shape[1:]
    inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
    return np.where(inside, image[:, np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)], outside)


def _clamped(image: np.ndarray, y: np.ndarray, x: np.ndarray) -> np.ndarray:
    return image[:, np.clip(y, 0, image.shape[1] - 1), np.clip(x, 0, image.shape[2] - 1)]


def _split(position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    whole = np.floor(position)
    return whole.astype(np.int64), position - whole


def _bilinear(image: np.ndarray, y: np.ndarray, x: np.ndarray) -> np.ndarray:
    image = working(image)
    (y0, fy), (x0, fx) = _split(y), _split(x)
    upper = (1 - fx) * _clamped(image, y0, x0) + fx * _clamped(image, y0, x0 + 1)
    lower = (1 - fx) * _clamped(image, y0 + 1, x0) + fx * _clamped(image, y0 + 1, x0 + 1)
    return (1 - fy) * upper + fy * lower


def _bicubic(image: np.ndarray, y: np.ndarray, x: np.ndarray, pad: float) -> np.ndarray:
    (y0, fy), (x0, fx) = _split(y), _split(x)
    return sum(
        row * column * _pixels(image, y0 + i, x0 + j, pad)
        for i, row in enumerate(cubic_weights(fy), -1)
        for j, column in enumerate(cubic_weights(fx), -1)
    )  # type: ignore[return-value]


def _lanczos(image: np.ndarray, y: np.ndarray, x: np.ndarray) -> np.ndarray:
    (y0, fy), (x0, fx) = _split(y), _split(x)
    steps = np.arange(1 - RADIUS, RADIUS + 1)[:, None, None]
    rows, columns = (np.sinc(fraction - steps) * np.sinc((fraction - steps) / RADIUS) for fraction in (fy, fx))
    total = sum(
        row * column * _clamped(image, y0 + i, x0 + j)
        for i, row in enumerate(rows, 1 - RADIUS)
        for j, column in enumerate(columns, 1 - RADIUS)
    )
    return total / (rows.sum(0) * columns.sum(0))
