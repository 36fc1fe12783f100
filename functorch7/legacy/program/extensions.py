"""What packages around Torch add to `torch`: torch's own `include`, and functions of torchx and dp."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable

from ...core.types import Value
from ..objects.files import load_t7, save_t7
from ..tensors.kinds import Operand
from ..tensors.makers import joined
from ..tensors.storage import Storage
from ..tensors.strides import reach
from ..tensors.tensor import Tensor
from .objects import pointed
from .running import run_file


def include(package: str, file: str) -> None:
    """Runs a Python file in a package's folder, with the caller's global names.

    Raises ModuleNotFoundError if there is no such package, OSError if the file cannot be read.
    """
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(f"torch.include: there is no package {package!r}")
    run_file(os.path.join(os.path.dirname(found.origin), file), sys._getframe(1).f_globals)


def concat(*args: Operand) -> Tensor:
    """concat([result,] tensors, [dim]): a table of tensors joined along a dimension, by default the first.

    Source: torchx.
    """
    return joined(args if isinstance(args[-1], int) else (*args, 1), Tensor)


def protoClone(proto: object, *args: Value) -> Value:
    """A new object of the same class, or tensor of the same type, from these arguments. Source: dp."""
    return proto.new(*args) if isinstance(proto, Tensor) else type(proto)(*args)


def checkpoint(path: str, make: Callable[[], object], overwrite: bool = False, mode: str = "binary") -> Value:
    """A file's object; without the file, or with `overwrite`, a function's result, which is saved there. Source: dp.

    Missing folders are made.
    """
    if not overwrite and os.path.exists(path):
        return load_t7(path)
    made = make()
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    save_t7(path, made, mode)
    return made


def setFloatStorage(tensor: Tensor, storage: Storage | int, free: bool = False) -> None:
    """Lets a FloatTensor view another storage at the same offset, as threads hand over storages.

    `storage`: a FloatStorage, or the number from `torch.pointer` of one that still exists. `free` does nothing: memory
    is Python's. Raises TypeError for storages of other types, ValueError for an unknown number and for too few
    elements. Source: dp.
    """
    _set_storage("setFloatStorage", "torch.FloatStorage", tensor, storage)


def setIntStorage(tensor: Tensor, storage: Storage | int, free: bool = False) -> None:
    """As `setFloatStorage`, for an IntTensor. Source: dp."""
    _set_storage("setIntStorage", "torch.IntStorage", tensor, storage)


def _set_storage(name: str, kind: str, tensor: Tensor, given: Storage | int) -> None:
    storage = given if isinstance(given, Storage) else pointed(given)
    if storage is None:
        raise ValueError(f"torch.{name}: expected torch.pointer's number of a storage that still exists, got {given}")
    if not storage.type() == tensor.storage().type() == kind:
        raise TypeError(f"torch.{name}: expected a tensor and a {kind}, got a {tensor.type()} and a {storage.type()}")
    needed = tensor.offset + reach(tensor.shape, tensor.strides_)
    if len(storage) < needed:
        raise ValueError(f"torch.{name}: expected {needed} elements or more, got {len(storage)}")
    tensor.rebind(storage, tensor.offset, tensor.shape, tensor.strides_)
