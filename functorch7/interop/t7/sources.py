"""Integers, numbers, strings and storages as stored in a file, in the binary and in the ASCII format."""

import mmap
import re
import struct

import numpy as np

from ...core.types import Value
from .values import T7FormatError, owner_of

MAPPED = 1 << 20
"""Storages of at least this many bytes stay in a mapped file; smaller ones are copied, which aligns them."""


PIECE = 1 << 14
"""How many numbers are read from text at a time."""

SHOWN = 16
"""How many bytes an error shows of a text that is not a number."""


class Binary:
    """The binary format: little-endian, with `long`s of 4 or 8 bytes."""

    name = "binary"
    smallest_object = 4  # bytes

    def __init__(self, data: bytes | mmap.mmap, long_size: int):
        self.data, self.size, self.position, self.long_size = data, len(data), 0, long_size
        self.long_type = np.dtype(f"<i{long_size}")

    def remaining(self) -> int:
        """The number of bytes that are not read yet."""
        return self.size - self.position

    def rest(self) -> int:
        """The number of bytes that follow."""
        return self.remaining()

    def _advance(self, count: int, what: str) -> int:
        at = self.position
        if not 0 <= count <= self.size - at:
            raise T7FormatError(f"expected {count} bytes of {what}, {self.size - at} are left", at)
        self.position = at + count
        return at

    def integer(self) -> int:
        """The next whole number."""
        return struct.unpack_from("<i", self.data, self._advance(4, "an integer"))[0]

    def number(self) -> float:
        """The next number."""
        return struct.unpack_from("<d", self.data, self._advance(8, "a number"))[0]

    def raw(self, count: int, what: str) -> bytes:
        """This many bytes, unchanged."""
        at = self._advance(count, what)
        return self.data[at : self.position]

    def text(self) -> bytes:
        """The next string, after its length."""
        return self.raw(self.integer(), "a string")

    def longs(self, count: int) -> tuple[int, ...]:
        """This many numbers of the type `long`."""
        at = self._advance(count * self.long_size, "long integers")
        return tuple(np.frombuffer(self.data, self.long_type, count, at).tolist())

    def storage(self, dtype: np.dtype) -> np.ndarray:
        """The elements of a storage, of which the count is read already."""
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
        """The number of bytes that are not read yet."""
        return self.size - self.position

    def rest(self) -> int:
        """The number of bytes that follow, unless they are white space."""
        return 0 if self._token.match(self.data, self.position) is None else self.remaining()

    def _end_line(self) -> None:
        ending = self._end_of_line.match(self.data, self.position)
        if ending:
            self.position = ending.end()

    def _tokens(self, count: int) -> list[bytes]:
        """The next tokens, at most this many, and fewer if one would need much of the file; none at its end."""
        width = 32 * count
        while True:
            piece = self.data[self.position : self.position + width]
            if not (found := piece.split(None, count)):
                if self.position + width >= self.size:
                    return []
            elif len(found) > count:  # with the text after them
                self.position += len(piece[: len(piece) - len(found.pop())].rstrip())
                return found
            elif self.position + width >= self.size:
                self.position += len(piece.rstrip())
                return found
            elif len(found) > 1:  # the last may be cut off
                self.position += len(piece.rstrip()) - len(found.pop())
                return found
            width *= 2

    def _parse(self, dtype: np.dtype, count: int, what: str) -> np.ndarray:
        """Numbers; Torch writes them on one line, but like Torch this accepts any white space."""
        at = self.position
        if not 0 <= 2 * count <= self.remaining() + 1:
            raise T7FormatError(f"expected {count} {what} in a file of {self.size} bytes", at)
        found, done, number = np.empty(count, dtype), 0, int if dtype.kind in "iu" else float
        while done < count:  # piece by piece, since tokens take many times the memory of numbers
            tokens = self._tokens(min(count - done, PIECE))
            if not tokens:
                raise T7FormatError(f"expected {count} {what}, found {done}", at)
            try:
                found[done : done + len(tokens)] = list(map(number, tokens))
            except (ValueError, OverflowError) as error:
                raise T7FormatError(f"expected {what}: {error}", at) from None
            done += len(tokens)
        if count:
            self._end_line()
        return found

    def _one(self, number: type, what: str) -> Value:
        at, token = self.position, self._token.match(self.data, self.position)
        if token is None:
            raise T7FormatError(f"expected {what}, found the end of the file", at)
        try:
            found = number(token[1])
        except ValueError:
            more = "..." if len(token[1]) > SHOWN else ""
            raise T7FormatError(f"expected {what}, got {token[1][:SHOWN]!r}{more}", at) from None
        self.position = token.end()
        self._end_line()
        return found

    def integer(self) -> int:
        """The next whole number."""
        at, found = self.position, self._one(int, "an integer")
        if not -(1 << 31) <= found < 1 << 31:
            raise T7FormatError(f"expected an integer of 32 bits, got {found}", at)
        return found

    def number(self) -> float:
        """The next number."""
        return self._one(float, "a number")

    def raw(self, count: int, what: str) -> bytes:
        """This many bytes, unchanged, and the end of their line."""
        at = self.position
        if not 0 <= count <= self.remaining():
            raise T7FormatError(f"expected {count} bytes of {what}, {self.remaining()} are left", at)
        self.position += count
        found = self.data[at : self.position]
        if count:
            self._end_line()
        return found

    def text(self) -> bytes:
        """The next string, after its length."""
        return self.raw(self.integer(), "a string")

    def longs(self, count: int) -> tuple[int, ...]:
        """This many numbers of the type `long`."""
        return tuple(self._parse(np.dtype("<i8"), count, "long integers").tolist())

    def storage(self, dtype: np.dtype) -> np.ndarray:
        """The elements of a storage, of which the count is read already."""
        count = self.longs(1)[0]
        if dtype.itemsize == 1:  # bytes and characters are themselves
            return np.frombuffer(self.raw(count, "a storage"), dtype).copy()
        with np.errstate(over="ignore"):  # "inf" is read as infinity, and so is a float that is too large
            return self._parse(dtype, count, f"{dtype.name} elements")


def let_go(array: np.ndarray) -> None:
    """Frees the memory of an array in a mapped file that was not written to; it is read again when needed."""
    owner = owner_of(array).base
    owner = owner.obj if isinstance(owner, memoryview) else owner
    if not isinstance(owner, mmap.mmap) or not array.flags.c_contiguous or not hasattr(mmap, "MADV_DONTNEED"):
        return
    beginning = np.frombuffer(owner, np.uint8, 1).__array_interface__["data"][0]
    first = (array.__array_interface__["data"][0] - beginning) // mmap.PAGESIZE * mmap.PAGESIZE
    owner.madvise(mmap.MADV_DONTNEED, first, array.nbytes)
