"""Writes Torch7's files, as torch.save does."""

import io
import math
import os
import struct
from collections.abc import Callable
from typing import Any, BinaryIO

import numpy as np

from ...checks.foreign import foreign, kind_of
from ...checks.tables import as_dict
from ...core.types import Value
from ..remote import replacing
from . import values
from .tables import is_key
from .values import NAMES, Key, LuaFunction, Plain, T7Object, T7Storage, Written, viewed
from .words import words


def write(
    path: str | os.PathLike, value: object, format: str = "binary", progress: Callable[[int], None] | None = None
) -> None:  # fmt: skip
    """Writes a value to a file that Torch7 can load; `format` is "binary" (with `long`s of 8 bytes) or "ascii".

    Values are those that `read` returns: numbers, strings, booleans, None, lists and dicts (tables), arrays (tensors),
    and the classes of `t7.values`. Arrays that are views of one array are tensors over one storage, which is written
    once and whole; so is any list, dict or object that occurs more than once. The file appears under its name, a path
    or a URL for fsspec, when it is complete; `progress` is called with the number of bytes written, now and then.
    Raises TypeError for values without a type in Torch, ValueError for numbers that Lua's doubles cannot represent.
    Source: torch7/doc/serialization.md, torch.save.
    """
    sink = sink_for(format)
    with replacing(path) as draft, open(draft, "xb") as file:
        Writer(sink(file), progress).write(value)
        file.flush()
        os.fsync(file.fileno())


def serialize(value: object, format: str = "binary") -> bytes:
    """The bytes that `write` writes. Source: torch7/doc/serialization.md, torch.serialize."""
    file = io.BytesIO()
    Writer(sink_for(format)(file)).write(value)
    return file.getvalue()


class _Binary:
    def __init__(self, file: BinaryIO, long_size: int = 8):
        self.file, self.long_type = file, np.dtype(f"<i{long_size}")

    def integer(self, value: int) -> None:
        self.file.write(struct.pack("<i", value))

    def number(self, value: float) -> None:
        self.file.write(struct.pack("<d", value))

    def raw(self, value: bytes) -> None:
        self.file.write(value)

    def text(self, value: bytes) -> None:
        self.integer(len(value))
        self.raw(value)

    def longs(self, found: tuple[int, ...]) -> None:
        self.file.write(np.array(found, self.long_type).tobytes())

    def storage(self, array: np.ndarray) -> None:
        self.longs((array.size,))
        array = array.astype(self.long_type, copy=False) if array.dtype == np.int64 else array
        self.file.write(array.data.cast("B") if array.size else b"")


class _Ascii:
    def __init__(self, file: BinaryIO):
        self.file = file

    def _line(self, found: Value) -> None:
        if len(found):
            self.file.write(" ".join(found).encode() + b"\n")

    def integer(self, value: int) -> None:
        self._line([str(value)])

    def number(self, value: float) -> None:
        self._line(words(np.array([value], np.float64)))

    def raw(self, value: bytes) -> None:
        self.file.write(value + b"\n" if value else b"")

    def text(self, value: bytes) -> None:
        self.integer(len(value))
        self.raw(value)

    def longs(self, found: tuple[int, ...]) -> None:
        self._line([str(each) for each in found])

    def storage(self, array: np.ndarray) -> None:
        self.longs((array.size,))
        if array.dtype.itemsize == 1:
            self.raw(array.tobytes())
        else:
            self._line(words(array))


def sink_for(format: str) -> type[_Binary] | type[_Ascii]:
    """The writer of a format. Raises ValueError for an unknown one."""
    sinks = {"binary": _Binary, "ascii": _Ascii}
    if format not in sinks:
        raise ValueError(f'expected the format "binary" or "ascii", got {format!r}')
    return sinks[format]


