"""The little of the package `torch` that ported programs need: tensors, random numbers, names of types, files."""

from typing import Any

import numpy as np

from ..interop import t7
from .files import from_file, load_t7, save_t7, to_file
from .random import generator
from .random import manualSeed as manualSeed
from .storage import TYPES, dtype_of
from .storage import Storage as Storage
from .tensor import Tensor as Tensor


def _made(values: Any) -> Tensor:
    return Tensor.of(np.asarray(values, np.float32))


def randn(*sizes: int) -> Tensor:
    """Normally distributed numbers."""
    return _made(generator().normal(size=sizes))


def rand(*sizes: int) -> Tensor:
    """Uniform numbers from [0, 1)."""
    return _made(generator().uniform(size=sizes))


def zeros(*sizes: int) -> Tensor:
    """Zeros."""
    return _made(np.zeros(sizes))


def ones(*sizes: int) -> Tensor:
    """Ones."""
    return _made(np.ones(sizes))


def range(first: float, last: float, step: float = 1) -> Tensor:
    """first, first + step, ... up to last, which is included."""
    return _made(np.arange(first, last + step / 2, step))


def linspace(first: float, last: float, n: int = 100) -> Tensor:
    """n numbers at equal distances from first to last, both included."""
    return _made(np.linspace(first, last, n))


def randperm(n: int) -> Tensor:
    """The numbers 1 to n in random order."""
    return _made(generator().permutation(n) + 1)


def typename(value: Any) -> str | None:
    """Torch's name of a value's class; None for what Torch does not know."""
    if isinstance(value, Tensor):
        return value.type()
    return value.typename() if hasattr(value, "typename") else None


def isTensor(value: Any) -> bool:
    """Whether a value is a tensor."""
    return isinstance(value, Tensor)


def save(filename: str, object: Any, mode: str = "binary", referenced: bool = True) -> None:
    """Writes tensors, tables and modules to a `.t7` file. What occurs twice is written once, whatever `referenced`."""
    save_t7(filename, object, mode)


def load(filename: str, mode: str | None = None, referenced: bool = True) -> Any:
    """What a `.t7` file holds; whether it is binary or ASCII is found out."""
    return load_t7(filename)


def serialize(object: Any, mode: str = "binary") -> bytes:
    """The bytes that `save` writes."""
    return t7.serialize(to_file(object), mode)


def deserialize(data: bytes, mode: str | None = None) -> Any:
    """The object of bytes that `serialize` gave."""
    return from_file(t7.deserialize(data))


def __getattr__(name: str) -> Any:
    """FloatTensor, LongTensor, ..., LongStorage, ...: constructors of tensors and storages of these types."""
    full = f"torch.{name.replace('Storage', 'Tensor')}"
    if full not in TYPES:
        raise AttributeError(f"torch has no {name!r} here")
    dtype = dtype_of(full)

    def make_storage(elements: Any) -> Storage:
        return Storage(np.zeros(elements, dtype) if isinstance(elements, int) else np.array(elements, dtype))

    def make(*args: Any) -> Tensor:
        if all(isinstance(a, (int, np.integer)) for a in args):
            return Tensor.of(np.zeros(args or (0,), dtype))
        return Tensor.of(np.array(args[0], dtype))

    return make_storage if name.endswith("Storage") else make
