"""Storages: the arrays that tensors view, and Torch's names for their types."""

import math
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike

from ...core import is_concrete
from ...core.types import Device, Value
from .arguments import are_numbers, as_type, in_type, is_floating
from .cdata import StorageData
from .changes import changed
from .devices import Place, place, place_of, precision
from .kinds import Numbers
from .named_errors import name_errors
from .noted import Noted
from .notes import notes_of
from .printing import as_text, column
from .sizes import sizes_given
from .strides import contiguous_stride
from .type_names import type_name_of


class Storage:
    """One array, of any shape, whose elements in row-major order are what tensors view; `storage[1]` is the first.

    Storages are equal to lists, tuples and storages of the same numbers. `tensor.size()` and `stride()` are such.
    It may be pending: an array that nobody has read yet is not made (`zero` costs nothing).
    Source: torch7/doc/storage.md.
    """

    __slots__ = ("__weakref__", "_array", "_make", "_owned", "_parts", "_place", "_seats", "dtype", "shape", "strides")

    def __init__(
        self, array: Value = None, make: Callable | None = None, shape: tuple = (), dtype: DTypeLike | None = None
    ):
        self._array, self._make = array, make
        self._parts: tuple[Any, dict] | None = None  # an array, and those that were cut out of it
        self._owned = False  # whether nobody else has seen `_array`, so that it may be written to
        if array is None:
            self.shape, self.dtype = shape, np.dtype(dtype)
        else:
            self.shape, self.dtype = array.shape, array.dtype
            if type(array) is not np.ndarray:
                self._follow(array)
        self.strides = contiguous_stride(self.shape)  # as each read of a tensor asks for them

    @classmethod
    def zeros(cls, shape: tuple, dtype: DTypeLike) -> "Storage":
        """A storage of zeros, not made yet."""
        return cls(shape=tuple(shape), dtype=dtype)

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
        if type(array) is not np.ndarray:
            self._follow(array)

    noted = array
    """The array, or, on an accelerator, what is noted of it."""
    place: Place | None = None
    """The accelerator on which the elements lie; None for the host."""
    device: Device | None = None
    """The first of its devices."""

    def _follow(self, array: Value) -> None:
        """Becomes a storage of the accelerator on which this array is."""
        place = array.notes.place if isinstance(array, Noted) else place_of(array)
        if place is not None:
            self._place, self.__class__ = place, DeviceStorage  # type: ignore[assignment]
            self.array = array

    def cut(self, parts: tuple, show: Callable[[Value], list], cut_out: Callable[[Value], list]) -> list:
        """The parts (offset, shape, stride): at first as `show` gives them, then those that `cut_out` makes once."""
        array = self.array
        if self._parts is None or self._parts[0] is not array:
            self._parts = (array, {})
            return show(array)
        found = self._parts[1]
        if not found.keys() >= set(parts):
            found.update(zip(parts, cut_out(array), strict=True))
        return [found[part] for part in parts]

    @property
    def is_zero(self) -> bool:
        """Whether it is known, without looking, to hold only zeros."""
        return self._array is None and self._make is None

    def zero(self) -> None:
        """Fills with zeros, at no cost until somebody reads."""
        self._array = self._make = self._parts = None

    def is_being_written(self) -> bool:
        """Whether the elements may be written to without a copy, as long as nobody is given the array."""
        return self._owned and isinstance(self._array, np.ndarray)

    def is_traced(self) -> bool:
        """Whether the elements are being traced, and have no values yet."""
        is_pending = self._array is None and self._make is not None and self.place is None
        found = self._made() if is_pending else self._array
        return found is not None and not is_concrete(found)

    def writable(self) -> np.ndarray:
        """The elements as a flat NumPy array that may be written to; copied at the first write after a read."""
        if not self.is_being_written():
            # A copy: JAX may still be reading the old array, and a pull-back may hold it.
            self._array, self._owned = np.array(self.array, order="C"), True
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

        copy = Storage.zeros(self.shape, dtype) if self.is_zero else Storage(None, converted, self.shape, dtype)
        if device is not None and (found := place({device})) is not None:
            copy._place, copy.__class__ = found, DeviceStorage  # type: ignore[assignment]
        return copy

    # As Torch has it ------------------------------------------------------------------------------------------------

    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    __len__ = size

    def type(self) -> str:
        """Torch's name of the type, such as "torch.LongStorage"."""
        return type_name_of(self.dtype).replace("Tensor", "Storage")

    typename = type

    def elementSize(self) -> int:
        """The bytes that an element takes."""
        return self.dtype.itemsize

    def totable(self) -> list:
        """The elements as a list."""
        return self._flat().tolist()

    def _flat(self) -> np.ndarray:
        """The elements, for use here only: an array that is not handed out is written to without a copy."""
        found = self._made() if self._array is None else self._array
        self._owned = self._owned and found is self._array and isinstance(found, np.ndarray)
        return np.asarray(found).reshape(-1)

    def _element(self, position: int) -> Any:
        """The number at a position, from 0."""
        return self._flat().item(position)

    def fill(self, value: float) -> "Storage":
        """Sets every element."""
        self.array = np.full(self.shape, in_type(are_numbers(value), self.dtype), self.dtype)
        return self

    def copy(self, source: "Storage") -> "Storage":
        """Copies the elements of a storage of as many elements, of any type. Raises ValueError for another number."""
        if len(source) != len(self):
            raise ValueError(f"expected {len(self)} elements, got {len(source)}")
        self.array = np.array(source.totable(), self.dtype).reshape(self.shape)
        return self

    def resize(self, size: int) -> "Storage":
        """Gives it another number of elements, for all tensors that view it; what is new is 0."""
        (size,) = sizes_given(size)
        if size != len(self):
            if self.is_traced():
                old = self.array.reshape(-1)[:size]
                self.array = jnp.concatenate([old, jnp.zeros(size - old.size, old.dtype)])
            elif not self.is_zero:
                new, old = np.zeros(size, self.dtype), self._flat()[:size]
                new[: old.size] = old
                self.array = new
            self.shape, self.strides = (size,), (1,)
            changed(self)
        return self

    def __array__(self, dtype=None, copy=None):
        return np.array(self._flat(), dtype)

    def _position(self, index: int) -> int:
        if not 1 <= operator.index(index) <= len(self):
            raise IndexError(f"index {index} out of range of a storage of {len(self)} elements; they count from 1")
        return index - 1

    def __getitem__(self, index: int) -> float:
        return self._flat()[self._position(index)].item()

    def __setitem__(self, index: int, value: float) -> None:
        self.writable()[self._position(index)] = in_type(are_numbers(value), self.dtype)

    def __iter__(self) -> Iterator:
        return iter(self.totable())

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, (Storage, list, tuple)) and self.totable() == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{column(self._flat())}[{self.type()} of size {len(self)}]"

    def string(self, text: str | bytes | None = None) -> "str | Storage":
        """The bytes as a text; or takes a text's, and its size. Of a ByteStorage or CharStorage; TypeError for others.

        Bytes that are no UTF-8 become the characters of these numbers.
        """
        if self.dtype.itemsize != 1:
            raise TypeError(f"{self.type()}: string: expected a CharStorage or ByteStorage")
        if text is None:
            return as_text(self._flat().tobytes())
        data = text if isinstance(text, bytes) else text.encode()
        self.resize(len(data)).array = np.frombuffer(data, self.dtype).copy()
        return self

    def retain(self) -> None:
        """Does nothing: memory is Python's."""

    free = retain

    # Its memory -----------------------------------------------------------------------------------------------------

    def memory(self) -> np.ndarray:
        """The elements as one flat NumPy array; from now on its changes are the storage's, and the other way round."""
        self.array = self.writable()
        self.__class__ = FixedStorage  # type: ignore[assignment]
        return self.memory()

    def data(self, asnumber: bool = False) -> np.ndarray | int:
        """The elements to read and write, counted from 0, as LuaJIT sees them; or the address of the first."""
        memory = self.memory()
        return memory.ctypes.data if asnumber else memory

    def cdata(self) -> StorageData:
        """What C has of it: its elements and their number."""
        return StorageData(self.memory(), len(self))

    def __deepcopy__(self, memo: dict) -> "Storage":
        self._owned = False  # the array itself is shared until one side writes
        memo[id(self)] = copy = Storage(self._array, self._make, self.shape, self.dtype)
        return copy

    def __reduce__(self):
        if self.is_zero:
            return Storage.zeros, (self.shape, self.dtype)
        return Storage, (np.asarray(self.array),)


