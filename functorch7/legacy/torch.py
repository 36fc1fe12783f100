"""The little of the package `torch` that ported programs need: tensors, random numbers, names of types, files.

Where Torch7 and PyTorch differ (dimensions count from 1), it is Torch7's.
"""

import importlib
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from ..interop import t7
from .arithmetic import as_result, operated
from .files import from_file, load_t7, save_t7, to_file
from .operations import OPERATIONS, Operation
from .random import generator
from .random import manualSeed as manualSeed
from .storage import TYPES, dtype_of, gpu, precision, sizes_given
from .storage import Storage as Storage
from .tensor import Tensor as Tensor

float16, float32, float64 = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)
bfloat16 = jnp.dtype(jnp.bfloat16)

_LAZY = {
    "CmdLine": "cmdline", "DiskFile": "files", "File": "file", "MemoryFile": "files", "PipeFile": "files",
    "TestSuite": "tester", "Tester": "tester", "Timer": "timer", "deserializeFromStorage": "files",
    "getnumthreads": "objects", "isStorage": "objects", "isTypeOf": "objects", "pointer": "objects",
    "serializeToStorage": "files", "setnumthreads": "objects", "tic": "timer", "toc": "timer", "totable": "objects",
    "type": "objects",
}  # fmt: skip
"""The files of the package `program` by the names that they define, which are imported when they are asked for."""


def _made(values: Any, dtype: Any = float32) -> Tensor:
    return Tensor.of(np.asarray(values, dtype))


def _filled(given: tuple, values: Callable[[tuple], Any], dtype: Any) -> Tensor:
    """A tensor of the given sizes, or a first argument with these, that has the values of a function of the sizes."""
    if given and isinstance(given[0], Tensor):
        shape = sizes_given(*given[1:])
        return given[0].resize(*shape).copy(values(shape))
    return _made(values(sizes_given(*given)), dtype)


def randn(*sizes: Any, dtype: Any = float32) -> Tensor:
    """Normally distributed numbers; sizes one by one or as a LongStorage, after a tensor for the result if wanted."""
    return _filled(sizes, lambda shape: generator().normal(size=shape), dtype)


def rand(*sizes: Any, dtype: Any = float32) -> Tensor:
    """Uniform numbers from [0, 1); sizes as for randn."""
    return _filled(sizes, lambda shape: generator().uniform(size=shape), dtype)


def zeros(*sizes: Any, dtype: Any = float32) -> Tensor:
    """Zeros; sizes as for randn."""
    return _filled(sizes, np.zeros, dtype)


def ones(*sizes: Any, dtype: Any = float32) -> Tensor:
    """Ones; sizes as for randn."""
    return _filled(sizes, np.ones, dtype)


def _array(value: Any) -> Any:
    return jnp.asarray(value.array) if isinstance(value, Tensor) else value


def where(condition: Any, x: Any, y: Any) -> Tensor:
    """x where the condition holds (or is not 0), else y: the tensor's `if`."""
    with precision(next((each.dtype for each in (x, y) if isinstance(each, Tensor)), float32)):
        return Tensor.of(jnp.where(_array(condition) != 0, _array(x), _array(y)))


def cat(tensors: Any, dim: int = -1) -> Tensor:
    """Tensors one after the other along a dimension, counted from 1; the last by default."""
    first = tensors[0]
    with precision(first.dtype):
        return Tensor.of(jnp.concatenate([_array(each) for each in tensors], first._axis(dim) if dim > 0 else dim))


def eq(x: Any, y: Any) -> Tensor:
    """1 where elements are equal, else 0."""
    return operated("eq", x, y, Tensor)


def all(tensor: Any) -> bool:
    """Whether no element is 0 or false."""
    return bool(np.all(np.asarray(tensor)))


def any(tensor: Any) -> bool:
    """Whether some element is not 0."""
    return bool(np.any(np.asarray(tensor)))


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
    """FloatTensor, LongTensor, ..., LongStorage, ...: constructors of these types; and what `program` defines."""
    if name in _LAZY:
        return getattr(importlib.import_module(f".program.{_LAZY[name]}", __package__), name)
    full = f"torch.{name.replace('Storage', 'Tensor')}"
    if full not in TYPES:
        raise AttributeError(f"torch has no {name!r} here")
    dtype = dtype_of(full)
    on_gpu = name.startswith("Cuda")

    def make_storage(elements: Any = 0) -> Storage:
        device = gpu(f"torch.{name}") if on_gpu else None
        if isinstance(elements, Storage) and elements.dtype == dtype and device is None:
            return elements
        made = Storage(np.zeros(elements, dtype) if isinstance(elements, int) else np.array(elements, dtype))
        return made if device is None else made.cast(dtype, device)

    def make(*given: Any) -> Tensor:
        if on_gpu:
            gpu(f"torch.{name}")  # an error before anything is made
        tensor = Tensor.typed(dtype, *given)
        return tensor.type(full) if on_gpu else tensor

    return make_storage if name.endswith("Storage") else make


def _function_of(operation: Operation) -> Any:
    """`torch.f` of an operation: f(x, ...) is a new tensor, f(result, x, ...) goes into `result`, which is resized."""

    def function(*args: Any) -> Any:
        found = operation.without_result(args)
        if found is not None:
            result = operation.computed(*found)
            return as_result(result, Tensor) if operation.gives_number else Tensor.of(result)
        if not args or not isinstance(args[0], Tensor) or operation.gives_number:
            raise operation.wrong(args)
        return getattr(args[0], operation.name)(*args[1:])

    function.__name__ = function.__qualname__ = operation.name
    function.__doc__ = f"{operation.formula}; a new tensor, or in a first argument, which gets the result's sizes."
    return function


for _name, _operation in OPERATIONS.items():
    globals()[_name] = _function_of(_operation)