class Writer:
    """Writes objects with everything inside, without recursion; objects that were written before only by number."""

    def __init__(self, sink: _Binary | _Ascii, progress: Callable[[int], None] | None = None):
        self.sink, self.progress = sink, progress
        self.known: dict[tuple[str, int], int] = {}
        self.kept: list[Any] = []  # objects with an entry in `known`, which must outlive it
        self.count = 0

    def forget(self) -> None:
        """From now on, writes objects again that were written before."""
        self.known, self.kept = {}, []

    def write(self, value: object) -> None:
        """Writes an object."""
        waiting = [value]
        while waiting:
            waiting.extend(reversed(self._begin(waiting.pop())))
            if self.progress is not None:
                self.progress(self.sink.file.tell())

    def _begin(self, value: Value) -> list[Any]:
        """Writes an object without those inside, and returns these, in the order in which they follow."""
        sink = self.sink
        if isinstance(value, Key):
            value = value.value
        if value is None:
            sink.integer(values.NIL)
        elif isinstance(value, (bool, np.bool_)):
            sink.integer(values.BOOLEAN)
            sink.integer(int(value))
        elif isinstance(value, (str, bytes)):
            sink.integer(values.STRING)
            sink.text(_bytes(value))
        elif isinstance(value, (int, float, np.integer, np.floating)):
            self._number(value)
        elif isinstance(value, LuaFunction):
            return self._function(value)
        elif isinstance(value, Plain):
            sink.file.write(value.binary if isinstance(sink, _Binary) else value.ascii)
        elif isinstance(value, T7Object):
            return self._object(value) if self._torch(value, value.class_name, value.version) else []
        elif isinstance(value, T7Storage):
            self._storage(value.array)
        elif isinstance(value, (list, tuple, dict)):
            return self._table(value)
        elif hasattr(value, "__array__") and not isinstance(value, type):
            return self._array(value)
        else:
            raise TypeError(f"Torch7 has no type for {type(value).__name__}: {value!r}")
        return []

    def _is_new(self, tag: int, kind: str, value: Value) -> bool:
        """Writes an object's tag and index; returns whether it is the first time."""
        key = (kind, id(value))
        new = key not in self.known
        if new:
            self.count += 1
            self.known[key] = self.count
            self.kept.append(value)
        self.sink.integer(tag)
        self.sink.integer(self.known[key])
        return new

    def _object(self, value: T7Object) -> list[Any]:
        name, fields = value.class_name, value.fields
        if name in values.BYTES:
            self.sink.raw(_of_length(np.asarray(fields, np.uint8).tobytes(), name))
            return []
        if name in values.HASHES:
            self.sink.longs((len(fields),))
            return [each for pair in fields.items() for each in pair]
        if name in values.VECTORS:
            self.sink.longs((len(fields),))
            return list(fields)
        if isinstance(fields, Written):
            return list(fields)
        version, first = values.FIRST_FIELDS.get(name, (math.inf, dict))
        is_preceded = isinstance(fields, dict) and (value.version or 0) >= version
        return [first(fields), fields] if is_preceded else [fields]

    def _torch(self, value: Value, name: str, version: int | None = 1, kind: str = "object") -> bool:
        new = self._is_new(values.TORCH, kind, value)
        if new:
            if version is not None:
                self.sink.text(f"V {version}".encode())
            self.sink.text(_bytes(name))
        return new

    def _number(self, value: Value) -> None:
        if isinstance(value, (int, np.integer)) and not _is_double(int(value)):
            raise ValueError(f"Torch7's numbers are doubles, which cannot hold {value}")
        self.sink.integer(values.NUMBER)
        self.sink.number(float(value))

    def _table(self, value: Value) -> list[Any]:
        if not self._is_new(values.TABLE, "object", value):
            return []
        pairs = [(key, each) for key, each in as_dict(value).items() if each is not None]
        if not all(is_key(key) for key, _ in pairs):
            raise ValueError("Torch7's tables cannot have nil, or what is not a number, as a key")
        self.sink.integer(len(pairs))
        return [each for pair in pairs for each in pair]

    def _function(self, value: LuaFunction) -> list[Any]:
        if value.tag == values.FUNCTION:
            self.sink.integer(value.tag)
        elif not self._is_new(value.tag, "object", value):
            return []
        self.sink.text(value.bytecode)
        return [value.upvalues]

    def _array(self, value: Value) -> list[Any]:
        array = _elements(value)
        if array.ndim == 0:  # Torch's tensors have at least one dimension
            return [array.item()]
        if array.dtype == bool:
            array = array.view("u1")
        elif array.dtype.name == "bfloat16":
            array = array.astype("<f4")
        name = NAMES.get(array.dtype.newbyteorder("<"))
        if name is None:
            raise TypeError(f"Torch7 has no tensors of {array.dtype}")
        if not self._torch(value, f"torch.{name}Tensor"):
            return []
        shape = array.shape if array.size or array.ndim > 1 else ()
        owner, offset, strides = viewed(array)
        self.sink.integer(len(shape))
        self.sink.longs(shape)
        self.sink.longs(strides[: len(shape)])
        self.sink.longs((offset + 1,))
        return [T7Storage(owner) if owner.size else None]

    def _storage(self, array: np.ndarray) -> None:
        owner, _, _ = viewed(array)
        if self._torch(owner, f"torch.{NAMES[owner.dtype]}Storage", kind="storage"):
            self.sink.storage(owner.reshape(-1, order="A"))


def _bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")


def _is_double(value: int) -> bool:
    try:
        return int(float(value)) == value
    except OverflowError:
        return False


def _of_length(data: bytes, name: str) -> bytes:
    if len(data) != values.BYTES[name]:
        raise ValueError(f"{name}: expected {values.BYTES[name]} bytes, got {len(data)}")
    return data


def _elements(value: Value) -> np.ndarray:
    """The array of what says that it is one. Raises TypeError where it makes none, or not of what it holds."""
    try:
        array = np.asarray(value)
    except Exception as error:
        raise TypeError(f"Torch7 has no type for {kind_of(value)}: {error}") from error
    if array.dtype.hasobject or isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"Torch7 has no tensors of {foreign(value)}")
    return array
