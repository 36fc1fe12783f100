"""Text and rectangles in images of 3 planes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core.types import Value
from ..tensors.arguments import sizes_text
from ..tensors.tensor import Tensor
from .pillow import pillow

RED = (255, 0, 0)


def drawText(src: Tensor, text: str, x: int = 1, y: int = 1, opts: Mapping[str, Value] | None = None) -> Tensor:
    """A copy of an image with text; its top left pixel is in column x and row y, counted from 0.

    Options: `color` and `bg`, from 0 to 255 (red, and no background); `size`, a factor; `wrap`, whether a text that is
    too long continues below (true); `inplace`, whether to draw on the image itself. Pixels outside are not drawn.
    Differs from Torch7: letters are Pillow's, 6 x 11 pixels.
    Raises: ValueError for another image, TypeError for other options, ImportError without Pillow.
    """
    options = _options("drawText", opts, color=RED, bg=None, size=1, wrap=True, inplace=False)
    result, size = _drawn_on("drawText", src, options), int(options["size"])
    left, top = x, y
    for letter in text.rstrip().replace("\r", ""):
        glyph = _glyph(letter)
        height, width = (n * size for n in glyph.shape)
        if letter == "\n":
            left, top = x, top + height
            continue
        if options["wrap"] and left + width >= src.size(3):
            left, top = 0, top + height
        mask = np.kron(glyph, np.ones((size, size), bool)).astype(bool)
        if options["bg"] is not None and min(options["bg"]) >= 0:
            _paint(result, ~mask, left, top, options["bg"])
        _paint(result, mask, left, top, options["color"])
        left += width
    return result


def _glyph(letter: str) -> np.ndarray:
    """A letter's pixels; a space's for unknown characters."""
    from PIL import ImageFont

    mask = ImageFont.load_default_imagefont().getmask(letter if letter.isprintable() and letter < "\u0100" else " ")
    return np.asarray(mask, np.uint8).reshape(mask.size[::-1]) > 0


def drawRect(
    src: Tensor, x1: int, y1: int, x2: int, y2: int, opts: Mapping[str, Value] | None = None
) -> Tensor:  # fmt: skip
    """A copy of an image with a rectangle, from column x1 and row y1 to column x2 and row y2, counted from 1.

    Options: `color`, from 0 to 255 (red); `lineWidth` (1); `inplace`, whether to draw on the image itself.
    Raises: ValueError for another image, TypeError for other options.
    """
    options = _options("drawRect", opts, color=RED, lineWidth=1, inplace=False)
    result, width = _drawn_on("drawRect", src, options), int(options["lineWidth"])
    before = width // 2 + 1
    rows, columns = (
        [range(max(0, n - before), min(size, n - before + width)) for n in ends]
        for ends, size in (((y1, y2), src.size(2)), ((x1, x2), src.size(3)))
    )
    for ys, xs in (
        *((range(rows[0].start, rows[1].stop), each) for each in columns),
        *((each, range(columns[0].start, columns[1].stop)) for each in rows),
    ):
        _paint(result, np.ones((len(ys), len(xs)), bool), xs.start, ys.start, options["color"])
    return result


def _options(who: str, given: Mapping[str, Any] | None, **defaults: Any) -> dict[str, Any]:
    unknown = {*(given or {})} - {*defaults}
    if unknown:
        raise TypeError(f"image.{who}: unknown options {sorted(unknown)}; there are {', '.join(defaults)}")
    return defaults | dict(given or {})


def _drawn_on(who: str, src: Tensor, options: dict[str, Any]) -> Tensor:
    if src.dim() != 3 or src.size(1) != 3:
        raise ValueError(f"image.{who}: input image has to be a 3D tensor of shape 3xHxW, got {sizes_text(src.shape)}")
    if who == "drawText":
        pillow("image.drawText")
    return src if options["inplace"] else src.clone()


def _paint(image: Tensor, mask: np.ndarray, left: int, top: int, color: Sequence[int]) -> None:
    """Gives a colour to the pixels of a mask that lie in the image."""
    rows, columns = (places + first for places, first in zip(mask.nonzero(), (top, left), strict=True))
    inside = (rows >= 0) & (rows < image.size(2)) & (columns >= 0) & (columns < image.size(3))
    pixels, factor = np.array(image.numpy()), 1 if image.dtype == np.uint8 else 255
    pixels[:, rows[inside], columns[inside]] = np.array(color)[:, None] / factor
    image.copy(pixels)
