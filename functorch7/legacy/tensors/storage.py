"""Storages: the arrays that tensors view, and Torch's names for their types."""

from collections.abc import Callable, Iterable
from typing import Any
from weakref import WeakValueDictionary, ref

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike

from ...core import host_device, is_concrete
from ...core.types import Device, Value
from .arguments import in_type
from .casting import as_type, is_floating
from .cdata import StorageData
from .devices import Place, has_others, place, place_of, precision
from .findings import tell
from .kinds import Numbers
from .named_errors import name_errors
from .noted import Later, Noted, ready, settled
from .notes import notes_of
from .storage_methods import StorageMethods
from .strides import contiguous_stride, part
from .together import place_among


class Storage(StorageMethods):
    """One array, of any shape; tensors view its elements in row-major order, and `storage[1]` is the first.

    Storages equal lists, tuples and storages of the same numbers. `tensor.size()` and `stride()` return storages.
    A storage may be pending: its array is made only when somebody reads it (so `zero` costs nothing).
    Source: torch7/doc/storage.md.
    """

    __slots__ = (
        "__weakref__", "_array", "_make", "_owned", "_parts", "_place", "_seats", "_views", "dtype", "shape", "strides",
    )  # fmt: skip

    def __init__(
        self, array: Value = None, make: Callable | None = None, shape: tuple = (), dtype: DTypeLike | None = None
    ):
        self._array, self._make = array, make
        self._parts: tuple[Any, dict] | None = None  # an array, and the parts cut out of it
        self._owned = False  # whether nobody else has seen `_array`, so that it may be written to
        if array is None:
            self.shape, self.dtype = shape, np.dtype(dtype)
        else:
            self.shape, self.dtype = array.shape, array.dtype
            if type(array) is not np.ndarray and has_others():
                self._follow(array)
        self.strides = contiguous_stride(self.shape)  # as each read of a tensor asks for them

    @classmethod
    def zeros(cls, shape: tuple, dtype: DTypeLike) -> "Storage":
        """A storage of zeros, not made yet."""
        return cls(shape=tuple(shape), dtype=dtype)

    @classmethod
    def pending(cls, make: Callable | None, shape: tuple, dtype: DTypeLike, place: Place | None) -> "Storage":
        """A storage, at a place, of the array that `make` gives when somebody reads; without `make`, of zeros."""
        made = cls(None, make, shape, dtype)
        if place is not None:
            made._place, made.__class__ = place, DeviceStorage  # type: ignore[assignment]
        return made

    @property
    def array(self) -> Value:
        """The array, a JAX or NumPy one, not to be written to."""
        self._owned = False
        found = self._array
        return self._made() if found is None else found

    def _made(self) -> Value:
        self._array = np.zeros(self.shape, self.dtype) if self._make is None else self._make()
        self._make = None
        return self._array

    @array.setter
    def array(self, array: Value) -> None:
        self._array, self._make, self._owned, self._parts = array, None, False, None
        if type(array) is not np.ndarray and has_others():
            self._follow(array)

    ready = array
    """The array, for what goes on computing with it, which is no look."""
    noted = array
    """The array, or, on an accelerator, what is noted of it."""
    place: Place | None = None
    """The accelerator on which the elements lie; None for the host."""
    device: Device | None = None
    """The first of its devices."""
    is_plain = True
    """Whether its fields are all there is to giving it an array; others do more (`array = ...`)."""

    def _follow(self, array: Value) -> None:
        """Becomes a storage of the accelerator on which this array is."""
        place = array.notes.place if isinstance(array, Noted) else place_of(array)
        if place is not None:
            self._place, self.__class__ = place, DeviceStorage  # type: ignore[assignment]
            self.array = array

    def cut(self, parts: tuple, show: Callable[[Value], list], cut_out: Callable[[Value], list]) -> list:
        """The parts (offset, shape, stride): at first as `show` gives them, later those that `cut_out` makes once."""
        array = self.ready
        if self._parts is None or self._parts[0] is not array:
            self._parts = (array, {})
            return show(array)
        found = self._parts[1]
        if not found.keys() >= set(parts):
            found.update(zip(parts, cut_out(array), strict=True))
        return [found[part] for part in parts]

    @property
    def version(self) -> Value:
        """An object that changes whenever elements are written, and only then, read or not (`settled`)."""
        return self._make if type(self._make) is Later else self.noted

    def make_later(self, make: Callable[[], Value]) -> None:
        """Takes its array from `make` when somebody reads it."""
        self._array, self._make, self._owned, self._parts = None, Later(make), False, None

    @property
    def is_zero(self) -> bool:
        """Whether it is known to hold only zeros, without looking."""
        return self._array is None and self._make is None

    def zero(self) -> None:
        """Fills with zeros, at no cost until somebody reads."""
        self._array = self._make = self._parts = None

    def is_being_written(self) -> bool:
        """Whether the elements may be written without a copy: nobody has been given the array."""
        return self._owned and isinstance(self._array, np.ndarray)

    def is_traced(self) -> bool:
        """Whether the elements are being traced, and have no values yet."""
        is_pending = self._array is None and self._make is not None and self.place is None
        found = self._made() if is_pending else self._array
        return found is not None and type(found) is not np.ndarray and not is_concrete(found)

    def writable(self) -> np.ndarray:
        """The elements as a flat, writable NumPy array; copied at the first write after a read."""
        if not self.is_being_written():
            # A copy: JAX may still be reading the old array, and a pull-back may hold it.
            self._array, self._owned, self._parts = np.array(self.array, order="C"), True, None
        return self._array.reshape(-1)  # type: ignore[union-attr]

    def cast(self, dtype: DTypeLike, device: Device | None = None) -> "Storage":
        """A copy in another dtype (and on a device); pending values stay pending."""
        source = Storage(self._array, self._make, self.shape, self.dtype)
        self._owned = False

        def converted() -> Value:
            array = source.array
            if array.dtype != dtype and not is_concrete(array):
                known = jax.dtypes.canonicalize_dtype(dtype)
                if known.kind != "f" or known == dtype:  # numbers are not to lose digits
                    return array.astype(known)
            return array if array.dtype == dtype else as_type(np.asarray(array), np.dtype(dtype))

        there = None if device is None else place({device})
        stands_in = device is not None and there is None
        kind = StandInStorage if stands_in else Storage
        return kind.pending(None if self.is_zero else converted, self.shape, dtype, there)

    def beside(self, array: np.ndarray) -> "Storage":
        """A storage of this array, moved to where the elements of this one are."""
        return Storage(array)

    # Its memory -----------------------------------------------------------------------------------------------------

    def memory(self) -> np.ndarray:
        """The elements as one flat NumPy array; from now on the storage and it share changes."""
        self.array = self.writable()
        self.__class__ = FixedStorage  # type: ignore[assignment]
        return self.memory()

    def data(self, asnumber: bool = False) -> np.ndarray | int:
        """The elements to read and write, counted from 0, as LuaJIT sees them; or the address of the first."""
        memory = self.memory()
        return memory.ctypes.data if asnumber else memory

    def cdata(self) -> StorageData:
        """What C sees: the elements and their number."""
        return StorageData(self.memory(), len(self))

    def __deepcopy__(self, memo: dict) -> "Storage":
        self._owned = False  # the array itself is shared until one side writes
        memo[id(self)] = copy = Storage(self._array, self._make, self.shape, self.dtype)
        return copy

    def __reduce__(self):
        if self.is_zero:
            return Storage.zeros, (self.shape, self.dtype)
        return Storage, (np.asarray(self.array),)


