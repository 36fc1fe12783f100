"""Torch's constructors of tensors and storages of a type: torch.FloatTensor, torch.LongStorage, ..."""

from __future__ import annotations

import ctypes
import numbers
import os
from functools import cache
from typing import Any

import numpy as np

from ...layers.tensor_types import TYPES
from .arguments import array_of
from .default_type import getdefaulttensortype
from .devices import gpu
from .kinds import Operand
from .sizes import sizes_given
from .storage import FixedStorage
from .storage import Storage as _Storage
from .tensor import Tensor
from .type_names import dtype_of, is_of_gpu


class Constructor:
    """Makes tensors, or storages, of one type; `isinstance` knows them, and their methods are its functions.

    >>> longs = constructor_of("torch.LongTensor")
    >>> longs([1, 2]).type(), isinstance(longs(3), longs), longs.add(longs([1, 2]), 1).totable()
    ('torch.LongTensor', True, [2, 3])
    """

    def __init__(self, name: str):
        self.name = name
        self.dtype = dtype_of(name.replace("Storage", "Tensor"))
        self.on_gpu = is_of_gpu(name)
        self.kind = _Storage if name.endswith("Storage") else Tensor

    def __call__(self, *given: Operand) -> Any:
        if self.on_gpu:
            gpu(self.name)  # an error before anything is made
        made = storage_given(self.dtype, *given) if self.kind is _Storage else Tensor.typed(self.dtype, *given)
        if not self.on_gpu:
            return made
        if isinstance(made, _Storage):
            return made.cast(self.dtype, gpu(self.name))
        if made.isContiguous() or made.storage_.place is not None:
            return made.type(self.name)
        storage = made.storage_.cast(self.dtype, gpu(self.name))  # a part of which would lose its strides
        return Tensor.viewing(storage, made.offset, made.shape, made.strides_)

    new = __call__

    def __instancecheck__(self, value: object) -> bool:
        return isinstance(value, self.kind) and value.type() == self.name

    def __getattr__(self, name: str) -> Any:
        return getattr(self.kind, name)

    def __repr__(self) -> str:
        return self.name


@cache
def constructor_of(name: str) -> Constructor | None:
    """The constructor of a type by Torch's name, such as "torch.FloatTensor"; None if it names no type."""
    return Constructor(name) if name.replace("Storage", "Tensor") in TYPES else None


class _DefaultStorage:
    """Makes storages of the default type."""

    __name__ = "Storage"

    def __call__(self, *given: Any) -> _Storage:
        name = getdefaulttensortype()
        return Constructor(name.replace("Tensor", "Storage"))(*given)

    def __instancecheck__(self, value: Any) -> bool:
        return isinstance(value, _Storage)


Storage = _DefaultStorage()
"""As torch.FloatStorage, of the default type."""


# Storages -------------------------------------------------------------------------------------------------------------


def storage_given(dtype: np.dtype, *given: Any) -> _Storage:
    """A storage: `(size)`, zeros; `(size, address)`, the memory there; `(table)`; `(storage, [offset, size])`, the same
    elements if they have this type; `(filename, [shared, size, sharedMem])`, a file's.
    """
    first = given[0] if given else 0
    if isinstance(first, str):
        return _of_file(dtype, *given)
    if isinstance(first, numbers.Real):
        return _of_memory(dtype, *given) if len(given) > 1 else _Storage(np.zeros(sizes_given(*given or (0,)), dtype))
    if isinstance(first, _Storage) and len(given) > 1:
        return _part(dtype, *given)
    return first if isinstance(first, _Storage) and first.dtype == dtype else _Storage(array_of(first, dtype))


def _part(dtype: np.dtype, storage: _Storage, offset: int, size: int | None = None) -> _Storage:
    size = len(storage) - offset + 1 if size is None else size
    if storage.dtype != dtype or offset < 1 or size < 0 or offset - 1 + size > len(storage):
        raise IndexError(
            f"expected a part of a storage of {dtype}, got {storage.type()} from {offset} on, {size} of it"
        )
    return MappedStorage(storage.memory()[offset - 1 : offset - 1 + size])


def _of_memory(dtype: np.dtype, size: int, address: int) -> _Storage:
    # Whoever hands over an address keeps its memory alive, as in Torch.
    lying: Any = (ctypes.c_char * (size * dtype.itemsize)).from_address(address)
    return MappedStorage(np.frombuffer(lying, dtype))


def _of_file(
    dtype: np.dtype, filename: str, shared: bool = False, size: int | None = None, sharedMem: bool = False
) -> _Storage:
    path = os.path.join("/dev/shm", filename.lstrip("/")) if sharedMem else filename
    if shared and size is not None and (not os.path.exists(path) or os.path.getsize(path) < size * dtype.itemsize):
        with open(path, "ab") as file:
            file.truncate(size * dtype.itemsize)
    shape = None if size is None else (size,)
    return MappedStorage(np.memmap(path, dtype, "r+" if shared else "c", shape=shape))


class MappedStorage(FixedStorage):
    """A storage over somebody else's memory: a file's, or a part of another storage's."""

    __slots__ = ()

    def resize(self, size: int) -> _Storage:
        """Raises ValueError: this memory does not grow."""
        if size != len(self):
            who = f"{self.type()}: resize"
            raise ValueError(f"{who}: expected {len(self)} elements, whose memory is not its own, got {size}")
        return self
