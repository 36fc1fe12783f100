"""Image files: finding, decoding, resizing and cropping them, with Pillow."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..interop.packages import package
from ..interop.writing import refuse_special

if TYPE_CHECKING:
    from PIL.Image import Image

EXTENSIONS = {".jpg", ".jpeg", ".png", ".ppm", ".bmp"}


class ImageError(ValueError):
    """An image that cannot be used: damaged, no image at all, or too small."""


def image_files(folder: str | os.PathLike, excluded: Callable[[str], bool]) -> Iterator[str]:
    """The paths of all image files in a folder and the folders inside, by their extensions; sorted in each folder."""
    for inside, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(inside, name)
            if os.path.splitext(name)[1].lower() in EXTENSIONS and not excluded(path):
                yield path


def open_image(path: str, n_channels: int | None = None, smallest: int | None = None) -> Image:
    """An image file as it is, grey (1 channel) or RGB; without n_channels, grey only if the file is.

    JPEGs may be decoded at a fraction of their size that is not less than `smallest`.
    Raises: ImageError that names the file if it is damaged or no image.
    """
    pillow = package("PIL.Image", "functorch7[images]", "an image")
    try:
        refuse_special(path)
        with pillow.open(path) as image:
            is_wide = image.mode.startswith("I")
            grey = is_wide or image.mode in ("1", "L", "LA") if n_channels is None else n_channels == 1
            mode = "L" if grey else "RGB"
            if smallest is not None:
                image.draft(mode, (smallest, smallest))
            if is_wide:
                return _of_16_bits(image, grey)
            return image.convert(mode)
    except FileNotFoundError:
        raise
    except (OSError, SyntaxError, ValueError, pillow.DecompressionBombError) as error:
        raise ImageError(f"cannot read image {path}: {error}") from error


def _of_16_bits(image: Image, grey: bool) -> Image:
    """A grey image of numbers to 65535, which Pillow's own conversion cuts off at 255, as one of numbers to 255.

    These have fractions, unless it is to be RGB.
    """
    from PIL.Image import fromarray

    pixels = np.asarray(image).astype(np.float32) / 257
    return fromarray(pixels) if grey else fromarray(np.rint(pixels).astype(np.uint8)).convert("RGB")


def load_image(path: str, n_channels: int, smallest: int) -> Image:
    """An image file, grey (1 channel) or RGB, resized so that its smallest side is `smallest`.

    Raises: ImageError that names the file if it is damaged or no image.
    """
    image = open_image(path, n_channels, smallest)
    scale = smallest / min(image.size)
    return resized(image, round(image.height * scale), round(image.width * scale))


def resized(image: Image, height: int, width: int) -> Image:
    """An image in another size, by bilinear interpolation; the aspect ratio need not be kept."""
    from PIL.Image import Resampling

    wanted = (max(width, 1), max(height, 1))
    return image if image.size == wanted else image.resize(wanted, Resampling.BILINEAR)


def crop(image: Image, top: int, left: int, height: int, width: int) -> Image:
    """The part of an image whose first row and column are top and left, counted from 0.

    Raises: ImageError if the image is smaller.
    """
    if height > image.height or width > image.width:
        raise ImageError(f"cannot crop {height} x {width} from an image of {image.height} x {image.width}")
    return image.crop((left, top, left + width, top + height))


def as_array(image: Image) -> np.ndarray:
    """C x H x W, float32 from 0 to 1."""
    pixels = np.asarray(image)
    channels = pixels[None] if pixels.ndim == 2 else pixels.transpose(2, 0, 1)
    return np.multiply(channels, np.float32(1 / 255), dtype=np.float32, order="C")


def resample(image: Image, size: Sequence[int]) -> np.ndarray:
    """The whole image, resized to C x H x W."""
    return as_array(resized(image, size[1], size[2]))


def offset(relative: float, image: int, part: int) -> int:
    """ceil(relative * (image - part)): where a part begins that is to lie at a relative place from 0 to 1."""
    return math.ceil(relative * (image - part))


def random_crop(image: Image, size: Sequence[int], random: np.random.Generator) -> np.ndarray:
    """A part of C x H x W at a random place, mirrored with probability 0.5."""
    down, right, mirror = random.uniform(size=3)
    _, height, width = size
    part = crop(image, offset(down, image.height, height), offset(right, image.width, width), height, width)
    pixels = as_array(part)
    return pixels[:, :, ::-1] if mirror > 0.5 else pixels


def ten_crops(image: Image, size: Sequence[int]) -> np.ndarray:
    """10 x C x H x W: centre, top left, top right, bottom left, bottom right, each followed by its mirror image."""
    _, height, width = size
    bottom, right = image.height - height, image.width - width
    places = [(math.ceil(bottom / 2), math.ceil(right / 2)), (0, 0), (0, right), (bottom, 0), (bottom, right)]
    parts = [as_array(crop(image, top, left, height, width)) for top, left in places]
    return np.stack([view for part in parts for view in (part, part[:, :, ::-1])])
