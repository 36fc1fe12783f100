"""Contents of Torch7 files for which Python has no types, and the format's constants."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from jax.typing import DTypeLike

from ...core.types import Value

NIL, NUMBER, STRING, TABLE, TORCH, BOOLEAN, FUNCTION, OLD_RECURSIVE_FUNCTION, RECURSIVE_FUNCTION = range(9)
"""The tags at the start of objects."""

TYPES = {
    "Byte": np.dtype("u1"),
    "Char": np.dtype("i1"),
    "Short": np.dtype("<i2"),
    "Int": np.dtype("<i4"),
    "Long": np.dtype("<i8"),
    "Half": np.dtype("<f2"),
    "Float": np.dtype("<f4"),
    "Double": np.dtype("<f8"),
}
"""Elements' dtypes by the name in tensors' and storages' classes: torch.FloatTensor, torch.FloatStorage."""

# Tensors of graphics cards are read as those of the CPU: CudaTensor and ClTensor hold floats.
READ_TYPES = TYPES | {f"Cuda{name}": dtype for name, dtype in TYPES.items()} | dict.fromkeys(("Cuda", "Cl"), "<f4")
TENSORS = {f"torch.{name}Tensor": np.dtype(dtype) for name, dtype in READ_TYPES.items()}
STORAGES = {f"torch.{name}Storage": np.dtype(dtype) for name, dtype in READ_TYPES.items()}
NAMES = {dtype: name for name, dtype in TYPES.items()}

HASHES = ("tds.Hash", "tds_hash")
VECTORS = ("tds.Vec", "tds_vec")
"""Tables of the package tds, which are saved as a count and their entries; `fields` is the table."""

GENERATOR = "torch.Generator"
TIMER = "torch.Timer"
BYTES = {GENERATOR: 5048, TIMER: 0}
"""Classes that save this number of bytes and nothing else; `fields` is an array of these."""


def allowed_memory(size: int) -> int:
    """How many bytes of memory the contents of a file of `size` bytes may take."""
    return 10 * size + (64 << 20)


def owner_of(array: np.ndarray) -> np.ndarray:
    """The array whose memory this one shows: that of its storage."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


class T7FormatError(ValueError):
    """Raised for a file that is not a Torch7 file, or is damaged; `offset` is the byte where reading failed."""

    def __init__(self, message: str, offset: int):
        super().__init__(f"{message} (at byte {offset})")
        self.offset = offset


Content: TypeAlias = Any
"""The values in a file: None, a number, a text, a table, an array, or an object of any class."""

Fields: TypeAlias = dict[str, Any]
"""The fields of an object of a Torch class by name; the class determines their values."""


FIRST_FIELDS: dict[str, tuple[int, Callable[[Fields], Content]]] = {
    "nn.DataParallelTable": (2, lambda fields: fields.get("gpuAssignments")),
    "nn.GPU": (1, lambda fields: [fields.get("_type"), fields.get("device")]),
}
"""Classes that save something of their fields before all of them, from a version on."""


@dataclass(eq=False, slots=True)
class T7Object:
    """An object of a Torch class: its class's name and version, and its fields.

    `fields` is a dict, or whatever the class's own `write` has written. Objects in files without versions have None.
    """

    class_name: str
    version: int | None
    fields: Value = field(default_factory=dict)
    offset: int = 0
    """The byte of the file at which it begins."""

    def __repr__(self) -> str:  # short, since fields may refer back to the object
        names = f", fields {', '.join(map(str, self.fields))}" if isinstance(self.fields, dict) else ""
        return f"<T7Object {self.class_name} version {self.version}{names}>"


@dataclass(eq=False, slots=True)
class T7Storage:
    """A storage, as a flat array. Tensors over it are views of the same array."""

    array: np.ndarray

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.array, dtype, copy=copy)


@dataclass(eq=False, slots=True)
class LuaFunction:
    """A Lua function as bytes, which are never run; `upvalues` are the variables that it refers to."""

    bytecode: bytes
    upvalues: Value
    tag: int = RECURSIVE_FUNCTION


@dataclass(frozen=True, eq=False)
class Plain:
    """Numbers or a text that a class's own `write` has put into a file, in the file's two formats."""

    binary: bytes
    ascii: bytes


class Written(list):
    """The contents of an object whose class has its own format: objects, and `Plain` between them."""


@dataclass(frozen=True, eq=False)
class Key:
    """A table's key that cannot be a dict's key: a table, a tensor, or a boolean next to the number it equals."""

    value: Value


def from_1(table: Value) -> list[Value]:
    """The entries 1, 2, ... of a table, which may also have others."""
    if isinstance(table, list):
        return table
    return [table[i] for i in range(1, sum(isinstance(key, int) for key in table) + 1)]


def indexed(entries: Iterable[object]) -> dict[object, object]:
    """A table that has entries at 1, 2, ..., and also leads from each entry to its position."""
    places: dict[object, object] = dict(enumerate(entries, 1))
    return places | {Key(each): place for place, each in places.items()}


def viewed(array: np.ndarray) -> tuple[np.ndarray, int, tuple[int, ...]]:
    """The array whose memory this one shows, and offset and strides in elements; of a copy if these do not fit."""
    owner = owner_of(array)
    dtype, size = array.dtype, array.itemsize
    offset = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    fits = owner.dtype == dtype and (owner.flags.c_contiguous or owner.flags.f_contiguous) and offset % size == 0
    if not fits or any(stride < 0 or stride % size for stride in array.strides) or not dtype.isnative:
        copy = np.ascontiguousarray(array, dtype.newbyteorder("<"))
        copy = copy.copy() if copy is array else copy
        return copy, 0, tuple(stride // size for stride in copy.strides)
    return owner, offset // size, tuple(stride // size for stride in array.strides)
