"""The methods of Torch's storages."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

import jax.numpy as jnp
import numpy as np

from ...core import host_device
from ...core.types import Device
from .arguments import are_numbers, described, in_type
from .changes import changed
from .devices import Place, gpus
from .printing import column
from .quiet import put, quietly
from .sizes import sizes_given
from .type_names import type_name_of


class StorageMethods:
    """The methods that need only the array; subclasses say where it is and who may write to it."""

    __slots__ = ()

    if TYPE_CHECKING:
        array: Any
        dtype: np.dtype
        shape: tuple
        strides: tuple
        is_zero: bool
        place: Place | None
        device: Device | None
        _array: Any
        _owned: bool

        def is_traced(self) -> bool:
            """Whether the elements are being traced, and have no values yet."""
            ...

        def writable(self) -> np.ndarray:
            """The elements as a flat, writable NumPy array."""
            ...

        def _made(self) -> Any: ...

    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    __len__ = size

    def type(self) -> str:
        """Torch's name of the type, such as "torch.LongStorage"."""
        return type_name_of(self.dtype, self.place is not None).replace("Tensor", "Storage")

    typename = type

    def getDevice(self) -> int:
        """The number of its GPU, as cutorch counts them. Raises RuntimeError for elements on the host."""
        devices, device = gpus(), self.device or host_device()
        if device not in devices:
            raise RuntimeError(f"{self.type()}: getDevice() of elements that do not lie on one GPU")
        return devices.index(device) + 1

    def elementSize(self) -> int:
        """The bytes that an element takes."""
        return self.dtype.itemsize

    def totable(self) -> list:
        """The elements as a list."""
        return self._flat().tolist()

    def _flat(self) -> np.ndarray:
        """The elements, for use here only: an array that nobody is given needs no copy before a write."""
        found = self._made() if self._array is None else self._array
        self._owned = self._owned and found is self._array and isinstance(found, np.ndarray)
        return np.asarray(found).reshape(-1)

    def _element(self, position: int) -> Any:
        """The number at a position, from 0."""
        return self._flat().item(position)

    def fill(self, value: float) -> Self:
        """Sets every element."""
        self.array = quietly(np.full, self.shape, in_type(are_numbers(value), self.dtype), self.dtype)
        return self

    def copy(self, source: StorageMethods) -> Self:
        """Copies the elements of a storage of the same size and any type. Raises ValueError for another size."""
        if len(source) != len(self):
            raise ValueError(f"expected {len(self)} elements, got {len(source)}")
        self.array = np.array(source.totable(), self.dtype).reshape(self.shape)
        return self

    def resize(self, size: int) -> Self:
        """Changes the number of elements, for all tensors that view it; new ones are 0."""
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
        try:
            number = operator.index(index)
        except TypeError:
            raise TypeError(f"expected a number as an index of a {self.type()}, got {described(index)}") from None
        if not 1 <= number <= len(self):
            raise IndexError(f"index {index} out of range of a storage of {len(self)} elements; they count from 1")
        return number - 1

    def __getitem__(self, index: int) -> float:
        return self._flat()[self._position(index)].item()

    def __setitem__(self, index: int, value: float) -> None:
        put(self.writable(), self._position(index), in_type(are_numbers(value), self.dtype))

    def __iter__(self) -> Iterator:
        return iter(self.totable())

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, (StorageMethods, list, tuple)) and self.totable() == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{column(self._flat())}[{self.type()} of size {len(self)}]"

    def string(self, text: str | bytes | None = None) -> str | Self:
        """The bytes as a text, or takes a text's bytes and size. For ByteStorage and CharStorage; others: TypeError.

        Bytes that are not UTF-8 are escaped as in Python's file names ("surrogateescape"), so that the text gives
        the same bytes again.
        """
        if self.dtype.itemsize != 1:
            raise TypeError(f"{self.type()}: string: expected a CharStorage or ByteStorage")
        if text is None:
            return self._flat().tobytes().decode("utf-8", "surrogateescape")
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
        self.resize(len(data)).array = np.frombuffer(data, self.dtype).copy()
        return self

    def retain(self) -> None:
        """Does nothing: memory is Python's."""

    free = retain
