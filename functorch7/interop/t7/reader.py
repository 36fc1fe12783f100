"""Reads Torch7's files. Nothing in a file is run, and nothing is allocated for which the file has no bytes."""

import math
import mmap
import os
import re
import warnings
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from types import GeneratorType
from typing import Any

import numpy as np

from ...core.types import Value
from ..remote import reading
from . import values
from .sources import Ascii, Binary
from .tables import Pairs, Tables, is_key
from .values import STORAGES, TENSORS, Content, LuaFunction, T7FormatError, T7Object, T7Storage

VERSION = re.compile(r"V ([0-9]+)")
LARGEST_VERSION = 9
"""Digits of a version number; Torch's have one."""

LARGEST_EMPTY = 1 << 30
"""The largest product of the sizes, except those that are 0, of a tensor without elements."""

DEEPEST = 100_000
"""The depth of objects inside objects; Lua's own stack permits less."""


@dataclass(frozen=True)
class T7File:
    """A file's value, and how it was written: "binary" or "ascii", and for a binary file the bytes of a `long`.

    `rest` is the number of bytes after the value.
    """

    value: Value
    format: str
    long_size: int | None
    rest: int = 0


def read(path: str | os.PathLike, *, all: bool = False, own: "Own | None" = None) -> Content:
    """The value in a Torch7 file; the file is a path, or a URL for fsspec.

    Tensors are NumPy arrays; those that shared a storage are views of one array. Large ones stay in the file until
    they are used (writing to them changes memory, not the file). Tables are lists if their keys are 1, 2, ..., n
    (also if they are empty) and dicts otherwise; storages, functions and other objects are of the classes of
    `t7.values`. If a file has several objects, one after the other, the first is returned, with a warning; with `all`,
    a list of them. `own` reads the contents of objects that a program has written in its own way.
    Raises T7FormatError for anything but a Torch7 file. Source: torch7/doc/serialization.md.
    """
    found = read_file(path, all=all, own=own)
    if found.rest:
        warnings.warn(
            f"{os.fspath(path)}: {found.rest} bytes follow the first object; load_t7(path, all=True) reads them, too",
            stacklevel=3,
        )
    return found.value


