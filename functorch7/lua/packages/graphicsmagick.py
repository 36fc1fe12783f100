"""graphicsmagick: loads, scales and rotates pictures, and converts them to tensors, with Pillow."""

from __future__ import annotations

import copy
import io
import os
from typing import Any

import numpy as np

from ...interop.writing import replacing_by_bytes
from ...legacy.image.pillow import TYPES, opened, pillow
from ...legacy.tensors.tensor import Tensor
from ...legacy.tensors.type_names import dtype_of

LUMINANCE = np.array([0.299, 0.587, 0.114])
QUALITY = 85
FILTERS = {
    "Point": "NEAREST", "Box": "BOX", "Triangle": "BILINEAR", "Hamming": "HAMMING", "Catrom": "BICUBIC",
    "Cubic": "BICUBIC", "Mitchell": "BICUBIC",
}  # fmt: skip
"""Pillow's names of filters; the default is Lanczos."""

KINDS = {"L": "Grayscale", "LA": "GrayscaleMatte", "RGB": "TrueColor", "RGBA": "TrueColorMatte"}
"""The types of pictures, by their modes."""

OPAQUE = {"LA": "L", "RGBA": "RGB"}
"""The opaque modes, by those with transparency."""

USUAL_GAMMA = 0.454545
"""The gamma of pictures that do not specify it."""

COLORS = {1: "I", 2: "IA", 3: "RGB", 4: "RGBA"}
"""The default meaning of a tensor's planes, by their number."""


