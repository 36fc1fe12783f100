"""Torch's Tensor: a view (offset, size, stride) of a storage, with in-place methods and 1-based indices."""

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import jax.numpy as jnp
import numpy as np

from ..core import is_concrete
from .arithmetic import Arithmetic
from .storage import Storage


class _Version:
    """Counts every change of structure (a rebound tensor, an added module), so that plans know when they are stale."""

    count = 0


def changed() -> None:
    """Notes that the structure of some network has changed."""
    _Version.count += 1


def version() -> int:
    """The number of changes of structure so far."""
    return _Version.count


@cache
def contiguous_stride(size: tuple[int, ...]) -> tuple[int, ...]:
    """The row-major strides, in elements, of a size."""
    return tuple(math.prod(size[i + 1 :]) for i in range(len(size)))


class Tensor(Arithmetic):
    """A view of a storage. Acts as a NumPy array; `t[1]` is the first element, as in Torch.

    Tensors that share a storage see each other's changes. Writing happens in place and returns the tensor, so that
    calls chain: `t.zero().add(2, other)`.
    Source: torch7/doc/tensor.md.
    """

    __slots__ = ("__weakref__", "offset", "shape", "storage_", "strides_")
    __array_priority__ = 100

    def __init__(self, *sizes: Any):
        """`Tensor(2, 3)` (zeros, unlike Torch's arbitrary values) or `Tensor([[1, 2], [3, 4]])`; float32."""
        if all(isinstance(s, (int, np.integer)) for s in sizes):
            self._bind(Storage.zeros(sizes if sizes else (0,), np.float32))
        elif len(sizes) == 1:
            self._bind(Storage(np.array(sizes[0], np.float32)))
        else:
            raise TypeError(f"torch.Tensor: expected sizes or one array, got {sizes}")

    @classmethod
    def of(cls, array: Any) -> "Tensor":
        """A tensor over the whole of an array, which is not copied."""
        tensor = object.__new__(cls)
        tensor.storage_, tensor.offset = Storage(array), 0
        tensor.shape = array.shape
        tensor.strides_ = contiguous_stride(tensor.shape)
        return tensor

    @classmethod
    def viewing(cls, storage: Storage, offset: int, shape: tuple, stride: tuple | None = None) -> "Tensor":
        """A tensor that views part of a storage; offset and stride in elements, from 0."""
        tensor = object.__new__(cls)
        tensor._bind(storage, offset, shape, stride)
        return tensor

    def _bind(self, storage: Storage, offset: int = 0, shape: tuple | None = None, stride: tuple | None = None) -> None:
        self.storage_, self.offset = storage, offset
        self.shape = storage.shape if shape is None else tuple(shape)
        self.strides_ = contiguous_stride(self.shape) if stride is None else tuple(stride)

    # As an array ----------------------------------------------------------------------------------------------

    @property
    def array(self) -> Any:
        """The elements as a JAX or NumPy array, not to be written to."""
        storage = self.storage_
        if self._is_whole(storage):
            return storage.array
        if not is_concrete(storage.array):
            flat = jnp.asarray(storage.array).reshape(-1)
            if self.isContiguous():
                return flat[self.offset : self.offset + self.nElement()].reshape(self.shape)
            return flat[self.positions()]
        return self._strided(np.asarray(storage.array).reshape(-1))

    @array.setter
    def array(self, array: Any) -> None:
        storage = self.storage_
        if self._is_whole(storage):
            storage.array = array
        else:
            self._writable()[...] = np.asarray(array)

    def _is_whole(self, storage: Storage) -> bool:
        shape = self.shape
        return self.offset == 0 and shape == storage.shape and self.strides_ == contiguous_stride(shape)

    def positions(self) -> np.ndarray:
        """Each element's position in the storage, from 0."""
        return self._strided(np.arange(self.storage_.size))

    def _strided(self, flat: np.ndarray) -> np.ndarray:
        strides = tuple(s * flat.itemsize for s in self.strides_)
        return np.lib.stride_tricks.as_strided(flat[self.offset :], self.shape, strides)

    def _writable(self) -> np.ndarray:
        return self._strided(self.storage_.writable())

    def numpy(self) -> np.ndarray:
        """The elements as a NumPy array (0-based, read-only)."""
        array = np.asarray(self.array).view()
        array.setflags(write=False)
        return array

    def __array__(self, dtype=None, copy=None):
        array = self.numpy()
        return np.array(array, dtype) if copy or (dtype is not None and array.dtype != dtype) else array

    def __jax_array__(self):
        return jnp.asarray(self.array)

    @property
    def dtype(self) -> np.dtype:
        """The elements' dtype."""
        return self.storage_.dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions, as NumPy calls it."""
        return len(self.shape)

    @property
    def T(self) -> "Tensor":
        """The transposed view of a matrix."""
        return self.t()

    # Torch's questions ------------------------------------------------------------------------------------------

    def size(self, dim: int | None = None) -> Any:
        """All sizes as a list, or that of one dimension."""
        return list(self.shape) if dim is None else self.shape[self._axis(dim)]

    def stride(self, dim: int | None = None) -> Any:
        """All strides as a list, or that of one dimension, in elements."""
        return list(self.strides_) if dim is None else self.strides_[self._axis(dim)]

    def dim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    nDimension = dim

    def nElement(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    numel = nElement

    def storage(self) -> Storage:
        """The storage that this tensor views."""
        return self.storage_

    def storageOffset(self) -> int:
        """The position of the first element in the storage, from 1."""
        return self.offset + 1

    def isContiguous(self) -> bool:
        """Whether the elements lie in the storage row by row."""
        return self.strides_ == contiguous_stride(self.shape)

    def isSameSizeAs(self, other: "Tensor") -> bool:
        """Whether both have the same sizes."""
        return self.shape == other.shape

    def isSetTo(self, other: "Tensor") -> bool:
        """Whether both are the same view of the same storage."""
        mine = (self.storage_, self.offset, self.shape, self.strides_)
        return mine == (other.storage_, other.offset, other.shape, other.strides_)

    # Views --------------------------------------------------------------------------------------------------------

    def _axis(self, dim: int) -> int:
        if not 1 <= dim <= len(self.shape):
            raise IndexError(f"dimension {dim} out of range of a {len(self.shape)}D tensor; dimensions count from 1")
        return dim - 1

    def _index(self, axis: int, index: int) -> int:
        size = self.shape[axis]
        position = index - 1 if index > 0 else index + size
        if index == 0 or not 0 <= position < size:
            raise IndexError(f"index {index} out of range of dimension {axis + 1} of size {size}; indices count from 1")
        return position

    def narrow(self, dim: int, first: int, size: int) -> "Tensor":
        """The view of `size` slices of a dimension, from slice `first`."""
        axis = self._axis(dim)
        start = self._index(axis, first)
        if size < 1 or start + size > self.shape[axis]:
            raise IndexError(f"narrow({dim}, {first}, {size}) out of range of size {self.shape[axis]}")
        shape = (*self.shape[:axis], size, *self.shape[axis + 1 :])
        return Tensor.viewing(self.storage_, self.offset + start * self.strides_[axis], shape, self.strides_)

    def select(self, dim: int, index: int) -> "Tensor":
        """The view of one slice of a dimension, which disappears."""
        axis = self._axis(dim)
        offset = self.offset + self._index(axis, index) * self.strides_[axis]
        shape, stride = (v[:axis] + v[axis + 1 :] for v in (self.shape, self.strides_))
        return Tensor.viewing(self.storage_, offset, shape, stride)

    def transpose(self, dim1: int, dim2: int) -> "Tensor":
        """The view with two dimensions exchanged."""
        order = list(range(self.ndim))
        a, b = self._axis(dim1), self._axis(dim2)
        order[a], order[b] = order[b], order[a]
        shape, stride = (tuple(v[i] for i in order) for v in (self.shape, self.strides_))
        return Tensor.viewing(self.storage_, self.offset, shape, stride)

    def t(self) -> "Tensor":
        """The transposed view of a matrix."""
        return self.transpose(1, 2)

    def view(self, *sizes: Any) -> "Tensor":
        """The view of a contiguous tensor with other sizes, of which one may be -1."""
        sizes = tuple(sizes[0]) if len(sizes) == 1 and not isinstance(sizes[0], (int, np.integer)) else sizes
        if not self.isContiguous():
            raise ValueError("view: expected a contiguous tensor; call contiguous() first")
        shape = np.empty(self.shape, np.bool_).reshape(sizes).shape
        return Tensor.viewing(self.storage_, self.offset, shape)

    def viewAs(self, other: "Tensor") -> "Tensor":
        """The view with the sizes of another tensor."""
        return self.view(*other.shape)

    def contiguous(self) -> "Tensor":
        """Itself if contiguous, else a contiguous copy."""
        return self if self.isContiguous() else self.clone()

    def expandAs(self, other: Any) -> "Tensor":
        """The view in which dimensions of size 1 repeat to the sizes of another tensor."""
        shape = tuple(np.shape(other))
        stride = tuple(
            0 if mine == 1 and wanted != 1 else s
            for mine, wanted, s in zip(self.shape, shape, self.strides_, strict=True)
        )
        return Tensor.viewing(self.storage_, self.offset, shape, stride)

    def set(self, other: "Tensor | None" = None) -> "Tensor":
        """Makes this tensor the same view as another (or empty): from now on they share their elements."""
        if other is None:
            self._bind(Storage.zeros((0,), self.dtype))
        else:
            self._bind(other.storage_, other.offset, other.shape, other.strides_)
        changed()
        return self

    def resize(self, *sizes: Any) -> "Tensor":
        """Gives this tensor other sizes; elements are kept as far as they go."""
        shape = tuple(sizes[0]) if len(sizes) == 1 and not isinstance(sizes[0], (int, np.integer)) else sizes
        if shape != self.shape:
            flat, wanted = np.zeros(math.prod(shape), self.dtype), self.numpy().reshape(-1)
            flat[: min(flat.size, wanted.size)] = wanted[: flat.size]
            self._bind(Storage(flat.reshape(shape)))
            changed()
        return self

    def resizeAs(self, other: Any) -> "Tensor":
        """Gives this tensor the sizes of another."""
        return self.resize(*np.shape(other))

    def _place(self, key: Any) -> "Tensor":
        """The view that an index denotes: numbers, [first, last] ranges and [] for all, one per dimension."""
        view, dim = self, 1
        for each in key if isinstance(key, tuple) else (key,):
            if isinstance(each, slice):
                if each != slice(None):
                    raise IndexError("slices are ambiguous with indices from 1; write t[[first, last]] or t.narrow()")
                dim += 1
            elif isinstance(each, (list, tuple)):
                if each:
                    first, last = (each[0], each[0]) if len(each) == 1 else each
                    view = view.narrow(dim, first, last - first + 1)
                dim += 1
            else:
                view = view.select(dim, int(each))
        return view

    def _mask(self, key: Any) -> np.ndarray | None:
        array = None if isinstance(key, (int, np.integer, tuple, list, slice)) else np.asarray(key)
        return array != 0 if array is not None and array.shape == self.shape and array.ndim else None

    def __getitem__(self, key: Any) -> Any:
        mask = self._mask(key)
        if mask is not None:
            return Tensor.of(self.numpy()[mask])
        place = self._place(key)
        return place if place.shape else place.item()

    def __setitem__(self, key: Any, value: Any) -> None:
        mask = self._mask(key)
        if mask is not None:
            self._writable()[mask] = np.asarray(value)
        else:
            self._place(key)._writable()[...] = np.asarray(value)

    def __len__(self) -> int:
        return self.shape[0] if self.shape else 0

    def __iter__(self) -> Iterator:
        return (self[i] for i in range(1, len(self) + 1))

    def __deepcopy__(self, memo: dict) -> "Tensor":
        storage = memo.get(id(self.storage_))
        if storage is None:
            storage = self.storage_.__deepcopy__(memo)
        return Tensor.viewing(storage, self.offset, self.shape, self.strides_)

    def __reduce__(self):
        return Tensor.viewing, (self.storage_, self.offset, self.shape, self.strides_)
