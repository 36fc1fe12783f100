"""Parts of images, and images with moved pixels: crop, translate, flip."""

from __future__ import annotations

import numpy as np

from ..tensors.arguments import sizes_text
from ..tensors.kinds import Operand
from ..tensors.tensor import Tensor
from .results import as_result, image_of, one_of, tensors_first
from .scaling import scale

CORNERS = ("c", "tl", "tr", "bl", "br")


def crop(*args: Operand) -> Tensor:
    """The part of an image from column x1 and row y1, counted from 0, to x2 and y2, without these.

    `crop([result,] image, x1, y1, x2, y2)`, scaled to the size of a given result;
    `crop(result, image, x1, y1)`, a part of the result's size; `crop([result,] image, format, width, height)` with the
    format "c" (the centre), "tl", "tr", "bl" or "br" (a corner, top or bottom, left or right).
    Raises: TypeError for other arguments, ValueError for a part that is not inside the image.
    """
    destination, (source, *rest) = tensors_first("crop", args)
    image = image_of("crop", source)
    height, width = image.shape[-2:]
    if len(rest) == 3:
        x1, y1 = _corner(one_of("crop", "format", rest[0], CORNERS), width - rest[1], height - rest[2])
        rest = [x1, y1, x1 + rest[1], y1 + rest[2]]
    elif len(rest) == 2 and destination is not None:
        rest += [rest[0] + destination.shape[-1], rest[1] + destination.shape[-2]]
    if len(rest) != 4:
        raise TypeError("image.crop: expected ([result,] image, x1, y1, x2, y2) or ([result,] image, format, w, h)")
    x1, y1, x2, y2 = map(int, rest)
    if not (0 <= x1 < x2 <= width and 0 <= y1 < y2 <= height):
        raise ValueError(f"image.crop: columns {x1} to {x2}, rows {y1} to {y2} of {sizes_text(image.shape)}")
    part = as_result(image[..., y1:y2, x1:x2], source, None)
    return part if destination is None else scale(destination, part)


def _corner(format: str, right: float, bottom: float) -> tuple[int, int]:
    """Column and row of the first pixel, which may be (right, bottom) at most."""
    if format == "c":
        return int(right // 2), int(bottom // 2)
    return int(right) * format.endswith("r"), int(bottom) * format.startswith("b")


def translate(*args: Operand) -> Tensor:
    """`translate([result,] image, x, y)`: moved right and down by whole pixels; 0 in empty places."""
    destination, (source, x, y) = tensors_first("translate", args)
    image = image_of("translate", source)
    height, width = image.shape[-2:]
    moved, x, y = np.zeros_like(image), int(x), int(y)
    if abs(x) < width and abs(y) < height:
        to, of = (_overlap(y, height), _overlap(x, width)), (_overlap(-y, height), _overlap(-x, width))
        moved[..., *to] = image[..., *of]
    return as_result(moved, source, destination)


def _overlap(shift: int, size: int) -> slice:
    return slice(max(shift, 0), size + min(shift, 0))


def hflip(*args: Operand) -> Tensor:
    """`hflip([result,] image)`: left and right exchanged."""
    destination, (source,) = tensors_first("hflip", args)
    return as_result(image_of("hflip", source)[..., ::-1], source, destination)


def vflip(*args: Operand) -> Tensor:
    """`vflip([result,] image)`: top and bottom exchanged."""
    destination, (source,) = tensors_first("vflip", args)
    return as_result(image_of("vflip", source)[..., ::-1, :], source, destination)


def flip(*args: Operand) -> Tensor:
    """`flip([result,] tensor, dim)`: a dimension, from 1, in reverse order; up to 5 dimensions.

    Raises: ValueError for another dimension.
    """
    destination, (source, dim) = tensors_first("flip", args)
    if not 1 <= dim <= source.dim() <= 5:
        raise ValueError(f"image.flip: bad flip dimension {dim} of {sizes_text(source.shape)}")
    return as_result(np.flip(source.numpy(), dim - 1), source, destination)
