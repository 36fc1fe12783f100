"""Pillow's images (`pip install functorch7[images]`) to tensors and back."""

from __future__ import annotations

import os
from io import BytesIO
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from ...interop.packages import package
from ...interop.writing import refuse_special
from ..tensors.arguments import sizes_text
from ..tensors.tensor import Tensor
from ..tensors.type_names import dtype_of
from .color import rgb2y

if TYPE_CHECKING:
    from PIL.Image import Image

TYPES = {"byte": "torch.ByteTensor", "float": "torch.FloatTensor", "double": "torch.DoubleTensor"}
MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def pillow(who: str) -> ModuleType:
    """The module PIL.Image. Raises ImportError, naming who asked, without Pillow."""
    return package("PIL.Image", "functorch7[images]", who)


def opened(who: str, file: str | os.PathLike | BytesIO, formats: list[str] | None = None, lower: bool = False) -> Image:
    """The picture in a file; for a PNG file with 16-bit colours, `lower` takes their lower halves.

    Raises: ValueError, naming who asked and the file, if it is damaged or of another format; ImportError.
    """
    is_path = not isinstance(file, BytesIO)
    if is_path:
        refuse_special(file, folders=False)
    image = pillow(who)
    try:
        picture: Any = image.open(file, formats=formats)
        if lower:  # Pillow keeps the higher halves; read in the other byte order, these are the lower ones
            picture.tile = [(*tile, f"{picture.mode};16L") for *tile, _ in picture.tile]
        picture.load()
    except FileNotFoundError:
        raise
    except (OSError, SyntaxError, ValueError, image.DecompressionBombError) as error:
        raise ValueError(f"{who}: cannot read {file if is_path else 'the bytes'}: {error}") from error
    return picture


def to_tensor(
    who: str, picture: Image, depth: int | None, tensortype: str | None, lower: Image | None = None
) -> Tensor:
    """A picture as C x H x W, from 0 to 1, or from 0 to 255 as bytes; as `with_depth` says if a `depth` is given.

    `lower` has the lower halves of 16-bit colours. Raises: ValueError for another depth or type.
    """
    if depth not in (None, 1, 3) or tensortype not in (None, *TYPES):
        raise ValueError(
            f"image.{who}: expected a depth of 1 or 3, a type of {', '.join(TYPES)}; got {depth}, {tensortype}"
        )
    wide = picture.mode.startswith("I") or lower is not None  # 16 bits
    if not wide and picture.mode not in MODES.values():
        picture = picture.convert("L" if picture.mode == "1" else "RGB")
    pixels = np.asarray(picture) if lower is None else np.asarray(picture) * np.uint16(256) + np.asarray(lower)
    planes = np.ascontiguousarray(pixels[None] if pixels.ndim == 2 else np.moveaxis(pixels, 2, 0))
    if tensortype == "byte":
        planes = (planes >> 8 if wide else planes).astype(np.uint8)
        return with_depth(Tensor.of(planes), depth)
    dtype = Tensor().dtype if tensortype is None else dtype_of(TYPES[tensortype])
    return with_depth(Tensor.of(planes.astype(dtype) / dtype.type(65535 if wide else 255)), depth)


def with_depth(image: Tensor, depth: int | None) -> Tensor:
    """The image with 1 plane (of 3, the luminance, H x W as in Torch) or 3 (of 1, copies); transparency is left out."""
    planes = image.size(1)
    if depth == 1 and planes > 1:
        return rgb2y(image.narrow(1, 1, 3))[1] if planes > 2 else image.narrow(1, 1, 1)
    if depth == 3 and planes != 3:
        return image.narrow(1, 1, 3).contiguous() if planes == 4 else Tensor.of(np.repeat(image.numpy()[:1], 3, 0))
    return image


def to_picture(who: str, image: Tensor) -> Image:
    """A tensor of H x W, or of 1 to 4 planes, as a picture: bytes as they are, others from 0 to 1, cut off as in Torch.

    Raises: ValueError for other sizes, ImportError without Pillow.
    """
    values = image.numpy()
    planes = values[None] if values.ndim == 2 else values
    if planes.ndim != 3 or len(planes) not in MODES or not planes.size:
        raise ValueError(
            f"image.{who}: expected an image of size HxW or CxHxW, C 1 to 4, got {sizes_text(image.shape)}"
        )
    if planes.dtype != np.uint8:
        planes = (np.clip(planes, 0, 1) * np.float32(255)).astype(np.uint8)
    pixels = planes[0] if len(planes) == 1 else np.ascontiguousarray(np.moveaxis(planes, 0, 2))
    return pillow(f"image.{who}").fromarray(pixels)