class Image:
    """A picture. Methods that change it return it, so that calls can be chained."""

    def __init__(self, source: Tensor | str | None = None, *how: Any):
        self._picture: Any = None
        self._format: str | None = None
        self._subsampling = -1  # what Pillow chooses
        self.path = "<none>"
        if source is not None:
            self.load(source, *how)

    # Files and tensors ----------------------------------------------------------------------------------------------

    def load(self, source: Tensor | str, *how: Any) -> Image:
        """Loads a whole file, ignoring a hint at a size; or takes a tensor, as `fromTensor` does."""
        if isinstance(source, Tensor):
            return self.fromTensor(source, *how)
        return self._opened(source, source)

    def fromString(self, data: str | bytes) -> Image:
        """Loads the picture from the bytes of a file."""
        return self._opened(io.BytesIO(data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data))

    def fromBlob(self, blob: str | bytes, size: int | None = None) -> Image:
        """The same, of the first bytes."""
        data = blob.encode("utf-8", "surrogateescape") if isinstance(blob, str) else blob
        return self.fromString(data[:size])

    def _opened(self, file: Any, path: str = "<blob>") -> Image:
        picture = opened("gm.Image", file)
        self._format = picture.format
        self._picture = picture if picture.mode in KINDS else picture.convert("RGB")
        self.path = path
        return self

    def save(self, path: str, quality: int = QUALITY) -> Image:
        """Writes a file, in the format of its name's ending."""
        formats = pillow("graphicsmagick").registered_extensions()
        with replacing_by_bytes(path) as written:
            self._write(written, formats.get(os.path.splitext(path)[1].lower()), quality)
        return self

    def toString(self, quality: int = QUALITY) -> bytes:
        """The bytes of a file, in the format of `format`."""
        written = io.BytesIO()
        self._write(written, self._format or "PNG", quality)
        return written.getvalue()

    def _write(self, file: Any, format: str | None, quality: int) -> None:
        picture = self._picture
        if format == "JPEG":  # which knows nothing transparent
            picture = picture.convert(OPAQUE.get(picture.mode, picture.mode))
        picture.save(file, format, quality=int(quality), subsampling=self._subsampling)

    def toBlob(self, quality: int = QUALITY) -> tuple[bytes, int]:
        """The same, and their number."""
        data = self.toString(quality)
        return data, len(data)

    def toTensor(
        self, dataType: str = "byte", colorspace: str = "RGB", dims: str = "HWD", nocopy: bool = False
    ) -> Tensor:
        """The planes that the letters R, G, B, A and I (intensity) name: bytes up to 255, or numbers up to 1.

        `dims` is "HWD" or "DHW". Raises ValueError for others.
        """
        if dataType not in TYPES or dims not in ("HWD", "DHW") or not colorspace or set(colorspace) - set("RGBAI"):
            raise ValueError(
                f"gm.Image:toTensor: expected a type of {', '.join(TYPES)}, a color space of the letters RGBAI, and "
                f"HWD or DHW; got {dataType}, {colorspace}, {dims}"
            )
        planes = np.asarray(self._picture.convert("RGBA"))
        found = {letter: planes[..., i] for i, letter in enumerate("RGBA")}
        found["I"] = np.rint(planes[..., :3] @ LUMINANCE).astype(np.uint8)
        values = np.stack([found[letter] for letter in colorspace], 0 if dims == "DHW" else 2)
        dtype = dtype_of(TYPES[dataType])
        return Tensor.of(values if dataType == "byte" else values.astype(dtype) / dtype.type(255))

    def fromTensor(self, tensor: Tensor, colorspace: str | None = None, dims: str = "HWD") -> Image:
        """Takes the picture from a tensor with planes as in `toTensor`. Raises ValueError for other sizes."""
        values = tensor.numpy()
        values = np.moveaxis(values, 0, 2) if dims == "DHW" and values.ndim == 3 else values
        colors = colorspace or COLORS.get(values.shape[-1], "")
        if values.ndim != 3 or len(colors) != values.shape[2] or set(colors) - set("RGBAI"):
            raise ValueError(
                f"gm.Image:fromTensor: expected planes for {colorspace or 'I, IA, RGB or RGBA'}, got a tensor of "
                f"{' x '.join(map(str, tensor.shape))} ({dims})"
            )
        if values.dtype != np.uint8:
            values = np.rint(np.clip(values, 0, 1) * 255).astype(np.uint8)
        found = {letter: values[..., i] for i, letter in enumerate(colors)}
        gray = found.get("I")
        names = "RGBA" if "A" in found else "RGB"
        empty = np.zeros(values.shape[:2], np.uint8)
        planes = [found.get(name, empty if gray is None else gray) for name in names]
        self._picture = pillow("graphicsmagick").fromarray(np.stack(planes, 2))
        self._format, self.path = None, "<tensor>"
        return self

    def clone(self) -> Image:
        """A picture of its own."""
        made = copy.copy(self)
        made._picture = self._picture.copy()
        return made

    # What it is -----------------------------------------------------------------------------------------------------

    def size(
        self, width: float | None = None, height: float | None = None, filter: str | None = None, blur: float = 1
    ) -> tuple[int, int] | Image:
        """Its width and height; or scales it: to both, to at most a width, or to at least a height."""
        method = pillow("graphicsmagick").Resampling[FILTERS.get(filter or "", "LANCZOS")]
        if width is None and height is None:
            return self._picture.size
        sizes, before = (width, height), self._picture.size
        if width is None or height is None:
            scale = (width or 0) / max(before) + (height or 0) / min(before)  # one of which is given
            sizes = before[0] * scale, before[1] * scale
        whole = [max(1, int(each + 1e-6)) for each in sizes]  # type: ignore[operator]
        return self._put(self._picture.resize(whole, method))

    def format(self, name: str | None = None) -> str | Image | None:
        """The format of its file; or sets the format in which `toString` writes."""
        if name is None:
            return self._format
        self._format = {"JPG": "JPEG"}.get(name.upper(), name.upper())
        return self

    def depth(self, bits: int | None = None) -> int | Image:
        """The bits per number, always 8."""
        return 8 if bits is None else self

    def type(self) -> str:
        """Whether it has colors, and transparency ("Matte")."""
        return KINDS[self._picture.mode]

    def colorspace(self, name: str | None = None) -> str | Image:
        """RGB, the only color space. Raises ValueError for others."""
        if name not in (None, "RGB"):
            raise ValueError(f"gm.Image:colorspace: expected RGB, got {name}")
        return "RGB" if name is None else self

    def gamma(self) -> float:
        """The gamma that its file specifies."""
        return float(self._picture.info.get("gamma", USUAL_GAMMA))

    def samplingFactors(self, factors: list[float]) -> Image:
        """How many pixels, across and down, share a JPEG's colors: 2 and 2, 2 and 1, or none."""
        self._subsampling = {1: 0, 2: 2}.get(int(factors[0]), -1)
        return self

    # What changes it ------------------------------------------------------------------------------------------------

    def flip(self) -> Image:
        """Exchanges top and bottom."""
        return self._turned("FLIP_TOP_BOTTOM")

    def flop(self) -> Image:
        """Exchanges left and right."""
        return self._turned("FLIP_LEFT_RIGHT")

    def rotate(self, deg: float, r: float = 0, g: float = 0, b: float = 0) -> Image:
        """Rotates clockwise, on a background of a color from 0 to 1."""
        color = tuple(round(255 * each) for each in (r, g, b))
        return self._put(self._picture.convert("RGB").rotate(-deg, expand=True, fillcolor=color))

    def crop(self, w: int, h: int, x: int = 0, y: int = 0) -> Image:
        """Keeps a part of it, given by its size and its upper left corner."""
        width, height = self._picture.size
        return self._put(self._picture.crop((int(x), int(y), min(int(x + w), width), min(int(y + h), height))))

    def gammaCorrection(self, gamma: float, channel: str | None = None) -> Image:
        """Raises all colors, from 0 to 1, to the power of 1 / gamma."""
        steps = [round(255 * (step / 255) ** (1 / gamma)) for step in range(256)]
        picture = self._picture if self._picture.mode in ("L", "RGB") else self._picture.convert("RGB")
        return self._put(picture.point(steps * len(picture.getbands())))

    def negate(self) -> Image:
        """Inverts the colors."""
        return self._put(pillow("graphicsmagick").fromarray(255 - np.asarray(self._picture.convert("RGB"))))

    def _turned(self, how: str) -> Image:
        return self._put(self._picture.transpose(pillow("graphicsmagick").Transpose[how]))

    def _put(self, picture: Any) -> Image:
        self._picture = picture
        return self


def load(path: str, type: str = "float") -> Tensor:
    """A file's picture as a tensor of 3 x H x W."""
    return Image(path).toTensor(type, "RGB", "DHW")


def save(path: str, tensor: Tensor, quality: int = QUALITY) -> None:
    """Writes a tensor of H x W, 1 x H x W or 3 x H x W as a picture."""
    planes = tensor.view(1, *tensor.shape) if tensor.dim() == 2 else tensor
    Image(planes, "I" if planes.size(1) == 1 else "RGB", "DHW").save(path, quality)


def info(path: str) -> dict[str, int | str | None]:
    """The width, height and format of a file's picture."""
    found = Image(path)
    width, height = found._picture.size
    return {"width": width, "height": height, "format": found._format}


__all__ = ["Image", "info", "load", "save"]
