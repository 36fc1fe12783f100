"""Images in other sizes: each new row, then each new column, is a weighted sum of old ones."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from ..tensors.arguments import sizes_text
from ..tensors.kinds import Operand
from ..tensors.tensor import Tensor
from .results import as_result, image_of, one_of, rounded, tensors_first, working

MODES = ("bilinear", "bicubic", "simple")


def scale(*args: Operand) -> Tensor:
    """An image in another size.

    `scale(image, width, height [, mode])`; `scale(image, size [, mode])` with the size "WxH", MAX (of the longer side),
    "^MIN" (of the shorter), "*FACTOR" or "*N/M"; `scale(result, image [, mode])` into the result's size. The mode is
    "bilinear" (interpolates between the corners' pixels, averages for smaller sizes), "bicubic"
    (by cubic polynomials) or "simple" (the nearest pixel to the left and above).
    Raises: TypeError for other arguments, ValueError for unknown sizes and modes.
    Source: image/doc/simpletransform.md; image/generic/image.c.
    """
    destination, (source, *rest) = tensors_first("scale", args)
    image = image_of("scale", source)
    numbers = rest if destination is None else list(destination.shape[:-3:-1]) + rest
    mode = numbers.pop() if len(numbers) > 1 and isinstance(numbers[-1], str) else "bilinear"
    if len(numbers) == 1:
        numbers = _size(numbers[0], image.shape[-1], image.shape[-2])
    if len(numbers) != 2:
        raise TypeError("image.scale: expected (image, width, height), (image, size) or (result, image), and a mode")
    if destination is not None and destination.shape[:-2] != image.shape[:-2]:
        raise ValueError(
            f"image.scale: src and dst depths do not match: {sizes_text(image.shape)}, {sizes_text(destination.shape)}"
        )
    width, height = (max(int(each), 1) for each in numbers)
    if one_of("scale", "mode", mode, MODES) == "simple" or image.shape[-2:] == (height, width):
        rows, columns = _nearest(image.shape[-2], height), _nearest(image.shape[-1], width)
        return as_result(image[..., rows[:, None], columns], source, destination)
    parts = _bilinear if mode == "bilinear" else _bicubic
    wide = rounded(parts(image.shape[-1], width).summed(working(image), -1), source.dtype)
    return as_result(parts(image.shape[-2], height).summed(working(wide), -2), source, destination)


def _size(size: Any, width: int, height: int) -> list[float]:
    """(width, height) of a size in any of Torch's forms."""
    text = str(size)
    if found := re.fullmatch(r"(\d+)x(\d+)", text):
        return [int(found[1]), int(found[2])]
    if found := re.fullmatch(r"\^(\d+)", text):
        factor, base = int(found[1]), min(width, height)
    elif found := re.fullmatch(r"\*(\d+)/(\d+)", text):
        factor, base = int(found[1]), int(found[2])
    elif found := re.fullmatch(r"(\*?)([\d.]+)", text):
        factor, base = float(found[2]), 1 if found[1] else max(width, height)
    else:
        raise ValueError(f"image.scale: could not find valid dest size in {size!r}")
    return [width * factor / base, height * factor / base]


# What new pixels are made of -----------------------------------------------------------------------------------------


class _Parts(NamedTuple):
    """The places and weights of the old pixels in each new one's sum: both are parts x new pixels."""

    places: np.ndarray
    weights: np.ndarray

    def summed(self, image: np.ndarray, axis: int) -> np.ndarray:
        """The new pixels along the last axis or the one before."""
        found: Any = 0
        for places, weights in zip(self.places, self.weights, strict=True):
            found = found + image.take(places, axis) * (weights if axis == -1 else weights[:, None])
        return found


def _between_ends(old: int, new: int) -> tuple[np.ndarray, np.ndarray]:
    """The new pixels' places among the old ones if the first and last stay: whole places and fractions, as floats."""
    if new == 1:
        return np.array([old - 1]), np.zeros(1, np.float32)
    position = np.arange(new, dtype=np.float32) * (np.float32(old - 1) / np.float32(new - 1))
    position[-1] = old - 1
    whole = position.astype(np.int64)
    return whole, position - whole


def _bilinear(old: int, new: int) -> _Parts:
    if new >= old:
        whole, fraction = _between_ends(old, new)
        return _Parts(np.minimum([whole, whole + 1], old - 1), np.stack([1 - fraction, fraction]))
    edges = np.arange(new + 1, dtype=np.float32) * (np.float32(old) / np.float32(new))
    places = edges[:-1].astype(np.int64) + np.arange(-(-old // new) + 1)[:, None]
    covered = np.minimum(edges[1:], places + np.float32(1)) - np.maximum(edges[:-1], places.astype(np.float32))
    weights = np.maximum(covered, 0)
    return _Parts(np.minimum(places, old - 1), weights / weights.sum(0))


def cubic_weights(x: np.ndarray) -> np.ndarray:
    """The weights of the pixels at -1, 0, 1 and 2 for a value at x from 0 to 1, by Catmull-Rom's cubic polynomial."""
    return np.stack(
        [
            0.5 * x * (-1 + x * (2 - x)),
            1 + 0.5 * x * x * (3 * x - 5),
            0.5 * x * (1 + x * (4 - 3 * x)),
            0.5 * x * x * (x - 1),
        ]
    )


def _bicubic(old: int, new: int) -> _Parts:
    """Beyond the ends, a line goes on as it comes; the last pixel of one new one is the last old one, as in Torch."""
    if old in (1, new):
        return _bilinear(old, new)
    whole, fraction = _between_ends(old, new)
    last = whole == old - 1
    whole, fraction = whole - last, np.where(last, np.float32(1), fraction)
    before, left, right, after = cubic_weights(fraction)
    first_beyond, last_beyond = before * (whole == 0), after * (whole == old - 2)
    weights = [
        before - first_beyond,
        left + 2 * first_beyond - last_beyond,
        right + 2 * last_beyond - first_beyond,
        after - last_beyond,
    ]
    return _Parts(np.clip(whole + np.arange(-1, 3)[:, None], 0, old - 1), np.stack(weights))


def _nearest(old: int, new: int) -> np.ndarray:
    nearest = (np.arange(new, dtype=np.float32) * (np.float32(old) / np.float32(new))).astype(np.int64)
    return np.minimum(nearest, old - 1)