class StandInStorage(Storage):
    """A storage of the host in place of one of a GPU, for which the CPU stands in.

    As there, `cuda()` gives its tensors themselves, and `float()` copies of them.
    """

    __slots__ = ()

    @property
    def device(self) -> Device | None:  # type: ignore[override]
        """The host."""
        return host_device()

    def beside(self, array: np.ndarray) -> Storage:
        """One that stands in, too."""
        return StandInStorage(array)

    def __deepcopy__(self, memo: dict) -> Storage:
        copy = super().__deepcopy__(memo)
        copy.__class__ = StandInStorage  # type: ignore[assignment]
        return copy


class DeviceStorage(Storage):
    """A storage with its elements on an accelerator, where they stay.

    What tensors compute from them is noted (`noted.py`). What is written on the host moves there with the next read.
    """

    __slots__ = ()
    is_plain = False

    @property
    def place(self) -> Place:  # type: ignore[override]
        """The devices on which the elements lie."""
        return self._place

    @property
    def noted(self) -> Value:
        """The array, or what is noted of it."""
        self._owned = False
        if self._array is None and isinstance(self._make, Noted):
            return self._make
        if self.is_zero:
            self._make = self._filled(0)
            return self._make
        if self._array is None or type(self._array) is np.ndarray:
            array = self._array if self._make is None else self._make()
            is_there = place_among(array) == self._place
            array = array if is_there else notes_of(self._place).brought(np.asarray(array))
            self.noted = array
            return array
        return self._array

    @noted.setter
    def noted(self, array: Value) -> None:
        self._array, self._make, self._owned, self._parts = array, None, False, None
        self._place = place_among(array) or self._place
        if isinstance(array, Noted):
            self._array, self._make = None, array

    def viewed(self, offset: int, shape: tuple, stride: tuple) -> Noted:
        """What is noted of a view; all get the same object while one of them keeps it and nothing is written."""
        whole, view = self.noted, (offset, shape, stride)
        of, known = getattr(self, "_views", None) or (lambda: None, None)
        if known is None or settled(of()) is not settled(whole):
            known = WeakValueDictionary()
            self._views = ref(whole), known
        found = known.get(view)
        if found is None:
            found = known[view] = notes_of(self._place).note(part, whole, np.int32(offset), shape, stride)
        return found

    def cut(self, parts: tuple, show: Callable[[Value], list], cut_out: Callable[[Value], list]) -> list:
        """The parts, cut out at once, since no other program can take them in place."""
        array = self.ready
        if self._parts is None or self._parts[0] is not array:
            self._parts = (array, {})
        return super().cut(parts, show, cut_out)

    @property
    def ready(self) -> Value:
        """The array, on the accelerator, after all that is noted has run."""
        found = self.noted
        if isinstance(found, Noted):
            self._array, self._make = ready(found), None
        return self._array

    @property
    def array(self) -> Value:
        """The same, for reading."""
        tell()
        return self.ready

    array = array.setter(noted.fset)  # type: ignore[arg-type]

    def _made(self) -> Value:
        return self.ready

    @property
    def device(self) -> Device:  # type: ignore[override]
        """Where elements from the host go."""
        return notes_of(self._place).device

    def _filled(self, value: float) -> Noted:
        with precision(self.dtype):
            return notes_of(self._place).note(jnp.full, self.shape, value, self.dtype)

    def fill(self, value: float) -> Storage:
        """Sets every element."""
        self.noted = self._filled(float(value) if is_floating(self.dtype) else in_type(value, self.dtype))
        return self

    def beside(self, array: np.ndarray) -> Storage:
        """One on the accelerator."""
        return Storage(notes_of(self._place).brought(array))

    def __deepcopy__(self, memo: dict) -> Storage:
        memo[id(self)] = copy = Storage(self.noted)
        return copy