def read_file(
    path: str | os.PathLike, progress: Callable[[int], None] | None = None, *, all: bool = False,
    own: "Own | None" = None,
) -> T7File:  # fmt: skip
    """As `read`, with how the file was written; `progress` is called with the number of bytes read, now and then.

    Raises: T7FormatError for an empty file and anything but a Torch7 file; OSError.
    """
    with reading(path) as found, open(found, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            raise T7FormatError(f"{os.fspath(path)}: an empty file", 0)
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    try:
        return _read(mapped, progress, all, own)
    except T7FormatError as error:
        error.add_note(f"in {os.fspath(path)}")
        raise


def deserialize(data: bytes, own: "Own | None" = None) -> Content:
    """The value in the bytes of a Torch7 file; see `read`. Source: torch7/doc/serialization.md, torch.deserialize."""
    return _read(bytes(data), None, False, own).value


def _read(
    data: bytes | mmap.mmap, progress: Callable[[int], None] | None, all: bool, own: "Own | None"
) -> T7File:  # fmt: skip
    read = partial(_all_objects if all else _first_object, own=own)
    if data[:1] > b"\x08":  # a binary file starts with a tag, which is less; a digit is more
        return read(Ascii(data), progress)
    # The size of a `long` is not written anywhere. The wrong one soon leads to impossible sizes, or bytes left over.
    found, errors = [], []
    for long_size in (8, 4):
        try:
            found.append(read(Binary(data, long_size), progress))
            if found[-1].rest == 0:
                return found[-1]
            errors.append(T7FormatError("bytes are left over", len(data) - found[-1].rest))
        except T7FormatError as error:
            errors.append(error)
    if found and found[0].long_size == 8:  # followed by bytes that torch.load would not read either
        return found[0]
    errors[0].add_note(f"as a file of 32-bit Torch7: {errors[1]}")
    raise errors[0]


def _first_object(source: Binary | Ascii, progress: Callable[[int], None] | None, own: "Own | None") -> T7File:
    return T7File(Parser(source, progress, own).read(), source.name, source.long_size, source.rest())


def _all_objects(source: Binary | Ascii, progress: Callable[[int], None] | None, own: "Own | None") -> T7File:
    """Objects count from 1 in files that were written one after the other; where one was appended to, they continue."""
    try:
        found = [Parser(source, progress, own).read()]
        while source.rest():
            found.append(Parser(source, progress, own).read())
    except T7FormatError:
        source.position = 0
        parser = Parser(source, progress, own)
        found = [parser.read()]
        while source.rest():
            found.append(parser.read())
    return T7File(found, source.name, source.long_size)


Own = Callable[[T7Object, "Parser"], bool]
"""Reads the objects of classes with a format of their own, and says whether an object is one of these."""


class _Numbered:
    """Objects by number, which count from 1 in the files that Torch writes."""

    def __init__(self) -> None:
        self.counted: list[Any] = []
        self.others: dict[int, Any] = {}

    def __contains__(self, number: int) -> bool:
        return 0 < number <= len(self.counted) or number in self.others

    def __getitem__(self, number: int) -> Value:
        return self.counted[number - 1] if 0 < number <= len(self.counted) else self.others[number]

    def __setitem__(self, number: int, value: Value) -> None:
        if number == len(self.counted) + 1:
            self.counted.append(value)
        elif 0 < number <= len(self.counted):
            self.counted[number - 1] = value
        else:
            self.others[number] = value


class Parser:
    """Reads objects with everything inside, without recursion: an object that waits for one inside it is a generator.

    `own(object, parser)` is called for each object. It returns whether the object's class has its own format; then it
    has read the object's contents, with `read_inside` and from the source.
    """

    def __init__(
        self, source: Binary | Ascii, progress: Callable[[int], None] | None = None, own: "Own | None" = None
    ):  # fmt: skip
        self.source, self.progress, self.own = source, progress, own
        self.open: set[int] = set()  # the tables around an object that reads itself, by number
        self.known = _Numbered()
        self.tables = Tables()
        self.names: dict[bytes, str] = {}  # names of classes, one string for each
        self.repeated = 0  # bytes that tensors seem to have in excess of their storages

    def read(self) -> Content:
        """The next object."""
        return self.tables.settled(self._object())

    def read_inside(self) -> Content:
        """The next object, for an object that reads itself while the objects around it are still being read."""
        around, self.tables = self.tables, self.tables.inside()
        before, self.open = self.open, self.open.union(map(id, around.waiting))
        try:
            return self.read()
        finally:
            self.tables, self.open = around, before

    def _object(self) -> Value:
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

    def _begin(self) -> Value:
        """The next object, or a generator that yields whenever it needs an object, and returns its own."""
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
            if id(self.known[index]) in self.open:
                raise T7FormatError("an object that reads itself holds a table that is around it", at)
            return self.known[index]
        if tag == values.TABLE:
            return self._table(index)
        return self._torch(index, at) if tag == values.TORCH else self._function(tag, index)

    def _table(self, index: int) -> Generator[None, Any, Any]:
        at, count = self.source.position, self.source.integer()
        if not 0 <= count * 2 * self.source.smallest_object <= self.source.remaining():
            raise T7FormatError(f"a table of {count} entries, {self.source.remaining()} bytes are left", at)
        table = self.known[index] = self.tables.begin()
        yield from self._pairs(table, count)
        return table

    def _pairs(self, table: Pairs, count: int) -> Generator[None, Any, None]:
        for _ in range(count):
            at = self.source.position
            key = yield
            if not is_key(key):
                raise T7FormatError("a table's key is nil or not a number", at)
            value = yield
            if value is not None:
                table += (key, value)

    def _function(self, tag: int, index: int | None) -> Generator[None, Any, Any]:
        function = LuaFunction(self.source.text(), None, tag)
        if index is not None:
            self.known[index] = function
        function.upvalues = yield
        self.tables.holders.append(function)
        return function

    def _torch(self, index: int, at: int) -> Generator[None, Any, Any]:
        version, name = None, self._name()
        if numbered := VERSION.fullmatch(name):  # older files have no version
            if len(numbered[1]) > LARGEST_VERSION:
                raise T7FormatError(f"a version of {len(numbered[1])} digits", at)
            version, name = int(numbered[1]), self._name()
        if name in STORAGES:
            storage = self.known[index] = T7Storage(self.source.storage(STORAGES[name]))
            return storage
        if name in TENSORS:
            shape, strides, offset = self._view()
            storage = yield
            tensor = self.known[index] = _tensor(TENSORS[name], shape, strides, offset, storage, at)
            self._note_repeated(tensor, storage, at)
            return tensor
        found = self.known[index] = T7Object(name, version, offset=at)
        if name in values.BYTES:
            found.fields = np.frombuffer(self.source.raw(values.BYTES[name], name), np.uint8).copy()
            return found
        if name in values.HASHES or name in values.VECTORS:
            return (yield from self._packed(found))
        if self.own is not None and self.own(found, self):
            return found
        first_version, _ = values.FIRST_FIELDS.get(name, (math.inf, None))
        if (version or 0) >= first_version:
            yield
        found.fields = yield
        self.tables.as_dict(found.fields)
        self.tables.holders.append(found)
        return found

    def _name(self) -> str:
        data = self.source.text()
        return self.names.setdefault(data, _text(data))

    def _note_repeated(self, tensor: np.ndarray, storage: T7Storage | None, at: int) -> None:
        """Refuses arrays that would take, copied in double precision, far more memory than the file's length."""
        over = 0 if storage is None else storage.array.size
        self.repeated += max(tensor.size - over, 0) * np.dtype(np.float64).itemsize
        if self.repeated > values.allowed_memory(self.source.size) // 2:  # users of the array may copy it
            raise T7FormatError(
                f"a tensor of sizes {tensor.shape} over a storage of {over} elements: such tensors would take "
                f"{self.repeated} bytes, of a file of {self.source.size}", at,
            )  # fmt: skip

    def _packed(self, found: T7Object) -> Generator[None, Any, Any]:
        """A hash or vector of tds: a count, then keys and values, or values."""
        at, count = self.source.position, self.source.longs(1)[0]
        if not 0 <= count * self.source.smallest_object <= self.source.remaining():
            raise T7FormatError(f"{found.class_name} of {count} entries, {self.source.remaining()} bytes are left", at)
        table = found.fields = self.tables.begin()
        self.tables.holders.append(found)
        if found.class_name in values.HASHES:
            self.tables.as_dict(table)
            yield from self._pairs(table, count)
            return found
        for i in range(1, count + 1):
            table += (i, (yield))
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


def _number(value: float) -> int | float:
    """A whole number as an int, so that it can be used as a count; -0 and numbers too large to count stay floats."""
    whole = value.is_integer() and abs(value) <= 2**53 and not (value == 0 and math.copysign(1, value) < 0)
    return int(value) if whole else value


def _text(data: bytes) -> str:
    """Lua's strings are bytes: bytes that are not UTF-8 become lone surrogates, from which `write` restores them."""
    return data.decode("utf-8", "surrogateescape")


def _tensor(dtype: np.dtype, shape: tuple, strides: tuple, offset: int, storage: object, at: int) -> np.ndarray:
    count = math.prod(shape)
    if storage is not None and not (isinstance(storage, T7Storage) and storage.array.dtype == dtype):
        raise T7FormatError(f"a tensor of {dtype.name} without a storage of {dtype.name}", at)
    elements = np.zeros(0, dtype) if storage is None else storage.array
    available, shape = elements.size, shape or (0,)
    if count == 0 or not strides:
        if max(math.prod(size for size in shape if size), offset) > LARGEST_EMPTY:
            raise T7FormatError(f"a tensor of sizes {shape}", at)
        return np.ndarray(shape, dtype, elements, min(offset, available) * dtype.itemsize)
    last = offset + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    if last >= available:
        raise T7FormatError(f"a tensor needs {last + 1} elements of a storage of {available}", at)
    if count * dtype.itemsize >= 1 << 62:  # NumPy's sizes have 63 bits
        raise T7FormatError(f"a tensor of sizes {shape} over a storage of {available} elements", at)
    # If there is only one element, any stride may be written.
    steps = tuple(min(stride, available) * dtype.itemsize for stride in strides)
    return np.ndarray(shape, dtype, elements, offset * dtype.itemsize, steps)
