"""Files of images, read and written by Pillow."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from ..operations import sizes_text
from ..tensor import Tensor
from .pillow import pillow, to_picture, to_tensor

FORMATS = {"jpg": "JPEG", "jpeg": "JPEG", "png": "PNG", "ppm": "PPM", "pgm": "PPM"}
"""Pillow's formats by the endings of files' names."""

MAGIC = {"JPEG": b"\xff\xd8\xff", "PNG": b"\x89PNG"}
QUALITY = 75


def is_supported(suffix: str) -> bool:
    """Whether files that end so can be read and written."""
    return suffix.lower() in FORMATS


def _format(who: str, filename: str) -> str:
    suffix = os.path.splitext(filename)[1].removeprefix(".")
    if not is_supported(suffix):
        raise ValueError(f"image.{who}: unknown image type: {suffix!r}; there are {', '.join(FORMATS)}")
    return FORMATS[suffix.lower()]


def _opened(who: str, file: Any, formats: list[str]) -> Any:
    """A picture. Raises ValueError, naming the file, if it is damaged or of another format."""
    image = pillow(f"image.{who}")
    try:
        picture = image.open(file, formats=formats)
        picture.load()
    except FileNotFoundError:
        raise
    except (OSError, SyntaxError, ValueError) as error:
        raise ValueError(f"image.{who}: cannot read {file}: {error}") from error
    return picture


def _loader(name: str, formats: list[str], what: str) -> Callable[..., Tensor]:
    def loader(filename: str, depth: int | None = None, tensortype: str | None = None) -> Tensor:
        with _opened(name, filename, formats) as picture:
            return to_tensor(name, picture, depth, tensortype)

    loader.__name__ = loader.__qualname__ = name
    loader.__doc__ = f"""The image in a {what} file, C x H x W, with 1 or 3 planes if `depth` is given.

    `tensortype` is "float" (from 0 to 1), "double" (the same) or "byte" (from 0 to 255).
    Raises: ValueError for a file that is none or is damaged, OSError, ImportError without Pillow.
    """
    return loader


load = _loader("load", ["JPEG", "PNG", "PPM"], "JPEG, PNG, PPM or PGM")
loadJPG = _loader("loadJPG", ["JPEG"], "JPEG")
loadPNG = _loader("loadPNG", ["PNG"], "PNG")
loadPPM = _loader("loadPPM", ["PPM"], "PPM or PGM")


def getSize(filename: str) -> Tensor:
    """The sizes of the image in a file, a LongTensor: planes, height, width.

    Raises: ValueError for a file that is none or is damaged, OSError, ImportError without Pillow.
    """
    with _opened("getSize", filename, ["JPEG", "PNG", "PPM"]) as picture:
        planes = 3 if picture.mode == "P" else len(picture.getbands())
        return Tensor.of(np.array([planes, picture.height, picture.width]))


getJPGsize = getPNGsize = getPPMsize = getSize


def _written(picture: Any, file: Any, format: str, quality: int = QUALITY) -> None:
    picture.save(file, format=format, **({"quality": quality} if format == "JPEG" else {}))


def save(filename: str, tensor: Tensor) -> None:
    """Writes an image to a file, whose name ends in jpg (of quality 75), png, ppm or pgm.

    Raises: ValueError for other names and sizes, OSError, ImportError without Pillow.
    """
    format = _format("save", filename)
    picture = to_picture("save", tensor)
    if (filename.lower().endswith("ppm") and picture.mode != "RGB") or (
        filename.lower().endswith("pgm") and picture.mode != "L"
    ):
        wanted = "3xHxW images as PPM" if filename.lower().endswith("ppm") else "1xHxW or HxW images as PGM"
        raise ValueError(f"image.save: can only save {wanted}, got {sizes_text(tensor.shape)}")
    _written(picture, filename, format)


def _saver(name: str, format: str) -> Callable[[str, Tensor], None]:
    def saver(filename: str, tensor: Tensor) -> None:
        _written(to_picture(name, tensor), filename, format)

    saver.__name__ = saver.__qualname__ = name
    saver.__doc__ = (
        f"Writes an image to a {format} file. Raises ValueError for other sizes, ImportError without Pillow."
    )
    return saver


saveJPG, savePNG = _saver("saveJPG", "JPEG"), _saver("savePNG", "PNG")
savePPM, savePGM = _saver("savePPM", "PPM"), _saver("savePGM", "PPM")


# In memory ------------------------------------------------------------------------------------------------------------


def _compressed(who: str, tensor: Tensor, format: str, quality: int = QUALITY) -> Tensor:
    file = io.BytesIO()
    _written(to_picture(who, tensor), file, format, quality)
    return Tensor.of(np.frombuffer(file.getvalue(), np.uint8).copy())


def compressJPG(tensor: Tensor, quality: int = QUALITY) -> Tensor:
    """The bytes of a JPEG file, a ByteTensor. Raises ValueError for other sizes, ImportError without Pillow."""
    return _compressed("compressJPG", tensor, "JPEG", quality)


def compressPNG(tensor: Tensor) -> Tensor:
    """The bytes of a PNG file, a ByteTensor. Raises ValueError for other sizes, ImportError without Pillow."""
    return _compressed("compressPNG", tensor, "PNG")


def _decompressor(name: str, formats: list[str]) -> Callable[..., Tensor]:
    def decompressor(tensor: Tensor, depth: int | None = None, tensortype: str | None = None) -> Tensor:
        if tensor.dtype != np.uint8:
            raise TypeError(f"image.{name}: expected a ByteTensor of a file's bytes, got a {tensor.type()}")
        data = tensor.numpy().tobytes()
        if not data.startswith(tuple(MAGIC[each] for each in formats)):
            raise ValueError(f"image.{name}: expected the bytes of a {' or '.join(formats)} file")
        return to_tensor(name, _opened(name, io.BytesIO(data), formats), depth, tensortype)

    decompressor.__name__ = decompressor.__qualname__ = name
    decompressor.__doc__ = f"""The image in the bytes of a {" or ".join(formats)} file, as `load` gives it.

    Raises: TypeError for what is no ByteTensor, ValueError for other bytes, ImportError without Pillow.
    """
    return decompressor


decompress = _decompressor("decompress", ["JPEG", "PNG"])
decompressJPG = _decompressor("decompressJPG", ["JPEG"])
decompressPNG = _decompressor("decompressPNG", ["PNG"])


def lena() -> Tensor:
    """A photograph of Grace Hopper, 3 x 512 x 512, which Torch has under this name, too.

    Raises: ImportError without matplotlib, which brings it along, or Pillow.
    """
    try:
        from matplotlib.cbook import get_sample_data
    except ImportError as error:
        raise ImportError("image.lena: needs matplotlib; pip install functorch7[viz]") from error
    name = get_sample_data("grace_hopper.jpg", asfileobj=False)
    with _opened("lena", name, ["JPEG"]) as picture:
        photograph = to_tensor("lena", picture, 3, None)
    return photograph.narrow(2, 1, 512).contiguous()
