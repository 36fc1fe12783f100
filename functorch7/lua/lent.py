"""Memory of tensors in which Lua reads and writes elements by itself, until Python has a use for it.

An element takes microseconds by way of Python, and nanoseconds without, and programs fill tensors in loops. So Lua gets
the address of a tensor whose elements it asks for one by one. Until Python asks for anything of the storage (its array,
or whether it is zero), nobody but Lua can see the elements. Whoever asks takes the memory back first: `moment` changes,
at which Lua looks before each access, and Lua has to ask again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import jax
import numpy as np

from ..core import is_concrete
from ..legacy.tensors.changes import watch
from ..legacy.tensors.storage import StandInStorage, Storage
from ..legacy.tensors.tensor import Tensor
from .border import Border

C_TYPES = {
    "uint8": "uint8_t", "int8": "int8_t", "int16": "int16_t", "int32": "int32_t", "int64": "int64_t",
    "float32": "float", "float64": "double",
}  # fmt: skip

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


def lend(tensor: Tensor) -> tuple[str, int, bool] | None:
    """(type in C, address, whether it may be written) of a storage's memory; None if Lua cannot have it."""
    storage = tensor.storage_
    if type(storage) not in LENT or not 1 <= len(tensor.shape) <= MOST_DIMENSIONS:
        return None
    array, address = storage._array, None
    if isinstance(array, np.ndarray) and array.flags.c_contiguous:
        address = _address(array)
    elif isinstance(array, jax.Array) and is_concrete(array) and len(array.devices()) == 1:
        elements = np.asarray(array)
        is_its_own = elements.flags.c_contiguous and _address(elements) == array.unsafe_buffer_pointer()
        address = _address(elements) if is_its_own else None
    if address is None or array.dtype.name not in C_TYPES or not array.dtype.isnative:
        return None
    may_write = storage.is_being_written()
    watch(MOMENT, tensor)
    storage.__class__ = LENT[type(storage)]  # type: ignore[assignment]
    return C_TYPES[array.dtype.name], address, may_write


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


class Lending:
    """Functions for Lua."""

    def __init__(self, border: Border):
        self.border = border

    def bound(self) -> Iterator[tuple[str, Callable]]:
        """By name."""
        yield "lend", self.border.entry(self.lend)
        yield "moment", self.border.entry(lambda _: _address(MOMENT.count))
        yield "view", self.view

    def lend(self, _: int, tensor: object) -> tuple | None:
        """The storage's number, what `lend` gives, the number of the first element, sizes and strides."""
        if not isinstance(tensor, Tensor):
            return None
        _, number = self.border.encode(tensor.storage_)  # which takes it back
        found = lend(tensor)
        return found and (number, *found, tensor.offset, *tensor.shape, *tensor.strides_)

    def view(self, number: int, offset: float, *places: float) -> int:
        """The number of a new tensor over a storage; `places` are its sizes and strides."""
        sizes, strides = np.reshape(places, (2, -1)).astype(int).tolist()
        storage = self.border.registry.objects[number]
        return self.border.new_tensor(Tensor.viewing(storage, int(offset), tuple(sizes), tuple(strides)))
