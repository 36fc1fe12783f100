"""Storages: the arrays that tensors view, and Torch's names for their types."""

import contextlib
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import numpy as np

from ...layers.tensor_types import TYPES
from .arguments import in_type, sizes_text
from .changes import changed
from .named_errors import name_errors
from .printing import column
from .strides import contiguous_stride

_NAMES = {dtype: name for name, dtype in reversed(TYPES.items())} | {np.dtype(bool): "torch.ByteTensor"}


def dtype_of(type_name: str) -> np.dtype:
    """The dtype behind a Torch type name, such as "torch.FloatTensor"."""
    try:
        return TYPES[type_name]
    except KeyError:
        raise ValueError(f"unknown type {type_name!r}; expected one of {', '.join(TYPES)}") from None


def type_name_of(dtype: Any) -> str:
    """Torch's name for a dtype."""
    dtype = np.dtype(dtype)
    return _NAMES.get(dtype, f"torch.{dtype.name.capitalize()}Tensor")


class CurrentDevice:
    """The number of the GPU to which CUDA's types go, from 1, and whether the CPU stands in where there is none."""

    number = 1
    is_stand_in = False


def gpus() -> list:
    """The GPUs that JAX sees; without any the CPU, where that is to stand in for one."""
    with contextlib.suppress(RuntimeError):
        return jax.devices("gpu")
    return jax.devices("cpu")[:1] if CurrentDevice.is_stand_in else []


def gpu(who: str) -> Any:
    """The current GPU; raises RuntimeError, naming who asked, if there is none."""
    found = gpus()
    if not found:
        raise RuntimeError(f"{who} needs a GPU, but JAX sees only {jax.devices()}")
    return found[CurrentDevice.number - 1]


def precision(dtype: Any) -> contextlib.AbstractContextManager:
    """The context in which JAX keeps 64-bit numbers, where `dtype` has them."""
    if np.dtype(dtype).itemsize == 8 and not jax.config.read("jax_enable_x64"):
        return jax.enable_x64(True)
    return contextlib.nullcontext()


class Storage:
    """One array, of any shape, whose elements in row-major order are what tensors view; `storage[1]` is the first.

    Storages are equal to lists, tuples and storages of the same numbers. `tensor.size()` and `stride()` are such.
    It may be pending: an array that nobody has read yet is not made (`zero` costs nothing).
    Source: torch7/doc/storage.md.
    """

    __slots__ = ("__weakref__", "_array", "_make", "_owned", "_parts", "_seats", "dtype", "shape", "strides")

    def __init__(self, array: Any = None, make: Callable[[], Any] | None = None, shape: tuple = (), dtype: Any = None):
        self._array, self._make = array, make
        self._parts: tuple[Any, dict] | None = None  # an array, and those that were cut out of it
        self._owned = False  # whether nobody else has seen `_array`, so that it may be written to
        if array is None:
            self.shape, self.dtype = shape, np.dtype(dtype)
        else:
            self.shape, self.dtype = array.shape, array.dtype
        self.strides = contiguous_stride(self.shape)  # as each read of a tensor asks for them

    @classmethod
    def zeros(cls, shape: tuple, dtype: Any) -> "Storage":
        """A storage of zeros, not made yet."""
        storage = cls(shape=tuple(shape), dtype=dtype)
        storage.zero()
        return storage

    @property
    def array(self) -> Any:
        """The array, a JAX or NumPy one, not to be written to."""
        self._owned = False
        found = self._array
        return self._made() if found is None else found

    def _made(self) -> Any:
        self._array = np.zeros(self.shape, self.dtype) if self._make is None else self._make()
        self._make = None
        return self._array

    @array.setter
    def array(self, array: Any) -> None:
        self._array, self._make, self._owned, self._parts = array, None, False, None

    def cut(self, parts: tuple, cut_out: Callable[[Any], list]) -> list:
        """The parts (offset, shape, stride) as arrays of their own, which `cut_out` makes, once, of the whole one."""
        array = self.array
        known = self._parts
        if known is None or known[0] is not array:
            known = self._parts = (array, {})
        found = known[1]
        if not all(map(found.__contains__, parts)):
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

    def writable(self) -> np.ndarray:
        """The elements as a flat NumPy array that may be written to; copied at the first write after a read."""
        if not self.is_being_written():
            # A copy: JAX may still be reading the old array, and a pull-back may hold it.
            self._array, self._owned = np.array(self.array, order="C"), True
        return self._array.reshape(-1)  # type: ignore[union-attr]

    def cast(self, dtype: Any, device: Any = None) -> "Storage":
        """A copy in another dtype (and on a device); pending values stay pending."""
        source = Storage(self._array, self._make, self.shape, self.dtype)
        self._owned = False

        def converted() -> Any:
            array = source.array
            if device is None:
                return np.asarray(array).astype(dtype) if array.dtype != dtype else array
            with precision(dtype):
                return jax.device_put(np.asarray(array).astype(dtype), device)

        if self.is_zero and device is None:
            return Storage.zeros(self.shape, dtype)
        return Storage(make=converted, shape=self.shape, dtype=dtype)

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

    def fill(self, value: float) -> "Storage":
        """Sets every element."""
        self.array = np.full(self.shape, in_type(value, self.dtype), self.dtype)
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
            if not self.is_zero:
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

    def __getitem__(self, index: int) -> Any:
        return self._flat()[self._position(index)].item()

    def __setitem__(self, index: int, value: float) -> None:
        self.writable()[self._position(index)] = in_type(value, self.dtype)

    def __iter__(self) -> Iterator:
        return iter(self.totable())

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, (Storage, list, tuple)) and self.totable() == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{column(self._flat())}[{self.type()} of size {len(self)}]"

    def string(self, text: str | bytes | None = None) -> Any:
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

    def data(self, asnumber: bool = False) -> Any:
        """The elements to read and write, counted from 0, as LuaJIT sees them; or the address of the first."""
        memory = self.memory()
        return memory.ctypes.data if asnumber else memory

    def cdata(self) -> "StorageData":
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


