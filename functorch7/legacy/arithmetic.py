"""What tensors compute: in-place methods, reductions and operators."""

from __future__ import annotations

import operator
from typing import Any, ClassVar, Self

import jax
import jax.numpy as jnp
import numpy as np

from ..core import is_concrete
from ..core.tables import as_arrays
from .random import generator
from .storage import Storage, dtype_of, gpu, precision, type_name_of


class Arithmetic:
    """The part of Tensor that computes; methods that change elements return the tensor."""

    __slots__ = ()

    array: Any
    dtype: Any
    shape: tuple[int, ...]
    storage_: Storage
    of: ClassVar[Any]
    viewing: ClassVar[Any]
    nElement: Any
    contiguous: Any
    numpy: Any

    def item(self) -> Any:
        """The only element as a Python number."""
        return np.asarray(self.array).item()

    def totable(self) -> list:
        """The elements as nested lists."""
        return self.numpy().tolist()

    def clone(self) -> Self:
        """A contiguous copy with a storage of its own."""
        array = self.array  # JAX arrays never change, so that a whole view needs no copy
        return type(self).of(array if isinstance(array, jax.Array) else np.array(array))

    def copy(self, source: Any) -> Self:
        """Copies the elements of another tensor or array of as many elements."""
        values = np.asarray(as_arrays(source))
        if values.size != self.nElement():
            raise ValueError(f"copy: expected {self.nElement()} elements, got shape {values.shape}")
        self.array = values.reshape(self.shape).astype(self.dtype)
        return self

    def fill(self, value: float) -> Self:
        """Sets every element."""
        self.array = np.full(self.shape, value, self.dtype)
        return self

    def zero(self) -> Self:
        """Sets every element to 0."""
        if self.nElement() == self.storage_.size:
            self.storage_.zero()
            return self
        return self.fill(0)

    def uniform(self, low: float = 0, high: float = 1) -> Self:
        """Draws every element uniformly from [low, high)."""
        return self.copy(generator().uniform(low, high, self.shape))

    def normal(self, mean: float = 0, stdv: float = 1) -> Self:
        """Draws every element from a normal distribution."""
        return self.copy(generator().normal(mean, stdv, self.shape))

    def bernoulli(self, p: float = 0.5) -> Self:
        """Draws every element: 1 with probability p, else 0."""
        return self.copy(generator().uniform(size=self.shape) < p)

    def apply(self, function: Any) -> Self:
        """Replaces every element x by function(x), unless that is None."""
        values = [function(x) for x in self.numpy().reshape(-1).tolist()]
        old = self.numpy().reshape(-1).tolist()
        return self.copy([o if v is None else v for v, o in zip(values, old, strict=True)])

    def _update(self, function: str, *operands: Any) -> Self:
        """self = function(self, *operands), on the accelerator where the elements are there, else by NumPy."""
        operands = tuple(o.array if isinstance(o, Arithmetic) else o for o in operands)
        array = self.array
        known = all(map(is_concrete, (array, *operands)))
        if known and (isinstance(array, np.ndarray) or array.devices() == {jax.devices("cpu")[0]}):
            result = getattr(np, function)(np.asarray(array), *map(np.asarray, operands))
            self.array = np.broadcast_to(result, self.shape).astype(self.dtype)
        else:
            with precision(self.dtype):
                result = getattr(jnp, function)(array, *operands)
                self.array = jnp.broadcast_to(result, self.shape).astype(self.dtype)
        return self

    def add(self, value: Any, other: Any = None) -> Self:
        """self += value, or self += value * other; in place."""
        if other is None:
            return self._update("add", value)
        other = other.array if isinstance(other, Arithmetic) else other
        with precision(self.dtype):
            return self._update("add", value * other)

    def type(self, name: str | None = None) -> Any:
        """Torch's name of the type; with a name, a copy of that type (itself if it has it already)."""
        if name is None:
            return type_name_of(self.dtype)
        device = gpu("torch.Tensor") if name.startswith("torch.Cuda") else None
        if dtype_of(name) == self.dtype and device is None:
            return self
        tensor = self.contiguous()
        return type(self).viewing(tensor.storage_.cast(dtype_of(name), device), tensor.offset, tensor.shape)

    def typeAs(self, other: Arithmetic) -> Self:
        """This tensor in another's type."""
        return self.type(other.type())

    def __neg__(self: Any) -> Any:
        return self * -1

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __bool__(self) -> bool:
        if self.nElement() != 1:
            raise ValueError(
                "a tensor is neither true nor false; write `tensor is not None` for Lua's `if tensor then`"
            )
        return bool(self.item())

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec else str(self)

    def __repr__(self) -> str:
        sizes = "x".join(map(str, self.shape)) if self.shape else "1"
        return f"{np.asarray(self.array)}\n[{self.type()} of size {sizes}]"


