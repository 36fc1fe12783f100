"""What all of Torch's files have in common: numbers, texts and objects in sequence."""

from __future__ import annotations

import io
import mmap
import os
import sys
from typing import Any, BinaryIO, Literal, Self

import numpy as np

from ...interop import t7
from ...interop.t7.values import TYPES
from ..objects.loaded import Loaded
from ..objects.saved import Saved
from ..tensors.named import Named, Written, under_name
from ..tensors.storage import Storage
from .numbers import as_text, read_text


class File(Written, Named):
    """What all of Torch's files have in common; numbers and objects are text (`ascii()`) or as in memory (`binary()`).

    For each type Byte, Char, Short, Int, Long, Float and Double, `readInt()` returns a number, `readInt(n)` a storage
    of the next n, and `readInt(storage)` fills a storage and returns the count; `writeInt` takes a number or a storage.
    Positions count from 1. Errors raise OSError, or after `quiet()` only set the flag that `hasError()` shows.
    Source: torch7/doc/file.md.
    """

    def __init__(self, stream: BinaryIO, mode: str):
        self._file, self._mode = stream, mode
        self._binary, self._spaces, self._quiet, self._error, self._referenced = False, True, False, False, True
        self._order: Literal["<", ">", "="] = "="
        self._long_size, self._buffered = 8, True
        self._loaded, self._saved = self._loading(), self._saving()
        self._parser = t7.Parser(t7.Ascii(b""), own=self._loaded.reads_itself)
        self._writer = t7.Writer(t7.sink_for("ascii")(stream))

    def _saving(self) -> Saved:
        """The function that turns objects into records."""
        return Saved()

    def _loading(self) -> Loaded:
        """The function that turns records into objects."""
        return Loaded()

    # What is set, and asked -----------------------------------------------------------------------------------------

    def ascii(self) -> Self:
        """Numbers are words of a text: the default."""
        self._binary = False
        return self

    def binary(self) -> Self:
        """Numbers are as in memory."""
        self._binary = True
        return self

    def autoSpacing(self) -> Self:
        """In texts, numbers are separated by spaces, with a line end after them: the default."""
        self._spaces = True
        return self

    def noAutoSpacing(self) -> Self:
        """In texts, nothing separates numbers."""
        self._spaces = False
        return self

    def quiet(self) -> Self:
        """Errors only set the flag that `hasError` shows."""
        self._quiet = True
        return self

    def pedantic(self) -> Self:
        """Errors are exceptions: the default."""
        self._quiet = False
        return self

    def referenced(self, ref: bool) -> Self:
        """Whether objects that were written before are written as references: the default."""
        self._referenced = ref
        return self

    def longSize(self, size: int = 0) -> Self:
        """The bytes of a long: 4 or 8 (0 means 8). Raises ValueError for others."""
        if size not in (0, 4, 8):
            raise ValueError(f"longSize: expected 0, 4 or 8, got {size}")
        self._long_size = size or 8
        return self

    def littleEndianEncoding(self) -> Self:
        """A number's last byte is the most significant."""
        self._order = "<"
        return self

    def bigEndianEncoding(self) -> Self:
        """A number's first byte is the most significant; objects cannot be read or written so."""
        self._order = ">"
        return self

    def nativeEndianEncoding(self) -> Self:
        """Numbers have this computer's byte order: the default."""
        self._order = "="
        return self

    def noBuffer(self) -> Self:
        """Writes go out at once."""
        self._buffered = False
        return self

    def isQuiet(self) -> bool:
        """Whether errors only set a flag."""
        return self._quiet

    def isReadable(self) -> bool:
        """Whether it can be read."""
        return "r" in self._mode

    def isWritable(self) -> bool:
        """Whether it can be written to."""
        return "w" in self._mode

    def isBinary(self) -> bool:
        """Whether numbers are as in memory."""
        return self._binary

    def isAutoSpacing(self) -> bool:
        """Whether spaces separate numbers in texts."""
        return self._spaces

    def isReferenced(self) -> bool:
        """Whether objects that were written before are written as references."""
        return self._referenced

    def isLittleEndianCPU(self) -> bool:
        """Whether a number's last byte is the most significant on this computer."""
        return sys.byteorder == "little"

    def isBigEndianCPU(self) -> bool:
        """Whether a number's first byte is the most significant on this computer."""
        return sys.byteorder == "big"

    def isOpen(self) -> bool:
        """Whether it is open."""
        return not self._file.closed

    def hasError(self) -> bool:
        """Whether there was an error since `clearError`."""
        return self._error

    def clearError(self) -> Self:
        """Forgets errors."""
        self._error = False
        return self

    # Places ---------------------------------------------------------------------------------------------------------

    def position(self) -> int:
        """The place of the next byte, from 1."""
        return self._open("").tell() + 1

    def seek(self, position: int) -> Self:
        """Goes to a place."""
        if position < 1:
            self._fail(f"seek: unable to seek to position {position}; they count from 1")
        else:
            self._open("").seek(position - 1)
        return self

    def seekEnd(self) -> Self:
        """Goes past the last byte."""
        self._open("").seek(0, io.SEEK_END)
        return self

    def synchronize(self) -> Self:
        """Makes sure that all writes have reached the file."""
        self._open("").flush()
        return self

    def close(self) -> None:
        """Closes it, for good."""
        self._parser = t7.Parser(t7.Ascii(b""))  # lets the file's memory map go
        self._open("").close()

    _before_uses = "mode: "

    def __repr__(self) -> str:
        uses = "".join(letter if letter in self._mode else " " for letter in "rw")
        return f"{self._shown()} [status: {'open' if self.isOpen() else 'closed'} -- {self._before_uses}{uses}]"

    def _shown(self) -> str:
        """A description of it."""
        return self.typename()

    def _open(self, use: str) -> BinaryIO:
        """The stream; raises OSError if it is closed or not open for this use."""
        if self._file.closed:
            raise OSError("attempt to use a closed file")
        if use not in self._mode:
            raise OSError(f"attempt to {'read' if use == 'r' else 'write'} in a file of mode {self._mode!r}")
        return self._file

    def _fail(self, message: str) -> None:
        self._error = True
        if not self._quiet:
            raise OSError(message)

    def _put(self, data: bytes) -> None:
        self._open("w").write(data)
        if not self._buffered:
            self._file.flush()

    # Texts and numbers ----------------------------------------------------------------------------------------------

    def readString(self, format: str = "*a") -> str:
        """With "*l" the next line without its end, with "*a" all the rest. Raises ValueError for other formats."""
        if not format.startswith(("*l", "*a")):
            raise ValueError(f'readString: expected "*l" or "*a", got {format!r}')
        stream = self._open("r")
        found = stream.readline() if format.startswith("*l") else stream.read()
        if not found:
            self._fail("readString: read error: read 0 blocks instead of 1")
        return (found.removesuffix(b"\n") if format.startswith("*l") else found).decode("utf-8", "surrogateescape")

    def writeString(self, str: str) -> int:
        """Writes a text as it is; returns the number of bytes."""
        data = str.encode("utf-8", "surrogateescape")
        self._put(data)
        return len(data)

    def readBool(self) -> bool:
        """Whether the next int is 1."""
        return self._number("Int") == 1

    def writeBool(self, value: object) -> int:
        """Writes the int 1 or 0."""
        return self._write_numbers("Int", 1 if value is True else 0)

    def _dtype(self, kind: str) -> np.dtype:
        narrow = kind == "Long" and self._long_size == 4 and self._binary
        return np.dtype(np.int32) if narrow else TYPES[kind].newbyteorder("=")

    def _numbers(self, kind: str, count: int) -> np.ndarray:
        """The next numbers; fewer are an error."""
        stream, dtype = self._open("r"), self._dtype(kind)
        if self._binary:
            data = stream.read(count * dtype.itemsize)
            values = np.frombuffer(data, dtype.newbyteorder(self._order), len(data) // dtype.itemsize)
        else:
            values = read_text(stream, dtype, count, self._spaces)
        if len(values) < count:
            self._fail(f"read{kind}: read error: read {len(values)} blocks instead of {count}")
        return values.astype(TYPES[kind])

    def _number(self, kind: str) -> int | float | None:
        found = self._numbers(kind, 1)
        return found[0].item() if len(found) else None

    def _read_numbers(self, kind: str, into: int | Storage | None) -> Any:
        if into is None:
            return self._number(kind)
        if isinstance(into, int):
            return Storage(self._numbers(kind, into))
        if into.dtype != TYPES[kind]:
            raise TypeError(f"read{kind}: expected a {kind}Storage, got a {into.type()}")
        found = self._numbers(kind, len(into))
        into.writable()[: len(found)] = found
        return len(found)

    def _write_numbers(self, kind: str, given: float | Storage) -> int:
        if isinstance(given, Storage) and given.dtype != TYPES[kind]:
            raise TypeError(f"write{kind}: expected a number or a {kind}Storage, got a {given.type()}")
        values = np.asarray(given if isinstance(given, Storage) else [given]).astype(self._dtype(kind))
        order = values.dtype.newbyteorder(self._order)
        self._put(values.astype(order).tobytes() if self._binary else as_text(values, self._spaces))
        return len(values)

    # Objects --------------------------------------------------------------------------------------------------------

    def readObject(self) -> Any:
        """The next object: a number, text, boolean, table, tensor, storage or module.

        An object that occurs twice in a file is one object, unless it was written after `referenced(false)`.
        Raises: OSError for anything but an object; UnknownClassError for objects of unknown classes.
        """
        stream, start = self._open("r"), self._file.tell()
        self._parser.source = source = self._source()
        source.position = start
        try:
            value = self._parser.read()
        except t7.T7FormatError as error:
            self._fail(f"readObject: {error}")
            return None
        stream.seek(source.position)
        return self._loaded.value(value)

    def writeObject(self, object: object) -> Self:
        """Writes an object; one that was written before as a reference, whatever has changed since.

        Raises: TypeError for values that Torch lacks, as `torch.save` does.
        """
        stream = self._open("w")
        sink: Any = t7.sink_for("binary" if self._binary else "ascii")
        self._writer.sink = sink(stream, *self._object_options())
        if not self._referenced:
            self._writer.forget()
            self._saved = self._saving()
        self._writer.write(self._saved.value(object))
        if not self._buffered:
            stream.flush()
        return self

    def _object_options(self) -> tuple[int, ...]:
        """The bytes of a long, if they matter. Raises ValueError for settings in which objects are never written."""
        if self._binary and self._order == ">":
            raise ValueError("objects are written with the last byte first; say littleEndianEncoding()")
        return (self._long_size,) if self._binary else ()

    def _source(self) -> Any:
        kind: Any = t7.Binary if self._binary else t7.Ascii
        return kind(self._data(), *self._object_options())

    def _data(self) -> Any:
        """All bytes of the file."""
        if isinstance(self._file, io.BytesIO):
            return self._file.getvalue()
        self._file.flush()
        if os.fstat(self._file.fileno()).st_size == 0:
            return b""
        return mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_COPY if self._mode == "rw" else mmap.ACCESS_READ)


def _add_methods(kind: str) -> None:
    def read(self: File, into: int | Storage | None = None) -> Any:
        return self._read_numbers(kind, into)

    def write(self: File, given: float | Storage) -> int:
        return self._write_numbers(kind, given)

    reads = f"The next {kind}; with a number the storage of the next so many; or the number read into a storage."
    writes = f"Writes a number, or those of a {kind}Storage; how many."
    for method in (under_name(f"read{kind}", read, reads), under_name(f"write{kind}", write, writes)):
        setattr(File, method.__name__, method)


for _kind in TYPES:
    _add_methods(_kind)
