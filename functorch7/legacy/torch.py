"""The little of the package `torch` that ported programs need: tensors, random numbers, names of types, files.

Where Torch7 and PyTorch differ (dimensions count from 1), it is Torch7's.
"""

import builtins
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..interop import t7
from .activations import mapped
from .files import from_file, load_t7, save_t7, to_file
from .random import generator
from .random import manualSeed as manualSeed
from .storage import TYPES, dtype_of, precision
from .storage import Storage as Storage
from .tensor import Tensor as Tensor

float16, float32, float64 = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)
bfloat16 = jnp.dtype(jnp.bfloat16)


def _made(values: Any, dtype: Any = float32) -> Tensor:
    return Tensor.of(np.asarray(values, dtype))


def randn(*sizes: int, dtype: Any = float32) -> Tensor:
    """Normally distributed numbers."""
    return _made(generator().normal(size=sizes), dtype)


def rand(*sizes: int, dtype: Any = float32) -> Tensor:
    """Uniform numbers from [0, 1)."""
    return _made(generator().uniform(size=sizes), dtype)


def zeros(*sizes: int, dtype: Any = float32) -> Tensor:
    """Zeros."""
    return _made(np.zeros(sizes), dtype)


def ones(*sizes: int, dtype: Any = float32) -> Tensor:
    """Ones."""
    return _made(np.ones(sizes), dtype)


abs = mapped("abs", jnp.abs, "|x|")
exp = mapped("exp", jnp.exp, "exp(x)")
log = mapped("log", jnp.log, "log(x)")
sqrt = mapped("sqrt", jnp.sqrt, "the square root of x")
sign = mapped("sign", jnp.sign, "-1, 0 or 1")
tanh = mapped("tanh", jnp.tanh, "tanh(x)")
sigmoid = mapped("sigmoid", jax.nn.sigmoid, "1 / (1 + exp(-x))")


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
    return Tensor.of(jnp.equal(_array(x), _array(y)))


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
    """FloatTensor, LongTensor, ..., LongStorage, ...: constructors of tensors and storages of these types."""
    full = f"torch.{name.replace('Storage', 'Tensor')}"
    if full not in TYPES:
        raise AttributeError(f"torch has no {name!r} here")
    dtype = dtype_of(full)

    def make_storage(elements: Any) -> Storage:
        return Storage(np.zeros(elements, dtype) if isinstance(elements, int) else np.array(elements, dtype))

    def make(*args: Any) -> Tensor:
        if builtins.all(isinstance(a, (int, np.integer)) for a in args):
            return Tensor.of(np.zeros(args or (0,), dtype))
        return Tensor.of(np.array(args[0], dtype))

    return make_storage if name.endswith("Storage") else make