class FixedStorage(Storage):
    """A storage whose elements keep their address, because others read and write them there.

    Its array is a copy: JAX must not see later changes.
    """

    __slots__ = ()
    is_plain = False

    def memory(self) -> np.ndarray:
        """The elements."""
        return self._array.reshape(-1)  # type: ignore[union-attr]

    writable = memory

    @property
    def array(self) -> Value:
        """A copy of the elements."""
        return np.array(self._array).reshape(self.shape)

    @array.setter
    def array(self, array: Value) -> None:
        self.memory()[:] = np.asarray(array).reshape(-1)

    ready = noted = array

    @property
    def is_zero(self) -> bool:
        """Nobody knows without looking."""
        return False

    def zero(self) -> None:
        """Fills with zeros."""
        self.memory()[:] = 0

    def resize(self, size: int) -> Storage:
        """Moves the elements to other memory, as in C."""
        if size != len(self):
            array = self.array
            self.__class__ = Storage  # type: ignore[assignment]
            self.array = array
        return Storage.resize(self, size)

    def cast(self, dtype: DTypeLike, device: Device | None = None) -> Storage:
        """A copy in another dtype (and on a device)."""
        return Storage(self.array).cast(dtype, device)

    def __deepcopy__(self, memo: dict) -> Storage:
        memo[id(self)] = copy = Storage(self.array)
        return copy


def long_storage(numbers: Numbers | Iterable[int]) -> Storage:
    """Whole numbers as a LongStorage."""
    return Storage(np.array(numbers, np.int64))


name_errors(Storage, besides=("cut",))
