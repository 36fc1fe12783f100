"""Image files, read and written by Pillow."""

from __future__ import annotations

import contextlib
import io
import os
from typing import Any

import numpy as np

from ...interop.packages import package
from ...interop.writing import replacing_by_bytes
from ..tensors.arguments import sizes_text
from ..tensors.tensor import Tensor
from .pillow import opened, to_picture, to_tensor
from .wide import png_of_16_bits

MAGIC = {"JPEG": b"\xff\xd8\xff", "PNG": b"\x89PNG"}
QUALITY = 75


def _read(who: str, file: Any, formats: list[str], depth: int | None, tensortype: str | None) -> Tensor:
    with opened(f"image.{who}", file, formats) as picture:
        wide = picture.format == "PNG" and picture.mode in ("RGB", "RGBA") and _bits_of_png(file) == (16, picture.mode)
        lower = opened(f"image.{who}", file, formats, lower=True) if wide else None
        return to_tensor(who, picture, depth, tensortype, lower)


def _bits_of_png(file: Any) -> tuple[int, str | None]:
    """The bits of a number, and the colours' planes, unless they are grey or from a palette."""
    with contextlib.nullcontext(file) if isinstance(file, io.BytesIO) else open(file, "rb") as source:
        source.seek(24)
        bits, kind = source.read(2)
    return bits, {2: "RGB", 6: "RGBA"}.get(kind)


def load(filename: str, depth: int | None = None, tensortype: str | None = None) -> Tensor:
    """The image in a JPEG, PNG, PPM or PGM file, C x H x W, with 1 or 3 planes if `depth` is given (with 1 of
    colours H x W, as in Torch).

    `tensortype` is "float" or "double" (from 0 to 1; without it, the type of `torch.Tensor`), or "byte" (0 to 255).
    Raises: ValueError for another or a damaged file, OSError, ImportError without Pillow.
    """
    return _read("load", filename, ["JPEG", "PNG", "PPM"], depth, tensortype)


def loadJPG(filename: str, depth: int | None = None, tensortype: str | None = None) -> Tensor:
    """The image in a JPEG file, as `load` gives it. Raises ValueError, OSError and ImportError as `load` does."""
    return _read("loadJPG", filename, ["JPEG"], depth, tensortype)


def loadPNG(filename: str, depth: int | None = None, tensortype: str | None = None) -> Tensor:
    """The image in a PNG file, as `load` gives it. Raises ValueError, OSError and ImportError as `load` does."""
    return _read("loadPNG", filename, ["PNG"], depth, tensortype)


def loadPPM(filename: str, depth: int | None = None, tensortype: str | None = None) -> Tensor:
    """The image in a PPM or PGM file, as `load` gives it. Raises ValueError, OSError and ImportError as `load` does."""
    return _read("loadPPM", filename, ["PPM"], depth, tensortype)


def getSize(filename: str) -> Tensor:
    """The sizes of a file's image, as a LongTensor: planes, height, width.

    Raises: ValueError for another or a damaged file, OSError, ImportError without Pillow.
    """
    with opened("image.getSize", filename, ["JPEG", "PNG", "PPM"]) as picture:
        planes = 3 if picture.mode == "P" else len(picture.getbands())
        return Tensor.of(np.array([planes, picture.height, picture.width]))


getJPGsize = getPNGsize = getPPMsize = getSize


def _written(picture: Any, file: Any, format: str, quality: int = QUALITY) -> None:
    options = {"quality": max(quality, 1)} if format == "JPEG" else {}  # Pillow takes nothing less as a quality
    if not isinstance(file, (str, os.PathLike)):
        return picture.save(file, format=format, **options)
    with replacing_by_bytes(file) as written:
        picture.save(written, format=format, **options)


def saveJPG(filename: str, tensor: Tensor) -> None:
    """Writes an image to a JPEG file of quality 75. Raises ValueError, OSError and ImportError as `save` does."""
    _written(to_picture("saveJPG", tensor), filename, "JPEG")


def savePNG(filename: str, tensor: Tensor, bits: int = 8) -> None:
    """Writes an image to a PNG file, with 8 bits as in Torch, or with 16 `bits`, which keep all of a 16-bit file.

    Raises: ValueError for other `bits`; ValueError, OSError and ImportError as `save` does.
    """
    if _are_wide("savePNG", bits):
        with replacing_by_bytes(filename) as written:
            written.write(png_of_16_bits("savePNG", tensor))
        return
    _written(to_picture("savePNG", tensor), filename, "PNG")


def _are_wide(who: str, bits: int) -> bool:
    if bits not in (8, 16):
        raise ValueError(f"image.{who}: expected 8 or 16 bits, got {bits}")
    return bits == 16


def savePPM(filename: str, tensor: Tensor) -> None:
    """Writes an image of 3 planes to a PPM file. Raises ValueError, OSError and ImportError as `save` does."""
    _written(_of_mode("savePPM", tensor, "RGB"), filename, "PPM")


