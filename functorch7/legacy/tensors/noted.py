"""Arrays that are not computed yet: results of noted calls (`notes.py`)."""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from ...core.types import ArrayLike, Value
from .casting import as_type
from .devices import Place
from .findings import tell


def looked_at(value: Value) -> Value:
    """The array of something noted; other values unchanged. Raises errors that were found in values.

    Everything that waits runs, even if this array is there already, so that all rounds of a loop begin alike.
    """
    if type(value) is np.ndarray:
        return value
    tell()
    if type(value) is Noted:
        value.notes.run()
    return ready(value)


def ready(value: Value) -> Value:
    """The same, for further computing, which does not count as reading."""
    return value.notes._value(value._cell) if type(value) is Noted else value


def settled(value: Value) -> Value:
    """The array of something noted, if it is there already; other values unchanged."""
    if type(value) is Noted and value._cell.value is not None:
        return value._cell.value
    if type(value) is Later and value.array is not None:
        return value.array
    return value


class Later:
    """An array on the host that is made when it is read."""

    __slots__ = ("_make", "array")

    def __init__(self, make: Callable[[], Value]):
        self._make: Callable[[], Value] | None = make
        self.array: Value = None

    def __call__(self) -> Value:
        if self._make is not None:
            self.array, self._make = self._make(), None  # which may hold much
        return self.array


class Slice(NamedTuple):
    """A slice in an index; Python's slices are not hashable."""

    start: Any
    stop: Any
    step: Any


class Cell:
    """A value: its shape and type, its array or error once there is one, and whether it can still be asked for."""

    __slots__ = ("aval", "error", "reader", "value")

    def __init__(self, aval: jax.ShapeDtypeStruct, value: Value = None):
        self.aval, self.value = aval, value
        self.error: Exception | None = None
        self.reader: Callable[[], Any] = _nobody


def _nobody() -> None:
    return None


class Notes(Protocol):
    """The notes of an array, as far as it uses them."""

    place: Place

    def note(self, function: Callable, *args: Value, **kwargs: Value) -> Value:
        """Notes a call; its future results."""
        ...

    def run(self) -> None:
        """Runs everything that waits."""
        ...

    def _value(self, cell: Cell) -> jax.Array: ...


class Noted:
    """An array that is still to be computed; its operators and methods, those of a JAX array, are noted, too.

    Asking for elements, as a call, NumPy, `bool` and `float` do, computes it.
    """

    __slots__ = ("__weakref__", "_cell", "notes")
    __array_ufunc__ = None  # NumPy's operators leave it to this class's

    def __init__(self, notes: Notes, cell: Cell):
        self.notes, self._cell = notes, cell
        cell.reader = weakref.ref(self)

    @property
    def aval(self) -> jax.ShapeDtypeStruct:
        """Its shape and type."""
        return self._cell.aval

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes."""
        return self._cell.aval.shape

    @property
    def dtype(self) -> np.dtype:
        """The type of the elements."""
        return self._cell.aval.dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._cell.aval.size

    @property
    def T(self) -> Noted:
        """The array with reversed dimensions."""
        return self.transpose()  # type: ignore[attr-defined]

    def __call__(self) -> jax.Array:
        """The array itself, after running everything noted before."""
        return looked_at(self)

    __jax_array__ = __call__

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self(), dtype) if copy or dtype is not None else np.asarray(self())

    def item(self) -> float:
        """The only element."""
        return self().item()

    def __bool__(self) -> bool:
        return bool(self())

    def __float__(self) -> float:
        return float(self())

    def __int__(self) -> int:
        return int(self())

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Noted]:
        return (self[at] for at in range(len(self)))

    def __getitem__(self, index: object) -> Noted:
        return self.notes.note(_at, self, _noted_index(index))

    def put(self, index: object, values: ArrayLike | Noted, how: str = "set") -> Noted:
        """The array with other values at an index, or (`how` is "add") with these added there."""
        return self.notes.note(_put, self, _noted_index(index), values, how)


def _noted_index(index: Any) -> list:
    parts = index if isinstance(index, tuple) else (index,)
    return [Slice(each.start, each.stop, each.step) if isinstance(each, slice) else each for each in parts]


def _index(noted: list) -> tuple:
    return tuple([slice(*each) if isinstance(each, Slice) else each for each in noted])


def _at(array: Any, index: list) -> Any:
    return array[_index(index)]


def _put(array: Any, index: list, values: Any, how: str) -> Any:
    return getattr(array.at[_index(index)], how)(as_type(jnp.asarray(values), array.dtype))


def _method(function: Callable) -> Callable:
    return lambda self, *args, **kwargs: self.notes.note(function, self, *args, **kwargs)


def _of_name(name: str) -> Callable:
    return lambda array, *args, **kwargs: getattr(array, name)(*args, **kwargs)


def _operator(function: Callable, is_reflected: bool = False) -> Callable:
    def method(self: Noted, other: Any) -> Any:
        # Whole numbers are others next time, too, but as exponents, which make products.
        if type(other) is int and function is not operator.pow and jnp.issubdtype(self.dtype, jnp.floating):
            other = float(other)
        return self.notes.note(function, *((other, self) if is_reflected else (self, other)))

    return method


for _name in (
    "all", "any", "argmax", "argmin", "argsort", "astype", "clip", "cumprod", "cumsum", "max", "mean", "min", "prod",
    "reshape", "squeeze", "std", "sum", "swapaxes", "transpose", "var", "view",
):  # fmt: skip
    setattr(Noted, _name, _method(_of_name(_name)))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"):
    _function = getattr(operator, f"__{_name}__")
    setattr(Noted, f"__{_name}__", _operator(_function))
    setattr(Noted, f"__r{_name}__", _operator(_function, is_reflected=True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Noted, f"__{_name}__", _operator(getattr(operator, _name)))
for _name in ("neg", "abs", "invert"):
    setattr(Noted, f"__{_name}__", _method(getattr(operator, _name)))
