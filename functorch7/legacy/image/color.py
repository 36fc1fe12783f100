"""Conversions of images of 3 planes between colour spaces, and maps from numbers to colours."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..tensors.kinds import Operand
from ..tensors.tensor import Tensor
from .results import as_result, by_default, image_of, tensors_first, working

WHITE = np.array([0.950456, 1.0, 1.088754])
"""The white point D65 in XYZ."""

TO_XYZ = np.array([[0.412453, 0.357580, 0.180423], [0.212671, 0.715160, 0.072169], [0.019334, 0.119193, 0.950227]])
FROM_XYZ = np.array(
    [[3.2404542, -1.5371385, -0.4985314], [-0.9692660, 1.8760108, 0.0415560], [0.0556434, -0.2040259, 1.0572252]]
)
EPSILON, KAPPA = 216 / 24389, 24389 / 27
TO_YUV = np.array([[0.299, 0.587, 0.114], [-0.14713, -0.28886, 0.436], [0.615, -0.51499, -0.10001]])
FROM_YUV = np.array([[1, 0, 1.13983], [1, -0.39465, -0.58060], [1, 2.03211, 0]])


def _convert(who: str, args: tuple, convert: Callable[[np.ndarray], np.ndarray], unit: bool) -> Tensor:
    """An image with its colours converted, by a function of numbers from 0 to 1 if `unit`."""
    destination, (source,) = tensors_first(who, args)
    image = working(image_of(who, source, (3,)))
    if image.shape[0] != 3:
        raise ValueError(f"image.{who}: expected an image of 3 planes, got {image.shape[0]}")
    factor = 255 if unit and source.dtype == np.uint8 else 1
    return as_result(convert(image / factor) * factor, source, destination)


def _product(matrix: np.ndarray, planes: np.ndarray) -> np.ndarray:
    return np.einsum("ij,jhw->ihw", matrix, planes)


def rgb2yuv(*args: Operand) -> Tensor:
    """`rgb2yuv([result,] image)`: luminance and two differences of colours."""
    return _convert("rgb2yuv", args, lambda rgb: _product(TO_YUV, rgb), False)


def yuv2rgb(*args: Operand) -> Tensor:
    """`yuv2rgb([result,] image)`: the inverse of rgb2yuv, within its constants' digits."""
    return _convert("yuv2rgb", args, lambda yuv: _product(FROM_YUV, yuv), False)


def rgb2y(*args: Operand) -> Tensor:
    """`rgb2y([result,] image)`: 0.299 R + 0.587 G + 0.114 B, an image of one plane."""
    return _convert("rgb2y", args, lambda rgb: _product(TO_YUV[:1], rgb), False)


def rgb2nrgb(*args: Operand) -> Tensor:
    """`rgb2nrgb([result,] image)`: each colour's share in the sum of the three."""
    return _convert("rgb2nrgb", args, lambda rgb: rgb / (rgb.sum(0) + 1e-6), False)


def rgb2hsv(*args: Operand) -> Tensor:
    """`rgb2hsv([result,] image)`: hue, saturation and value, from 0 to 1."""
    return _convert("rgb2hsv", args, _to_hsv, True)


def hsv2rgb(*args: Operand) -> Tensor:
    """`hsv2rgb([result,] image)`: the inverse of rgb2hsv."""
    return _convert("hsv2rgb", args, _from_hsv, True)


def rgb2hsl(*args: Operand) -> Tensor:
    """`rgb2hsl([result,] image)`: hue, saturation and lightness, from 0 to 1."""
    return _convert("rgb2hsl", args, _to_hsl, True)


def hsl2rgb(*args: Operand) -> Tensor:
    """`hsl2rgb([result,] image)`: the inverse of rgb2hsl."""
    return _convert("hsl2rgb", args, _from_hsl, True)


def rgb2lab(*args: Operand) -> Tensor:
    """`rgb2lab([result,] image)`: CIE L*a*b* of sRGB, with the white point D65. Raises TypeError for a ByteTensor."""
    return _convert("rgb2lab", _no_bytes("rgb2lab", args), _to_lab, False)


def lab2rgb(*args: Operand) -> Tensor:
    """`lab2rgb([result,] image)`: the inverse of rgb2lab. Raises TypeError for a ByteTensor."""
    return _convert("lab2rgb", _no_bytes("lab2rgb", args), _from_lab, False)


def _no_bytes(who: str, args: tuple) -> tuple:
    if any(isinstance(each, Tensor) and each.dtype == np.uint8 for each in args):
        raise TypeError(f"image.{who}: not supported for torch.ByteTensor")
    return args


# Formulas -------------------------------------------------------------------------------------------------------------