def savePGM(filename: str, tensor: Tensor) -> None:
    """Writes an image of 1 plane to a PGM file. Raises ValueError, OSError and ImportError as `save` does."""
    _written(_of_mode("savePGM", tensor, "L"), filename, "PPM")


def _of_mode(who: str, tensor: Tensor, mode: str) -> Any:
    picture = to_picture(who, tensor)
    if picture.mode != mode:
        wanted = "3xHxW images as PPM" if mode == "RGB" else "1xHxW or HxW images as PGM"
        raise ValueError(f"image.{who}: can only save {wanted}, got {sizes_text(tensor.shape)}")
    return picture


SAVERS = {"jpg": saveJPG, "jpeg": saveJPG, "png": savePNG, "ppm": savePPM, "pgm": savePGM}
"""What writes a file, by the ending of its name."""


def is_supported(suffix: str) -> bool:
    """Whether files with this ending can be read and written."""
    return suffix.lower() in SAVERS


def save(filename: str, tensor: Tensor) -> None:
    """Writes an image to a file; its name ends in jpg (of quality 75), png, ppm or pgm.

    Raises: ValueError for other names and sizes, OSError, ImportError without Pillow.
    """
    suffix = os.path.splitext(filename)[1].removeprefix(".")
    if not is_supported(suffix):
        raise ValueError(f"image.save: unknown image type: {suffix!r}; there are {', '.join(SAVERS)}")
    SAVERS[suffix.lower()](filename, tensor)


# In memory ------------------------------------------------------------------------------------------------------------


def _compressed(who: str, tensor: Tensor, format: str, quality: int = QUALITY) -> Tensor:
    file = io.BytesIO()
    _written(to_picture(who, tensor), file, format, quality)
    return Tensor.of(np.frombuffer(file.getvalue(), np.uint8).copy())


def compressJPG(tensor: Tensor, quality: int = QUALITY) -> Tensor:
    """The bytes of a JPEG file, as a ByteTensor. Raises ValueError for other sizes, ImportError without Pillow."""
    return _compressed("compressJPG", tensor, "JPEG", quality)


def compressPNG(tensor: Tensor, bits: int = 8) -> Tensor:
    """The bytes of a PNG file of 8 or 16 `bits`, as a ByteTensor. Raises ValueError for other sizes, or ImportError."""
    if _are_wide("compressPNG", bits):
        return Tensor.of(np.frombuffer(png_of_16_bits("compressPNG", tensor), np.uint8).copy())
    return _compressed("compressPNG", tensor, "PNG")


def _decompress(who: str, tensor: Tensor, formats: list[str], depth: int | None, tensortype: str | None) -> Tensor:
    if tensor.dtype != np.uint8:
        raise TypeError(f"image.{who}: expected a ByteTensor of a file's bytes, got a {tensor.type()}")
    data = tensor.numpy().tobytes()
    if not data.startswith(tuple(MAGIC[each] for each in formats)):
        raise ValueError(f"image.{who}: expected the bytes of a {' or '.join(formats)} file")
    return _read(who, io.BytesIO(data), formats, depth, tensortype)


def decompress(tensor: Tensor, depth: int | None = None, tensortype: str | None = None) -> Tensor:
    """The image in the bytes of a JPEG or PNG file, as `load` gives it.

    Raises: TypeError for anything but a ByteTensor, ValueError for other bytes, ImportError without Pillow.
    """
    return _decompress("decompress", tensor, ["JPEG", "PNG"], depth, tensortype)


def decompressJPG(tensor: Tensor, depth: int | None = None, tensortype: str | None = None) -> Tensor:
    """The image in the bytes of a JPEG file. Raises TypeError, ValueError and ImportError as `decompress` does."""
    return _decompress("decompressJPG", tensor, ["JPEG"], depth, tensortype)


def decompressPNG(tensor: Tensor, depth: int | None = None, tensortype: str | None = None) -> Tensor:
    """The image in the bytes of a PNG file. Raises TypeError, ValueError and ImportError as `decompress` does."""
    return _decompress("decompressPNG", tensor, ["PNG"], depth, tensortype)


def lena() -> Tensor:
    """A photograph of Grace Hopper, 3 x 512 x 512, which Torch, too, has under this name.

    Raises: ImportError without matplotlib, which contains it, or Pillow.
    """
    return _photograph("lena", 3).narrow(2, 1, 512).contiguous()


def fabio() -> Tensor:
    """A part of the same photograph in grey, 257 x 271; Torch has another one of this size.

    Raises: ImportError without matplotlib or Pillow.
    """
    return _photograph("fabio", 1).narrow(1, 1, 257).narrow(2, 121, 271).contiguous()


def _photograph(who: str, depth: int) -> Tensor:
    samples = package("matplotlib.cbook", "functorch7[viz]", f"image.{who}")
    name = samples.get_sample_data("grace_hopper.jpg", asfileobj=False)
    with opened(f"image.{who}", name, ["JPEG"]) as picture:
        return to_tensor(who, picture, depth, None)
