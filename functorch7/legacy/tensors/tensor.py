"""Torch's Tensor: a view (offset, size, stride) of a storage, with in-place methods and 1-based indices."""

import math
from collections.abc import Iterator
from typing import Any, overload

import jax
import jax.numpy as jnp
import numpy as np

from ...core import is_concrete
from .arguments import are_numbers, sizes_text
from .arithmetic import Arithmetic
from .casting import as_type
from .cdata import TensorData
from .changes import changed
from .constructors import place_given
from .default_type import default_dtype, placed
from .kinds import Elements, Numbers, Operand, Result, Sizes
from .methods import BY_TABLES
from .named_errors import name_errors
from .noted import Noted, looked_at
from .notes import notes_of
from .quiet import put
from .sizes import sizes_given
from .storage import Storage, long_storage
from .strides import contiguous_stride, is_contiguous, strided, with_part

SMALL_PART = 4
"""A part this many times smaller than its storage is copied when it is read while the storage is being written to."""

SMALL_STORAGE = 2**16
"""A storage of so many elements leaves an accelerator as a whole."""


class Tensor(Arithmetic):
    """A view of a storage. Acts as a NumPy array; `t[1]` is the first element, as in Torch.

    Tensors that share a storage see each other's changes. Methods that write do so in place and return the tensor, so
    that calls chain: `t.zero().add(2, other)`. Tensors with as many elements are combined element by element, whatever
    their sizes, and never repeated to fit; `*` is the product of matrices and vectors. Inside a PyTorch-style
    `forward`, and in hooks, operators are PyTorch's.
    Raises: ValueError for sizes that do not fit, TypeError for arguments that a method does not take.
    Source: torch7/doc/tensor.md; torch7/doc/maths.md.
    """

    __slots__ = ("__weakref__", "_seats", "offset", "shape", "storage_", "strides_")
    __array_priority__ = 100

    def __init__(self, *given: Operand):
        """Of the default type: `Tensor(2, 3)` and `Tensor(other.size())` (zeros, unlike Torch's arbitrary values);
        `Tensor([[1, 2], [3, 4]])`; `Tensor(other)`, which shares the other's elements (copies those of other types);
        `Tensor(sizes, strides)`, both LongStorages; `Tensor(storage, offset=1, sizes, strides)`, a view of a storage
        of this type (sizes and strides as LongStorages, or as numbers in turn; without strides row by row). A storage
        that is too short grows, with zeros.
        """
        self._bind(*place_given(default_dtype(), given))
        if (there := placed(self)) is not self:
            self.set(there)

    def new(self, *given: Operand) -> "Tensor":
        """A tensor of this one's type, from the same arguments as `Tensor`; empty without any."""
        made = Tensor.typed(self.dtype, *given)
        return made if self.storage_.place is None else made.type(self.type())

    @classmethod
    def typed(cls, dtype: np.dtype, *given: Operand) -> "Tensor":
        """As `Tensor(...)`, of another type."""
        tensor = object.__new__(cls)
        tensor._bind(*place_given(dtype, given))
        return tensor

    @classmethod
    def of(cls, array: Elements | np.generic | Noted) -> "Tensor":
        """A tensor over the whole of an array, which is not copied."""
        tensor = object.__new__(cls)
        storage = tensor.storage_ = Storage(array)
        tensor.offset, tensor.shape, tensor.strides_ = 0, storage.shape, storage.strides
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

    def rebind(
        self, storage: Storage, offset: int = 0, shape: tuple | None = None, stride: tuple | None = None
    ) -> None:
        """Becomes another view; whoever holds this tensor is told."""
        self._bind(storage, offset, shape, stride)
        changed(self)

    @property
    def requires_grad(self) -> bool:
        """Only PyTorch's parameters have it. Raises AttributeError, saying where these are."""
        raise AttributeError(
            f"{self.type()}: only parameters have requires_grad: take them from the module's named_parameters() or "
            "get_parameter('weight'), or call its requires_grad_(False)"
        )

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.requires_grad  # noqa: B018

    # As an array ----------------------------------------------------------------------------------------------

    @property
    def array(self) -> Elements:
        """The elements as a JAX or NumPy array, not to be written to."""
        return looked_at(self.noted)

    @property
    def noted(self) -> Elements:
        """The elements as an array, or, on an accelerator, what is noted of them."""
        storage, shape = self.storage_, self.shape
        if shape == storage.shape and self.strides_ == storage.strides and self.offset == 0:
            return storage.noted  # most tensors are such
        if self._is_whole():
            return storage.noted.reshape(shape)
        if storage.place is not None and not storage.is_traced():
            return storage.viewed(self.offset, shape, self.strides_)  # type: ignore[attr-defined]
        if storage.is_being_written() and SMALL_PART * self.nElement() <= len(storage):
            return self._strided(storage.writable()).copy()  # a view would make the next write copy the whole storage
        if storage.is_traced():
            flat = jnp.asarray(storage.array).reshape(-1)
            if self.isContiguous():
                return flat[self.offset : self.offset + self.nElement()].reshape(self.shape)
            return flat[self.positions()]
        return self._strided(np.asarray(storage.array).reshape(-1))

    @property
    def peeked(self) -> Elements:
        """As `noted`, for computing at once: neither the array nor a part of it may be handed out.

        Later writes to the storage need not copy it first.
        """
        storage = self.storage_
        array = storage._array
        if type(array) is not np.ndarray or storage.place is not None:
            return self.noted
        if self.shape == array.shape and self.strides_ == storage.strides and self.offset == 0:
            return array
        return self._strided(array.reshape(-1))

    @array.setter
    def array(self, array: Elements) -> None:
        storage, shape = self.storage_, self.shape
        if array.shape == shape == storage.shape and self.strides_ == storage.strides and self.offset == 0:
            storage.array = array
        elif self._is_whole():
            storage.array = array.reshape(storage.shape)
        elif storage.place is not None and is_concrete(array):
            place = np.int32(self.offset), shape, self.strides_
            storage.array = notes_of(storage.place).note(with_part, storage.noted, array, *place)
        elif is_concrete(array) and not storage.is_traced():  # asking for its array would be a read
            self._writable()[...] = np.asarray(array)
        else:
            flat = jnp.asarray(storage.array).reshape(-1)
            storage.array = flat.at[self.positions()].set(array).reshape(storage.shape)

    def _is_whole(self) -> bool:
        """Whether these are all the storage's elements, in order."""
        shape, storage = self.shape, self.storage_
        if self.offset or not is_contiguous(shape, self.strides_):
            return False
        return shape == storage.shape or math.prod(shape) == len(storage)

    def positions(self) -> np.ndarray:
        """Each element's position in the storage, from 0."""
        return self._strided(np.arange(len(self.storage_)))

    def _strided(self, flat: np.ndarray) -> np.ndarray:
        return strided(flat[self.offset :], self.shape, self.strides_)

    def _writable(self) -> np.ndarray:
        return self._strided(self.storage_.writable())

    def numpy(self) -> np.ndarray:
        """The elements as a NumPy array (0-based, read-only)."""
        array = np.asarray(self._looked_at()).view()
        array.setflags(write=False)
        return array

    def _looked_at(self) -> Any:
        """The array; a small storage comes from an accelerator whole, since more of it will be asked for."""
        storage = self.storage_
        if storage.place is None or len(storage) > SMALL_STORAGE:
            return self.array
        return self._strided(np.asarray(storage.array).reshape(-1))

    def __array__(self, dtype=None, copy=None):
        array = self.numpy()
        return np.array(array, dtype) if copy or (dtype is not None and array.dtype != dtype) else array

    def __jax_array__(self):
        array = self.array
        return array if isinstance(array, jax.Array) else jax.device_put(array)  # without compiling for its shape

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

    @overload
    def size(self, dim: None = None) -> Storage: ...

    @overload
    def size(self, dim: int) -> int: ...

    def size(self, dim: int | None = None) -> Storage | int:
        """All sizes as a LongStorage, or that of one dimension."""
        return long_storage(self.shape[: self.dim()]) if dim is None else self.shape[self._axis(dim)]

    @overload
    def stride(self, dim: None = None) -> Storage: ...

    @overload
    def stride(self, dim: int) -> int: ...

    def stride(self, dim: int | None = None) -> Storage | int:
        """All strides as a LongStorage, or that of one dimension, in elements."""
        return long_storage(self.strides_[: self.dim()]) if dim is None else self.strides_[self._axis(dim)]

    def dim(self) -> int:
        """The number of dimensions; a tensor without elements has none."""
        return 0 if 0 in self.shape else len(self.shape)

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
        return is_contiguous(self.shape, self.strides_)

    def isSameSizeAs(self, other: "Tensor") -> bool:
        """Whether both have the same sizes."""
        return self.shape == other.shape

    def isSetTo(self, other: "Tensor") -> bool:
        """Whether both are the same view of the same storage."""
        mine = (self.offset, self.shape, self.strides_)
        return self.storage_ is other.storage_ and mine == (other.offset, other.shape, other.strides_)

    # What it views ------------------------------------------------------------------------------------------------

    def set(self, *given: Operand) -> "Tensor":
        """Becomes another view: `set(tensor)`, `set(storage, [offset, sizes, [strides]])`, with sizes and
        strides as LongStorages or as numbers in turn; without arguments an empty tensor. Raises TypeError for another
        type.
        """
        first = given[0] if given else Storage.zeros((0,), self.dtype)
        if not isinstance(first, (Tensor, Storage)) or first.dtype != self.dtype:
            kind = first.type() if isinstance(first, (Tensor, Storage)) else repr(first)
            raise TypeError(f"torch.set: expected a {self.type()} or its storage, got {kind}")
        self.rebind(*place_given(self.dtype, given or (first,)))
        return self

    def resize(self, *sizes: Sizes) -> "Tensor":
        """Changes the sizes: the tensor views its storage from the same element on, row by row, or with the strides of
        a second LongStorage. The storage grows, for all that view it, if it has too few elements; new ones are 0.
        """
        if len(given := [each for each in sizes if isinstance(each, Storage)]) == 2:
            return self.set(self.storage_, self.offset + 1, *given)
        shape = sizes_given(*sizes) or (0,)
        if shape != self.shape:
            needed = self.offset + math.prod(shape)
            if needed > len(self.storage_):
                self.storage_.resize(needed)
            self.rebind(self.storage_, self.offset, shape)
        return self

    def resizeAs(self, other: Numbers) -> "Tensor":
        """Gives this tensor the sizes of another. Raises TypeError for a number."""
        if not np.shape(other):
            raise TypeError(f"expected a tensor, got {other!r}")
        return self.resize(*np.shape(other))

    def _place(self, key: Any) -> "Tensor":
        """The view for an index: a number, a range [first, last] or [] (all) for each dimension."""
        view, dim = self, 1
        if isinstance(key, Storage) and len(key) != self.dim():
            raise IndexError(f"expected {self.dim()} indices in a LongStorage, got {len(key)}")
        for each in key if isinstance(key, (tuple, Storage)) else (key,):
            if isinstance(each, slice):
                if each != slice(None):
                    raise IndexError("slices are ambiguous with indices from 1; write t[[first, last]] or t.narrow()")
                dim += 1
            elif isinstance(each, (list, tuple)):
                if len(each) > 2:
                    raise IndexError(f"expected [first, last] as a range of an index, got {each}")
                view = view._part(dim, *((each[0], each[-1]) if each else (1, -1)))
                dim += 1
            else:
                view = view.selected(dim, each)
        return self._reordered([*range(self.ndim)]) if view is self else view

    def _mask(self, key: Any) -> np.ndarray | None:
        """The mask for an index: as many bytes as elements, or numbers of this size."""
        if isinstance(key, (int, np.integer, tuple, list, slice, Storage)):
            return None
        array = np.asarray(key)
        is_mask = array.ndim > 0 and (array.dtype in (np.uint8, np.bool_) or array.shape == self.shape)
        return self._masked("maskedSelect", array) if is_mask else None

    @overload
    def __getitem__(self, key: int | tuple | Storage) -> Result["Tensor"]: ...

    @overload
    def __getitem__(self, key: Numbers) -> "Tensor": ...

    def __getitem__(self, key: int | tuple | Storage | Numbers) -> Result["Tensor"]:
        if type(key) is int:
            place = self.selected(1, key)
        elif (mask := self._mask(key)) is not None:
            return self._chosen(mask)
        else:
            place = self._place(key)
        return place if place.shape else place.item()

    def __setitem__(self, key: int | tuple | Storage | Numbers, value: Numbers) -> None:
        is_plain = self.ndim == 1 and self.dtype.kind == "f" and self.storage_.place is None
        if type(key) is int and type(value) in (float, int) and is_plain:  # most that programs set are such
            put(self.storage_.writable(), self.selected(1, key).offset, value)
            return
        mask, values = self._mask(key), as_type(np.asarray(are_numbers(value)), self.dtype)
        view = self if mask is not None else self._place(key)
        chosen = view.shape if mask is None else (int(mask.sum()),)
        values = values.reshape(-1)[: chosen[0]] if mask is not None and values.ndim else values  # as maskedCopy
        if values.ndim and values.size != math.prod(chosen):
            wanted = sizes_text(chosen)
            raise ValueError(f"expected a number or elements for size {wanted}, got {sizes_text(values.shape)}")
        values, index = values.reshape(chosen) if values.ndim else values, ... if mask is None else mask
        view._where(index, values)

    def __len__(self) -> int:
        return self.shape[0] if self.shape else 0

    def __iter__(self) -> Iterator:
        return (self[i] for i in range(1, len(self) + 1))

    def __deepcopy__(self, memo: dict) -> "Tensor":
        storage = memo.get(id(self.storage_))
        if storage is None:
            storage = self.storage_.__deepcopy__(memo)
        return Tensor.viewing(storage, self.offset, self.shape, self.strides_)

    # Its memory -----------------------------------------------------------------------------------------------------

    def data(self, asnumber: bool = False) -> np.ndarray | int:
        """The memory from the first element on, to read and write, counted from 0; or its address.

        As in LuaJIT, a tensor that is not contiguous has other elements between its own. From now on the elements stay
        in NumPy's memory, and JAX gets copies.
        """
        memory = self.storage_.memory()[self.offset :]
        return memory.ctypes.data if asnumber else memory

    def cdata(self) -> "TensorData":
        """What C sees, counted from 0."""
        return TensorData(self.shape, self.strides_, self.dim(), self.storage_.cdata(), self.offset)

    def __reduce__(self):
        return Tensor.viewing, (self.storage_, self.offset, self.shape, self.strides_)


name_errors(Tensor, besides={*BY_TABLES, "selected"})
