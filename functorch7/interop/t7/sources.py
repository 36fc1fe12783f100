"""Integers, numbers, strings and storages as they lie in a file, in the binary and in the ASCII format."""

import mmap
import re
import struct

import numpy as np

from .values import T7FormatError

MAPPED = 1 << 20
"""Storages of this many bytes and more stay in a mapped file; smaller ones are copied, which aligns them."""


class Binary:
    """The binary format: little-endian, with `long`s of 4 or 8 bytes."""

    name = "binary"
    smallest_object = 4  # bytes

    def __init__(self, data: bytes | mmap.mmap, long_size: int):
        self.data, self.size, self.position, self.long_size = data, len(data), 0, long_size
        self.long_type = np.dtype(f"<i{long_size}")

    def remaining(self) -> int:
        """The number of bytes that were not read yet."""
        return self.size - self.position

    def _advance(self, count: int, what: str) -> int:
        at = self.position
        if not 0 <= count <= self.size - at:
            raise T7FormatError(f"expected {count} bytes of {what}, {self.size - at} are left", at)
        self.position = at + count
        return at

    def integer(self) -> int:
        return struct.unpack_from("<i", self.data, self._advance(4, "an integer"))[0]

    def number(self) -> float:
        return struct.unpack_from("<d", self.data, self._advance(8, "a number"))[0]

    def text(self) -> bytes:
        at = self._advance(self.integer(), "a string")
        return self.data[at : self.position]

    def longs(self, count: int) -> tuple[int, ...]:
        at = self._advance(count * self.long_size, "long integers")
        return tuple(np.frombuffer(self.data, self.long_type, count, at).tolist())

    def storage(self, dtype: np.dtype) -> np.ndarray:
        count = self.longs(1)[0]
        stored = self.long_type if dtype == np.int64 else dtype
        at = self._advance(count * stored.itemsize, f"a storage of {count} elements")
        found = np.frombuffer(self.data, stored, count, at)
        keep = isinstance(self.data, mmap.mmap) and found.nbytes >= MAPPED and stored == dtype
        return found if keep else found.astype(dtype)


class Ascii:
    """The ASCII format: a line for each number, string, or list of numbers."""

    name = "ascii"
    long_size = None
    smallest_object = 2
    _token = re.compile(rb"[ \t\r\n]*([^ \t\r\n]+)")
    _end_of_line = re.compile(rb"\r?\n")

    def __init__(self, data: bytes | mmap.mmap):
        self.data, self.size, self.position = data, len(data), 0

    def remaining(self) -> int:
        """The number of bytes that were not read yet."""
        return self.size - self.position

    def _end_line(self) -> None:
        ending = self._end_of_line.match(self.data, self.position)
        if ending:
            self.position = ending.end()

    def _tokens(self, count: int, what: str) -> list[bytes]:
        if not 0 <= count <= self.size:
            raise T7FormatError(f"expected {count} {what} in a file of {self.size} bytes", self.position)
        # A list of numbers is one line as Torch writes it, but any white space is fine, as it is to Torch.
        end = self.data.find(b"\n", self.position, self.position + 32 * count)
        found = self.data[self.position : end].split() if end >= 0 else []
        if count and len(found) == count:
            self.position = end + 1
            return found
        found, at = [], self.position
        while len(found) < count:
            token = self._token.match(self.data, at)
            if token is None:
                raise T7FormatError(f"expected {count} {what}, found {len(found)}", at)
            found.append(token[1])
            at = token.end()
        self.position = at
        if count:
            self._end_line()
        return found

    def _parse(self, dtype: np.dtype, count: int, what: str) -> np.ndarray:
        at = self.position
        tokens = self._tokens(count, what)
        try:
            return np.array([int(t) for t in tokens] if dtype.kind in "iu" else [float(t) for t in tokens], dtype)
        except (ValueError, OverflowError) as error:
            raise T7FormatError(f"expected {what}: {error}", at) from None

    def integer(self) -> int:
        return int(self._parse(np.dtype("<i4"), 1, "integers")[0])

    def number(self) -> float:
        return float(self._parse(np.dtype("<f8"), 1, "numbers")[0])

    def _characters(self, count: int, what: str) -> bytes:
        at = self.position
        if not 0 <= count <= self.remaining():
            raise T7FormatError(f"expected {count} bytes of {what}, {self.remaining()} are left", at)
        self.position += count
        found = self.data[at : self.position]
        if count:
            self._end_line()
        return found

    def text(self) -> bytes:
        return self._characters(self.integer(), "a string")

    def longs(self, count: int) -> tuple[int, ...]:
        return tuple(self._parse(np.dtype("<i8"), count, "long integers").tolist())

    def storage(self, dtype: np.dtype) -> np.ndarray:
        count = self.longs(1)[0]
        if dtype.itemsize == 1:  # bytes and characters are themselves
            return np.frombuffer(self._characters(count, "a storage"), dtype).copy()
        with np.errstate(over="ignore"):  # "inf" is read as what it is, and so is a float that is too large
            return self._parse(dtype, count, f"{dtype.name} elements")


def let_go(array: np.ndarray) -> None:
    """Frees the memory of an array that stays in a mapped file and was not written to; it is read again when needed."""
    owner: object = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    owner = owner.obj if isinstance(owner, memoryview) else owner
    if not isinstance(owner, mmap.mmap) or not array.flags.c_contiguous or not hasattr(mmap, "MADV_DONTNEED"):
        return
    beginning = np.frombuffer(owner, np.uint8, 1).__array_interface__["data"][0]
    first = (array.__array_interface__["data"][0] - beginning) // mmap.PAGESIZE * mmap.PAGESIZE
    owner.madvise(mmap.MADV_DONTNEED, first, array.nbytes)
