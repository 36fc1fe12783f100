"""PNG files of 16 bits a number; Pillow writes only grey ones."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from ..tensors.arguments import sizes_text
from ..tensors.tensor import Tensor

KINDS = {1: 0, 3: 2, 4: 6}
"""PNG's kinds of colours, by the number of planes: grey, RGB, and RGB that may be transparent."""


def png_of_16_bits(who: str, image: Tensor) -> bytes:
    """The file of an image of H x W, or of 1, 3 or 4 planes, from 0 to 1. Raises: ValueError for others and bytes."""
    values = image.numpy()
    planes = values[None] if values.ndim == 2 else values
    if planes.ndim != 3 or len(planes) not in KINDS or planes.dtype == np.uint8 or not planes.size:
        given = "bytes" if planes.dtype == np.uint8 else f"size {sizes_text(image.shape)}"
        raise ValueError(f"image.{who}: expected numbers of size HxW or CxHxW, C 1, 3 or 4, for 16 bits, got {given}")
    rows = np.rint(np.clip(planes.astype(np.float64), 0, 1) * 65535).astype(">u2").transpose(1, 2, 0)
    height, width, count = rows.shape
    header = struct.pack(">IIBBBBB", width, height, 16, KINDS[count], 0, 0, 0)
    lines = b"".join(b"\0" + row.tobytes() for row in rows)  # 0: the line is not filtered
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        _chunk(name, data) for name, data in ((b"IHDR", header), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    )


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