class DeviceStorage(Storage):
    """A storage whose elements lie on an accelerator, and stay there.

    What tensors compute of them is noted (`noted.py`). What others write on the host is taken there when somebody
    reads.
    """

    __slots__ = ()

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
            array = np.asarray(self._array if self._make is None else self._make())
            self._array, self._make = notes_of(self._place).brought(array), None
        return self._array

    @noted.setter
    def noted(self, array: Value) -> None:
        self._array, self._make, self._owned, self._parts = array, None, False, None
        if isinstance(array, Noted):
            self._array, self._make = None, array

    @property
    def array(self) -> Value:
        """The array, on the accelerator, after all that is noted has run."""
        found = self.noted
        if isinstance(found, Noted):
            self._array, self._make = found(), None
        return self._array

    array = array.setter(noted.fset)  # type: ignore[arg-type]

    def _made(self) -> Value:
        return self.array

    @property
    def device(self) -> Device:  # type: ignore[override]
        """Where elements go that come from the host."""
        return notes_of(self._place).device

    def _filled(self, value: float) -> Noted:
        with precision(self.dtype):
            return notes_of(self._place).note(jnp.full, self.shape, value, self.dtype)

    def fill(self, value: float) -> Storage:
        """Sets every element."""
        self.noted = self._filled(float(value) if is_floating(self.dtype) else in_type(value, self.dtype))
        return self

    def __deepcopy__(self, memo: dict) -> Storage:
        memo[id(self)] = copy = Storage(self.noted)
        return copy


class FixedStorage(Storage):
    """A storage whose elements stay where they are in memory, because others read and write them there.

    Who asks for its array gets a copy: JAX must not see later changes.
    """

    __slots__ = ()

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

    noted = array

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
