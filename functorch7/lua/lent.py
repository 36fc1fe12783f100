"""Memory of tensors in which Lua reads and writes elements by itself, until Python has a use for it.

An element takes microseconds by way of Python, and nanoseconds without, and programs fill tensors in loops. So Lua gets
the address of a tensor whose elements it asks for one by one. Until Python asks for anything of the storage (its array,
or whether it is zero), nobody but Lua can see the elements. Whoever asks takes the memory back first: `moment` changes,
at which Lua looks before each access, and Lua has to ask again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

from ..core import is_concrete
from ..legacy.tensors.changes import watch
from ..legacy.tensors.storage import StandInStorage, Storage
from ..legacy.tensors.tensor import Tensor
from .border import Border

C_TYPES = {
    np.dtype(name): f"{name}_t" for name in ("uint8", "int8", "int16", "int32", "int64")
} | {np.dtype("float32"): "float", np.dtype("float64"): "double"}  # fmt: skip

MOST_DIMENSIONS = 4

HARMLESS = {"shape", "dtype", "strides", "place", "device", "is_plain"}
"""What says nothing about the elements."""


class Lent:
    """A storage whose memory Lua has. Whoever asks for its elements, or sets them, takes the memory back first."""

    __slots__ = ()
    kind: type[Storage]
    """What it is otherwise."""

    def __getattribute__(self, name: str) -> object:
        if name not in HARMLESS:
            taken_back(self)
        return object.__getattribute__(self, name)

    def __setattr__(self, name: str, value: object) -> None:
        taken_back(self)
        object.__setattr__(self, name, value)


class LentStorage(Lent, Storage):
    """One of the host."""

    __slots__ = ()
    kind = Storage


class LentStandInStorage(Lent, StandInStorage):
    """One of the host in the place of a GPU's."""

    __slots__ = ()
    kind = StandInStorage


LENT: dict[type, type[Lent]] = {each.kind: each for each in (LentStorage, LentStandInStorage)}


class Moment:
    """How often memory was taken back, as Lua reads it; a watcher of tensors, which may become views of others."""

    count: np.ndarray
    is_stale, is_in_mode = False, True

    def __init__(self) -> None:
        object.__setattr__(self, "count", np.zeros(1))

    def __setattr__(self, name: str, value: object) -> None:
        """Notes that a tensor has changed, whatever has."""
        self.pass_on()

    def pass_on(self) -> None:
        """Lets Lua ask again for everything."""
        self.count[0] += 1


MOMENT = Moment()


def taken_back(storage: Lent | Storage) -> Lent | Storage:
    """The storage, whose memory Lua does not have any more, if it had."""
    kind = type(storage)
    if issubclass(kind, Lent):
        object.__setattr__(storage, "__class__", kind.kind)
        MOMENT.pass_on()
    return storage


def memory_of(tensor: Tensor) -> tuple[str, int, bool] | None:
    """(type in C, address, whether it may be written) of a storage's memory; None if Lua cannot have it.

    Memory that Lua has already is not taken back for this.
    """
    storage = tensor.storage_
    if _kind(storage) not in LENT or not 1 <= len(tensor.shape) <= MOST_DIMENSIONS:
        return None
    array: Any = object.__getattribute__(storage, "_array")
    if array is None or array.dtype not in C_TYPES or not _is_inside(tensor, array.size):
        return None
    is_of_numpy = isinstance(array, np.ndarray)
    elements = array if is_of_numpy else _shown(array)
    if elements is None or not elements.flags.c_contiguous:
        return None
    return C_TYPES[array.dtype], _address(elements), is_of_numpy and object.__getattribute__(storage, "_owned")


def _shown(array: object) -> np.ndarray | None:
    """An array of JAX in the memory where it is; None if NumPy's is a copy."""
    if not isinstance(array, jax.Array) or not is_concrete(array) or len(array.devices()) != 1:
        return None
    elements = np.asarray(array)
    return elements if _address(elements) == array.unsafe_buffer_pointer() else None


def lend(tensor: Tensor) -> float:
    """Lets Lua have the memory from this moment on."""
    watch(MOMENT, tensor)
    object.__setattr__(tensor.storage_, "__class__", LENT[_kind(tensor.storage_)])
    return MOMENT.count.item()


def _kind(storage: Lent | Storage) -> type:
    """What a storage is when its memory is not lent."""
    kind = type(storage)
    return kind.kind if issubclass(kind, Lent) else kind


def _is_inside(tensor: Tensor, size: int) -> bool:
    """Whether memory of so many elements has all of the tensor's, as is not so when its storage has become smaller."""
    last = tensor.offset
    for length, stride in zip(tensor.shape, tensor.strides_, strict=True):
        last += (length - 1) * stride
    return last < size


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


class Lending:
    """Functions for Lua."""

    def __init__(self, border: Border):
        self.border = border

    def bound(self) -> Iterator[tuple[str, Callable]]:
        """By name."""
        yield "moment", lambda: _address(MOMENT.count)
        yield "lend", self._entry(self.lend)
        yield "view", self._entry(self.view)

    def _entry(self, function: Callable) -> Callable:
        """A function of numbers alone, as Lua calls it: it returns what raises its error there, if there is one."""

        def entered(*given: float) -> object:
            try:
                return function(*given)
            except BaseException as error:
                return self.border.failed(error)

        return entered

    def lend(self, number: int) -> tuple | None:
        """What `memory_of` gives for a tensor or storage, whether indices count back from the end, too, the moment, the
        number of the storage if there are parts, the first element's number, sizes and strides; None if Lua cannot
        have the memory.
        """
        owner = self.border.registry.objects[number]
        is_storage = isinstance(owner, Storage)
        tensor = Tensor.viewing(owner, 0, (len(owner),)) if is_storage else owner
        found = memory_of(tensor) if type(tensor) is Tensor else None  # parts of a Parameter are no Parameters
        if found is None:
            return None
        storage, has_parts = tensor.storage_, len(tensor.shape) > 1
        storage_number = self.border.registry.number(storage, _kind(storage)) if has_parts else None
        return *found, not is_storage, lend(tensor), storage_number, tensor.offset, *tensor.shape, *tensor.strides_

    def view(self, number: int, offset: float, *places: float) -> int:
        """The number of a new tensor over a storage; `places` are its sizes and strides."""
        found, dimensions = tuple(map(int, places)), len(places) // 2
        storage = self.border.registry.objects[number]
        return self.border.new_tensor(Tensor.viewing(storage, int(offset), found[:dimensions], found[dimensions:]))
