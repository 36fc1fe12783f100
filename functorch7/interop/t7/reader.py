"""Reads Torch7's files. Nothing in a file is run, and nothing is allocated that the file has no bytes for."""

import math
import mmap
import os
from collections.abc import Callable, Generator
from dataclasses import dataclass
from types import GeneratorType
from typing import Any

import numpy as np

from ..remote import reading
from . import values
from .sources import Ascii, Binary
from .values import STORAGES, TENSORS, Key, LuaFunction, T7FormatError, T7Object, T7Storage

LARGEST_EXPANSION = 1 << 30
"""Bytes that a tensor which repeats its storage's elements may seem to have."""

DEEPEST = 100_000
"""Objects inside objects; Lua's own stack takes fewer."""


@dataclass(frozen=True)
class T7File:
    """A file's value, and how it was written: "binary" or "ascii", and in a binary file the bytes of a `long`."""

    value: Any
    format: str
    long_size: int | None


def read(path: str | os.PathLike) -> Any:
    """The value that a Torch7 file holds; a path, or a URL for fsspec.

    Tensors are NumPy arrays; those that shared a storage are views of one array. Large ones stay in the file until
    they are touched (writing to them changes memory, not the file). Tables are lists where their keys are 1, 2, ..., n
    (empty ones too) and dicts elsewhere; storages, functions and other objects are the classes of `t7.values`.
    Raises T7FormatError for anything else than a Torch7 file. Source: torch7/doc/serialization.md.
    """
    return read_file(path).value