def _in_place(name: str, function: str) -> None:
    def method(self: Any, other: Any) -> Any:
        return self._update(function, other)

    method.__name__, method.__doc__ = name, f"self = {function}(self, other), element by element; in place."
    setattr(Arithmetic, name, method)


def _mapped(name: str, function: str) -> None:
    def method(self: Any) -> Any:
        return self._update(function)

    method.__name__, method.__doc__ = name, f"self = {function}(self), element by element; in place."
    setattr(Arithmetic, name, method)


def _reduced(name: str) -> None:
    def method(self: Any, dim: int | None = None) -> Any:
        axis, array = None if dim is None else self._axis(dim), self.array
        options = {"ddof": 1} if name in ("var", "std") else {}
        if not is_concrete(array):
            with precision(self.dtype):
                return type(self).of(getattr(jnp, name)(array, axis=axis, keepdims=dim is not None, **options))
        result = getattr(np, name)(np.asarray(array), axis=axis, keepdims=dim is not None, **options)
        return result.item() if dim is None else type(self).of(result)

    method.__name__ = name
    method.__doc__ = f"The {name} of all elements, a number; or along a dimension, which keeps size 1."
    setattr(Arithmetic, name, method)


def _extreme(name: str) -> None:
    def method(self: Any, dim: int | None = None) -> Any:
        if not is_concrete(self.array):
            return _traced_extreme(self, name, dim)
        values = np.asarray(self.array)
        if dim is None:
            return getattr(values, name)().item()
        index = np.expand_dims(getattr(values, f"arg{name}")(self._axis(dim)), self._axis(dim))
        return type(self).of(np.take_along_axis(values, index, self._axis(dim))), type(self).of(index + 1)

    method.__name__ = name
    method.__doc__ = f"The {name} of all elements, a number; or along a dimension, which keeps size 1, and where it is."
    setattr(Arithmetic, name, method)


def _traced_extreme(tensor: Any, name: str, dim: int | None) -> Any:
    """The extreme value of a tensor whose values are not known yet, a tensor without dimensions; or as for others."""
    values = tensor.array
    with precision(tensor.dtype):
        if dim is None:
            return type(tensor).of(getattr(jnp, name)(values))
        axis = tensor._axis(dim)
        index = jnp.expand_dims(getattr(jnp, f"arg{name}")(values, axis), axis)
        return type(tensor).of(jnp.take_along_axis(values, index, axis)), type(tensor).of(index + 1)


def _operated(name: str, reflected: bool = True) -> None:
    function = getattr(operator, name)

    def operand(self: Any, value: Any) -> Any:
        if isinstance(value, Arithmetic):
            return value.array
        # NumPy's float64 is only how NumPy writes numbers.
        numbers = isinstance(value, np.ndarray) and np.issubdtype(value.dtype, np.floating)
        return value.astype(self.dtype) if numbers else value

    def result(self: Any, value: Any) -> Any:
        with precision(self.dtype):
            found = value()
            return type(self).of(found) if self.shape or not is_concrete(found) else _number(found)

    setattr(
        Arithmetic, f"__{name}__", lambda self, other: result(self, lambda: function(self.array, operand(self, other)))
    )
    if reflected:
        setattr(
            Arithmetic,
            f"__r{name}__",
            lambda self, other: result(self, lambda: function(operand(self, other), self.array)),
        )


def _number(value: Any) -> Any:
    return value if np.ndim(value) else np.asarray(value).item()


for _name, _function in {
    "sub": "subtract", "mul": "multiply", "div": "divide", "cmul": "multiply", "cdiv": "divide", "csub": "subtract",
    "pow": "power", "cmax": "maximum", "cmin": "minimum",
}.items():  # fmt: skip
    _in_place(_name, _function)
for _name in ("abs", "sqrt", "exp", "log", "tanh", "floor", "ceil", "sign", "round"):
    _mapped(_name, _name)
for _name in ("sum", "mean", "prod", "std", "var"):
    _reduced(_name)
for _name in ("min", "max"):
    _extreme(_name)
for _name in ("add", "sub", "mul", "truediv", "pow", "matmul"):
    _operated(_name)
for _name in ("lt", "le", "gt", "ge"):
    _operated(_name, reflected=False)
