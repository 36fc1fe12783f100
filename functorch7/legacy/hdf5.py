"""Torch's package hdf5: tensors in HDF5 files, by h5py.

Source: torch-hdf5.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..checks.tables import as_dict
from ..core.types import Value
from ..interop.in_place import InPlace
from ..interop.packages import package
from ..interop.writing import refuse_special
from .tensors.arguments import sizes_text
from .tensors.read import tensor_of
from .tensors.tensor import Tensor
from .tensors.types import constructor_of
from .tensors.values import Input

MODES = ("a", "r", "r+", "w", "w-")


class DataSetOptions:
    """How data are stored in a file: in chunks, or compressed.

    Both methods return the options, so that calls chain.
    """

    def __init__(self) -> None:
        self._chunks: tuple[int, ...] | None = None
        self._level: int | None = None

    def setChunked(self, *sizes: int) -> DataSetOptions:
        """Stores in chunks of this size, a number for each dimension; smaller if the data are. `append` needs them."""
        self._chunks = sizes
        return self

    def setDeflate(self, level: int = 6) -> DataSetOptions:
        """Compresses, from 0 (fast) to 9 (small); this needs chunks."""
        self._level = level
        return self

    def arguments(self, tensor: Tensor) -> dict[str, object]:
        """The arguments for h5py. Raises ValueError for chunks of another number of dimensions."""
        if self._chunks is None:
            return {} if self._level is None else {"compression": self._level}
        if len(self._chunks) != tensor.dim():
            raise ValueError(
                f"hdf5.DataSetOptions: expected chunks of {tensor.dim()} dimensions, as the data, got {self._chunks}"
            )
        chunks = tuple(map(min, self._chunks, tensor.shape))
        return {"chunks": chunks, "maxshape": (None, *tensor.shape[1:]), "compression": self._level}


class HDF5DataSet:
    """A tensor in a file; parts of it can be read."""

    def __init__(self, inside: Value):
        self._inside = inside

    def all(self) -> Tensor:
        """The whole tensor. Raises TypeError for types that Torch lacks."""
        return self._tensor(self._inside[...])

    def partial(self, *ranges: int | Sequence[int]) -> Tensor:
        """The part in these ranges, one for each dimension: [first, last], counted from 1, or a number.

        Raises ValueError for another number of ranges, and for ranges outside the data; TypeError as `all`.
        """
        if len(ranges) != self._inside.ndim:
            raise ValueError(f"HDF5DataSet: partial: expected {self._inside.ndim} ranges, got {len(ranges)}")
        bounds: Any = [each if isinstance(each, (list, tuple)) else (each, each) for each in ranges]
        for (first, last), size in zip(bounds, self._inside.shape, strict=True):
            if not 1 <= first <= last <= size:
                raise ValueError(f"HDF5DataSet: partial: expected a range within 1 to {size}, got {first} to {last}")
        return self._tensor(self._inside[tuple(slice(first - 1, last) for first, last in bounds)])

    def _tensor(self, array: Value) -> Tensor:
        return tensor_of(str(self), np.asarray(array))

    def dataspaceSize(self) -> list[int]:
        """The sizes, a list."""
        return list(self._inside.shape)

    def getTensorFactory(self) -> Callable[..., Tensor]:
        """The constructor of `all`'s type, such as torch.FloatTensor. Raises TypeError as `all`."""
        found: Any = constructor_of(self._tensor(np.zeros(0, self._inside.dtype)).type())
        return found

    def __repr__(self) -> str:
        return f"[HDF5DataSet {self._inside.name}]"


class HDF5Group:
    """A folder in a file."""

    def __init__(self, inside: Value, written: InPlace | None = None):
        self._inside, self._written = inside, written

    def read(self, datapath: str = "/") -> Value:
        """The data set, or the folder, at a path; KeyError if there is none."""
        found = self._inside[datapath.strip("/")] if datapath.strip("/") else self._inside
        return HDF5Group(found, self._written) if hasattr(found, "keys") else HDF5DataSet(found)

    def all(self) -> dict[str, Value]:
        """All tensors in it, in tables nested like the folders."""
        return {name: self.read(name).all() for name in self._inside}

    def write(self, datapath: str, data: Input, options: DataSetOptions | None = None) -> None:
        """Writes a tensor, or a table of them as a folder. Raises TypeError for other data, OSError."""
        for path, tensor in _placed(datapath, data):
            kept = {} if options is None else options.arguments(tensor)
            self._inside.create_dataset(path, data=tensor.numpy(), **kept)
            self._check()

    def append(self, datapath: str, data: Input, options: DataSetOptions | None = None) -> None:
        """Adds a tensor's slices, or tables of such, to data that were written in chunks.

        Raises ValueError if any sizes but the first differ; OSError.
        """
        for path, tensor in _placed(datapath, data):
            there = self._inside[path]
            if there.shape[1:] != tensor.shape[1:]:
                wanted, given = sizes_text(there.shape[1:]), sizes_text(tensor.shape[1:])
                raise ValueError(f"hdf5: append to {path}: expected slices of size {wanted}, got {given}")
            there.resize(len(there) + len(tensor), axis=0)
            there[len(there) - len(tensor) :] = tensor.numpy()
            self._check()

    def _check(self) -> None:
        if self._written is not None:
            self._written.check()

    def __repr__(self) -> str:
        return f"[HDF5Group {self._inside.name}]"


class HDF5File(HDF5Group):
    """An open file; a block of `with` closes it."""

    def filename(self) -> str:
        """The file's name."""
        return self._inside.filename if self._written is None else self._written.path

    def close(self) -> None:
        """Closes it; tensors that were read stay. Raises OSError if it could not be written whole: it is damaged."""
        self._inside.close()
        if self._written is not None and not self._written.closed:
            self._written.close()
            self._check()

    def __enter__(self) -> HDF5File:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"[HDF5File: {self.filename()}]"


def open(filename: str, mode: str = "a") -> HDF5File:
    """Opens a file: "r" to read, "r+" to write too, "w" for a new one, "w-" if there is none, "a" for "r+" or "w".

    Only one program at a time may write a file.
    Raises ValueError for other modes, OSError if it cannot be opened, ImportError without h5py.
    """
    if mode not in MODES:
        raise ValueError(f"hdf5.open: expected a mode of {', '.join(MODES)}, got {mode!r}")
    h5py, path = package("h5py", "functorch7[hdf5]"), os.path.expanduser(filename)
    refuse_special(path, folders=False)
    if mode == "r":
        return HDF5File(h5py.File(path, mode))
    written = InPlace(path, mode)
    try:
        return HDF5File(h5py.File(written, "w" if written.is_new and mode != "r+" else "r+"), written)
    except OSError as error:
        written.close()
        raise OSError(f"hdf5.open: {path} is not an HDF5 file, or is damaged: {error}") from error


def _placed(path: str, data: Any) -> list[tuple[str, Tensor]]:
    """The tensors in nested tables, with their paths."""
    path = path.strip("/")
    if isinstance(data, Tensor) and path:
        return [(path, data)]
    if not isinstance(data, (dict, list, tuple)):
        raise TypeError(f"hdf5: expected a tensor or a table of tensors at {path or '/'!r}, got {data!r}")
    return [each for name, inside in as_dict(data).items() for each in _placed(f"{path}/{name}", inside)]