class StorageData(NamedTuple):
    """The fields of Torch's C structure of a storage."""

    data: np.ndarray
    size: int


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
    def array(self) -> Any:
        """A copy of the elements."""
        return np.array(self._array).reshape(self.shape)

    @array.setter
    def array(self, array: Any) -> None:
        self.memory()[:] = np.asarray(array).reshape(-1)

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

    def cast(self, dtype: Any, device: Any = None) -> Storage:
        """A copy in another dtype (and on a device)."""
        return Storage(self.array).cast(dtype, device)

    def __deepcopy__(self, memo: dict) -> Storage:
        memo[id(self)] = copy = Storage(self.array)
        return copy


class MappedStorage(FixedStorage):
    """A storage of memory that is somebody else's: a file's, a part of another storage's."""

    __slots__ = ()

    def resize(self, size: int) -> Storage:
        """Raises ValueError: this memory does not grow."""
        if size != len(self):
            raise ValueError(f"{self.type()}: resize: memory of {len(self)} elements that is not its own, got {size}")
        return self


def as_text(data: bytes) -> str:
    """Bytes as a text, by UTF-8 where they are such."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def long_storage(numbers: Any) -> Storage:
    """Whole numbers as a LongStorage."""
    return Storage(np.array(numbers, np.int64))


def sizes_given(*given: Any) -> tuple[int, ...]:
    """Sizes, given as `numbers_given` takes them. Raises ValueError for negative ones."""
    sizes = numbers_given(*given)
    if sizes and min(sizes) < 0:
        raise ValueError(f"expected sizes that are not negative, got {sizes_text(sizes)}")
    return sizes


def numbers_given(*given: Any) -> tuple[int, ...]:
    """Whole numbers that are given one by one, or as one LongStorage, list or tuple; as in Torch 3.5 is 3.

    Raises TypeError for anything but numbers.
    """
    is_storage = len(given) == 1 and isinstance(given[0], Storage) and given[0].dtype == np.int64
    numbers = given[0] if is_storage or (len(given) == 1 and isinstance(given[0], (list, tuple))) else given
    try:
        return tuple(map(operator.index, numbers))
    except TypeError:
        if all(isinstance(each, (int, float, np.integer)) and math.isfinite(each) for each in numbers):
            return tuple(map(int, numbers))
        raise TypeError(f"expected sizes: numbers, or one LongStorage or list of them; got {given}") from None


name_errors(Storage, besides=("cut",))