def read_file(path: str | os.PathLike, progress: Callable[[int], None] | None = None) -> T7File:
    """As `read`, with how the file was written; `progress` is told how many bytes are read, now and then.

    Raises: T7FormatError for an empty file and anything else than a Torch7 file; OSError.
    """
    with reading(path) as found, open(found, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            raise T7FormatError(f"{os.fspath(path)}: an empty file", 0)
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    try:
        return _read(mapped, progress)
    except T7FormatError as error:
        error.add_note(f"in {os.fspath(path)}")
        raise


def deserialize(data: bytes) -> Any:
    """The value of a Torch7 file's bytes; see `read`. Source: torch7/doc/serialization.md, torch.deserialize."""
    return _read(bytes(data)).value


def _read(data: bytes | mmap.mmap, progress: Callable[[int], None] | None = None) -> T7File:
    if data[:1] > b"\x08":  # the tag of a binary file is less, a digit is more
        return Parser(Ascii(data), progress).file()
    # The size of a `long` is not written anywhere. The wrong one soon gives sizes that cannot be, or bytes left over.
    found, errors = [], []
    for long_size in (8, 4):
        parser = Parser(Binary(data, long_size), progress)
        try:
            found.append(parser.file())
            if parser.source.remaining() == 0:
                return found[-1]
            errors.append(T7FormatError("bytes are left over", parser.source.position))
        except T7FormatError as error:
            errors.append(error)
    if found and found[0].long_size == 8:  # something follows, as nothing that torch.load reads
        return found[0]
    errors[0].add_note(f"as a file of 32-bit Torch7: {errors[1]}")
    raise errors[0]


class _Table(list):
    """A table's (key, value) pairs, as long as it is not known what it will be in Python."""

    made: Any = None
    of_object = False


class Parser:
    """Reads objects with all inside, without recursion: whatever waits for an object inside it is a generator."""

    def __init__(self, source: Binary | Ascii, progress: Callable[[int], None] | None = None):
        self.source, self.progress = source, progress
        self.known: dict[int, Any] = {}
        self.tables: list[_Table] = []
        self.holders: list[tuple[Any, str]] = []  # objects, and their attribute that may be a table

    def file(self) -> T7File:
        """The first object, and how it was written."""
        return T7File(self.read(), self.source.name, self.source.long_size)

    def read(self) -> Any:
        """The next object."""
        return self._settled(self._object())

    def _object(self) -> Any:
        waiting: list[Generator[None, Any, Any]] = []
        result = self._begin()
        while True:
            if isinstance(result, GeneratorType):
                waiting.append(result)
                result = None
                if len(waiting) > DEEPEST:
                    raise T7FormatError(f"objects are nested more than {DEEPEST} deep", self.source.position)
            elif not waiting:
                return result
            try:
                waiting[-1].send(result)
            except StopIteration as finished:
                waiting.pop()
                result = finished.value
            else:
                result = self._begin()

    def _begin(self) -> Any:
        """The next object, or a generator that yields wherever it needs an object, and returns its own."""
        source = self.source
        at = source.position
        if self.progress is not None:
            self.progress(at)
        tag = source.integer()
        if tag == values.NUMBER:
            return _number(source.number())
        if tag == values.STRING:
            return _text(source.text())
        if tag == values.NIL:
            return None
        if tag == values.BOOLEAN:
            return source.integer() == 1
        if tag == values.FUNCTION:
            return self._function(tag, None)
        if not values.NIL < tag <= values.RECURSIVE_FUNCTION:
            raise T7FormatError(f"expected the tag of an object (0 to 8), got {tag}", at)
        index = source.integer()
        if index in self.known:
            return self.known[index]
        if tag == values.TABLE:
            return self._table(index)
        return self._torch(index, at) if tag == values.TORCH else self._function(tag, index)

    def _table(self, index: int) -> Generator[None, Any, Any]:
        at, count = self.source.position, self.source.integer()
        if not 0 <= count * 2 * self.source.smallest_object <= self.source.remaining():
            raise T7FormatError(f"a table of {count} entries, {self.source.remaining()} bytes are left", at)
        table = self.known[index] = _Table()
        self.tables.append(table)
        for _ in range(count):
            at = self.source.position
            key = yield
            if key is None or (isinstance(key, float) and math.isnan(key)):
                raise T7FormatError("a table's key is nil or not a number", at)
            value = yield
            if value is not None:
                table.append((key, value))
        return table

    def _function(self, tag: int, index: int | None) -> Generator[None, Any, Any]:
        function = LuaFunction(self.source.text(), None, tag)
        if index is not None:
            self.known[index] = function
        function.upvalues = yield
        self.holders.append((function, "upvalues"))
        return function

    def _torch(self, index: int, at: int) -> Generator[None, Any, Any]:
        version, name = None, _text(self.source.text())
        if name.startswith("V ") and name[2:].isdecimal():  # older files have no version
            version, name = int(name[2:]), _text(self.source.text())
        if name in STORAGES:
            storage = self.known[index] = T7Storage(self.source.storage(STORAGES[name]))
            return storage
        if name in TENSORS:
            shape, strides, offset = self._view()
            storage = yield
            tensor = self.known[index] = _tensor(TENSORS[name], shape, strides, offset, storage, at)
            return tensor
        found = self.known[index] = T7Object(name, version, offset=at)
        if name in values.HASHES or name in values.VECTORS:
            return (yield from self._packed(found))
        first_version, _ = values.FIRST_FIELDS.get(name, (None, None))
        if first_version is not None and (version or 0) >= first_version:
            yield
        fields = yield
        if isinstance(fields, _Table):
            fields.of_object = True
        found.fields = fields
        self.holders.append((found, "fields"))
        return found

    def _packed(self, found: T7Object) -> Generator[None, Any, Any]:
        """A hash or vector of tds: a count, then keys and values, or values."""
        at, count = self.source.position, self.source.longs(1)[0]
        if not 0 <= count * self.source.smallest_object <= self.source.remaining():
            raise T7FormatError(f"{found.class_name} of {count} entries, {self.source.remaining()} bytes are left", at)
        table = found.fields = _Table()
        table.of_object = found.class_name in values.HASHES
        self.tables.append(table)
        self.holders.append((found, "fields"))
        for i in range(1, count + 1):
            key = (yield) if table.of_object else i
            value = yield
            if key is None or (isinstance(key, float) and math.isnan(key)):
                raise T7FormatError("a table's key is nil or not a number", at)
            if value is not None:
                table.append((key, value))
        return found

    def _view(self) -> tuple[tuple[int, ...], tuple[int, ...], int]:
        at, dimensions = self.source.position, self.source.integer()
        if not 0 <= dimensions <= 64:
            raise T7FormatError(f"a tensor of {dimensions} dimensions", at)
        shape, strides = self.source.longs(dimensions), self.source.longs(dimensions)
        offset = self.source.longs(1)[0] - 1
        if min((*shape, *strides, offset), default=0) < 0:
            raise T7FormatError(f"a tensor of sizes {shape}, strides {strides}, offset {offset + 1}", at)
        return shape, strides, offset

    def _settled(self, root: Any) -> Any:
        """The value, with every table replaced by the list or dict that it is."""
        for table in self.tables:
            table.made = [] if _is_list(table) and not table.of_object else {}

        def settle(value: Any) -> Any:
            return value.made if isinstance(value, _Table) else value

        for table in self.tables:
            if isinstance(table.made, list):
                table.made.extend(settle(value) for _, value in sorted(table, key=_position))
            else:
                numbers = {key for key, _ in table if type(key) in (int, float)}
                for key, value in table:
                    table.made[_python_key(settle(key), numbers)] = settle(value)
        for holder, name in self.holders:
            setattr(holder, name, settle(getattr(holder, name)))
        self.tables, self.holders = [], []
        return settle(root)


def _number(value: float) -> int | float:
    """A whole number as an int, so that it can count; -0 and what is too large to count stay floats."""
    whole = value.is_integer() and abs(value) <= 2**53 and not (value == 0 and math.copysign(1, value) < 0)
    return int(value) if whole else value


def _text(data: bytes) -> str:
    """Lua's strings are bytes: what is not UTF-8 is kept as lone surrogates, from which `write` makes it again."""
    return data.decode("utf-8", "surrogateescape")


def _position(pair: tuple[Any, Any]) -> Any:
    return pair[0]


def _is_list(table: _Table) -> bool:
    keys = {key for key, _ in table if type(key) is int}
    return len(keys) == len(table) and (not keys or (min(keys) == 1 and max(keys) == len(keys)))


def _python_key(key: Any, numbers: set) -> Any:
    if isinstance(key, (list, dict, np.ndarray)) or (isinstance(key, bool) and key in numbers):
        return Key(key)
    return key


def _tensor(dtype: np.dtype, shape: tuple, strides: tuple, offset: int, storage: Any, at: int) -> np.ndarray:
    count = math.prod(shape)
    if storage is not None and not (isinstance(storage, T7Storage) and storage.array.dtype == dtype):
        raise T7FormatError(f"a tensor of {dtype.name} without a storage of {dtype.name}", at)
    elements = np.zeros(0, dtype) if storage is None else storage.array
    available, shape = elements.size, shape or (0,)
    if count == 0 or not strides:
        if max(math.prod(size for size in shape if size), offset) > LARGEST_EXPANSION:
            raise T7FormatError(f"a tensor of sizes {shape}", at)
        return np.ndarray(shape, dtype, elements, min(offset, available) * dtype.itemsize)
    last = offset + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    if last >= available:
        raise T7FormatError(f"a tensor needs {last + 1} elements of a storage of {available}", at)
    if count > available and count * dtype.itemsize > LARGEST_EXPANSION:
        raise T7FormatError(f"a tensor of sizes {shape} over a storage of {available} elements", at)
    # Where there is one element only, any stride may be written.
    steps = tuple(min(stride, available) * dtype.itemsize for stride in strides)
    return np.ndarray(shape, dtype, elements, offset * dtype.itemsize, steps)
