"""IDX, the format of MNIST's files: a magic number, the sizes, and the values, all big-endian."""

import gzip
import math
import os
import struct
import zlib

import numpy as np

DTYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def read_idx(path: str | os.PathLike, ndim: int) -> np.ndarray:
    """The array with `ndim` dimensions that an IDX file holds, which may be packed by gzip.

    Raises: ValueError naming the file if it is of another kind, is damaged, or ends too soon.
    Source: http://yann.lecun.com/exdb/mnist.
    """
    data = _unpacked(path)
    zeros, code, found = struct.unpack(">HBB", data[:4].ljust(4, b"\xff"))
    if zeros != 0 or code not in DTYPES or found != ndim:
        magic = data[:4].hex(" ") or "nothing"
        raise ValueError(f"{path}: wrong magic number: expected 00 00 {min(DTYPES):02x} {ndim:02x}, got {magic}")
    header, dtype = 4 + 4 * ndim, np.dtype(DTYPES[code])
    if len(data) < header:
        raise ValueError(f"{path}: expected a header of {header} bytes, got {len(data)}")
    shape = struct.unpack(f">{ndim}I", data[4:header])
    expected = header + math.prod(shape) * dtype.itemsize
    if len(data) != expected:
        raise ValueError(f"{path}: expected {expected} bytes for sizes {shape}, got {len(data)}")
    return np.frombuffer(data, dtype, offset=header).reshape(shape)


def _unpacked(path: str | os.PathLike) -> bytes:
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    try:
        with gzip.open(path) if packed else open(path, "rb") as file:
            return file.read()
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{path}: damaged: {error}") from error