def _hue(rgb: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Hue from 0 to 1, the largest and the smallest of the colours."""
    red, green, blue = rgb
    high, low = rgb.max(0), rgb.min(0)
    spread = np.where(high == low, 1, high - low)
    of_red = (green - blue) / spread + np.where(green < blue, 6, 0).astype(rgb.dtype)
    sixths = np.where(
        high == red, of_red, np.where(high == green, (blue - red) / spread + 2, (red - green) / spread + 4)
    )
    return np.where(high == low, 0, sixths / 6), high, low


def _to_hsv(rgb: np.ndarray) -> np.ndarray:
    hue, high, low = _hue(rgb)
    return np.stack([hue, np.where(high == low, 0, (high - low) / np.where(high == 0, 1, high)), high])


def _from_hsv(hsv: np.ndarray) -> np.ndarray:
    hue, saturation, value = hsv
    sector = np.floor(hue * 6.0)
    fraction = hue * 6 - sector
    p, q, t = value * (1 - saturation), value * (1 - fraction * saturation), value * (1 - (1 - fraction) * saturation)
    colors = ((value, t, p), (q, value, p), (p, value, t), (p, q, value), (t, p, value), (value, p, q))
    which = sector.astype(np.int64) % 6
    return np.stack([np.choose(which, of_sectors) for of_sectors in zip(*colors, strict=True)])


def _to_hsl(rgb: np.ndarray) -> np.ndarray:
    hue, high, low = _hue(rgb)
    lightness = (high + low) / 2
    largest = np.where(lightness > 0.5, 2 - high - low, high + low)
    return np.stack([hue, np.where(high == low, 0, (high - low) / np.where(largest == 0, 1, largest)), lightness])


def _from_hsl(hsl: np.ndarray) -> np.ndarray:
    hue, saturation, lightness = hsl
    q = np.where(lightness < 0.5, lightness * (1 + saturation), lightness + saturation - lightness * saturation)
    p = 2 * lightness - q

    def color(shift: float) -> np.ndarray:
        t = hue + shift
        t = np.where(t < 0, t + 1, np.where(t > 1, t - 1, t))
        falling = np.where(t < 2 / 3, p + (q - p) * (2 / 3 - t) * 6, p)
        return np.where(t < 1 / 6, p + (q - p) * 6 * t, np.where(t < 1 / 2, q, falling))

    return np.where(saturation == 0, lightness, np.stack([color(1 / 3), color(0), color(-1 / 3)]))


def _to_lab(rgb: np.ndarray) -> np.ndarray:
    linear = np.where(rgb <= 0.04045, rgb / 12.92, (np.maximum(rgb + 0.055, 0) / 1.055) ** 2.4)
    xyz = _product(TO_XYZ, linear) / WHITE[:, None, None]
    x, y, z = np.where(xyz > EPSILON, np.cbrt(xyz), (KAPPA * xyz + 16) / 116)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def _from_lab(lab: np.ndarray) -> np.ndarray:
    lightness, a, b = lab.astype(np.float64)
    y = (lightness + 16) / 116
    x, z = a / 500 + y, y - b / 200
    planes = [np.where(f**3 > EPSILON, f**3, (116 * f - 16) / KAPPA) for f in (x, y, z)]
    linear = _product(FROM_XYZ, np.stack(planes) * WHITE[:, None, None])
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * np.maximum(linear, 0) ** (1 / 2.4) - 0.055)


# Maps -----------------------------------------------------------------------------------------------------------------


def jetColormap(nbColor: float) -> Tensor:
    """nbColor x 3: colours from blue through green to red; of a number that is not whole, those up to it."""
    four = 4 * np.arange(1, int(nbColor) + 1) / nbColor
    columns = [np.minimum(four - 1.5 + i, 4.5 - i - four) for i in range(3)]
    return Tensor.of(by_default(np.clip(np.stack(columns, 1), 0, 1)))


def colormap(nbColor: int) -> Tensor:
    """nbColor x 3: distinct colours, in steps of hue and saturation."""
    steps = np.arange(nbColor)
    hue, saturation = steps * 39 % 360 / 360, steps / 9 % 0.7 + 0.3
    hsl = np.stack([hue, saturation, np.full(nbColor, 0.5)])[:, None]
    return Tensor.of(by_default(_from_hsl(hsl)[:, 0].T))


def y2jet(*args: Operand) -> Tensor:
    """`y2jet([result,] image)`: numbers from 1 to their largest, as colours of jetColormap; fractions are dropped.

    Raises: ValueError for numbers that are not above 0, or of which none is 1 or more.
    """
    destination, (source,) = tensors_first("y2jet", args)
    values = source.numpy().astype(np.float64)
    values = values[0] if values.ndim == 3 and values.shape[0] == 1 else np.atleast_2d(values)
    if values.ndim != 2 or not (values.min() > 0 and 1 <= values.max() < np.inf):
        raise ValueError("image.y2jet: expected an image of size HxW of numbers from 1")
    colors, levels = jetColormap(values.max().item()).numpy(), np.trunc(values - 1).astype(np.int64)
    if source.dtype == np.uint8:
        colors = np.floor(colors * 255 + 0.5)
    return as_result(np.moveaxis(colors[levels], 2, 0), source, destination)
