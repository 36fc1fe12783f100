"""Arguments of calls: tells tensors and numbers apart quickly, and shows them in errors."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeGuard, TypeVar

import numpy as np

from ...checks.foreign import foreign, is_foreign
from ...core import is_concrete
from ...losses.tables import as_arrays
from .casting import as_type
from .devices import at_hand, gpus
from .kinds import Numbers
from .number import plain

Given = TypeVar("Given")


class HasSizes(Protocol):
    """A tensor, or an array of any kind."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes."""
        ...


Sized = TypeVar("Sized", bound=HasSizes)


def plain_arrays(args: Iterable, are_alike: bool, are_typed: bool = True) -> list | None:
    """Tensors' arrays and plain numbers; None unless all arrays are NumPy's, of one type and, if `are_alike`, one size.

    Most calls are such, and need no more checks. With `are_typed`, numbers have the tensors' type.
    """
    arrays, first = [], None
    for each in args:
        if hasattr(each, "storage_"):
            array = at_hand(each.peeked)
            if type(array) is not np.ndarray:
                return None
            if first is None:
                first = array
            elif array.dtype is not first.dtype or (are_alike and array.shape != first.shape):
                return None
            arrays.append(array)
        elif type(each) is float or type(each) is int:
            arrays.append(each)
        else:
            return None
    if first is None:
        return None
    return arrays if first.dtype.kind == "f" else [beside(each, first.dtype, are_typed) for each in arrays]


def in_type(value: Given, dtype: np.dtype) -> Given:
    """A number as C converts it to a type of whole numbers: without its fraction, and truncated to the type's bits.

    Other values, and all values for floating-point types, are unchanged; an accelerator's numbers are fetched.
    """
    value = plain(value)
    if dtype.kind not in "iu" or type(value) not in (int, float):
        return value
    with np.errstate(invalid="ignore"):
        return np.asarray(value).astype(dtype).item()


def beside(value: Given, dtype: np.dtype, is_typed: bool) -> Given:
    """A number for computing with tensors of a type; if `is_typed`, it is converted to this type.

    With bfloat16 it always is, since NumPy takes Python's numbers for wider ones.
    """
    if dtype.kind == "V" and type(number := plain(value)) in (int, float):
        return dtype.type(number)
    return in_type(value, dtype) if is_typed else value


def array_of(values: Numbers, dtype: np.dtype) -> np.ndarray:
    """A new array of numbers, converted as C does: too large whole numbers are truncated."""
    try:
        return as_type(np.array(are_numbers(values)), dtype)
    except (TypeError, ValueError):
        raise ValueError(f"expected numbers, and tables of one size in each table, got {described(values)}") from None


def are_numbers(values: Given) -> Given:
    """A number, a tensor or a table of numbers. Raises TypeError for anything else."""
    dtype: Any = getattr(values, "dtype", None)
    kind = getattr(np.asarray(values).dtype if dtype is None else dtype, "kind", "O")
    if kind in "OUScmM" or isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"expected a number, a tensor or a table of numbers for elements, got {described(values)}")
    return values


def is_number(value: object) -> bool:
    """Whether a value is a real number (not true or false), or a tensor or array without dimensions."""
    kind: Any = getattr(value, "dtype", None)
    if kind is not None:
        return not getattr(value, "shape", ()) and kind.kind != "c"
    return isinstance(value, (int, float, numbers.Number)) and not isinstance(value, (bool, complex))


def is_tensor(value: object) -> TypeGuard[Numbers]:
    """Whether a value is a tensor, an array or a table of numbers."""
    if isinstance(value, (list, tuple)):
        return isinstance(as_arrays(value), np.ndarray)
    is_array = hasattr(value, "ndim") and not isinstance(value, np.generic)
    return is_array and isinstance(getattr(value, "dtype", None), np.dtype)


def given_as(args: Iterable, named: Mapping[str, object] | None = None) -> str:
    """A call's arguments for an error message; if there are named ones, with the reason why they are refused."""
    named = named or {}
    shown = [*map(described, args), *(f"{name}={described(value)}" for name, value in named.items())]
    why = "; arguments go by position, and dimensions count from 1" if named else ""
    return f"({', '.join(shown)}){why}"


def described(value: object) -> str:
    """An argument for an error message: a tensor by its sizes."""
    if isinstance(value, (list, tuple)) and any(map(is_tensor, value)):
        return f"[{', '.join(map(described, value))}]"
    if hasattr(value, "ndim") and is_foreign(value):
        return foreign(value)
    if isinstance(value, np.generic) or not is_tensor(value):
        return repr(value)
    return f"a tensor of size {sizes_text(np.shape(value))}"


def _are_known(*tensors: Any) -> bool:
    return all(is_concrete(each.noted) for each in tensors)


_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
"""Comparisons of indices with classes in cutorch's programs, where indices were floats until 2016."""


def of_one_type(name: str, args: Iterable) -> None:
    """Raises TypeError for tensors of different types among the arguments, as Torch does; arrays may have any type.

    Traced tensors have JAX's precision instead of their own, and are not checked. If there is a GPU, indices may be
    compared with numbers of another type.
    """
    first = None
    for each in args:
        if hasattr(each, "storage_"):
            if first is None:
                first = each
            elif each.dtype != first.dtype and each.type() != first.type() and _are_known(first, each):
                if name in _COMPARISONS and np.dtype(np.int64) in (first.dtype, each.dtype) and gpus():
                    continue
                raise TypeError(
                    f"torch.{name}: expected a {first.type()}, as the first tensor, got a {each.type()}; "
                    "typeAs and copy convert"
                )


def fractions_only(name: str, args: Iterable) -> None:
    """Raises TypeError for tensors of whole numbers among the arguments, as results would lose their fractions."""
    for each in args:
        if hasattr(each, "storage_") and each.dtype.kind in "iu":
            raise TypeError(
                f"torch.{name}: expected a tensor of a floating-point type, got a {each.type()}; float() converts"
            )


def sizes_text(shape: tuple) -> str:
    """Sizes as Torch prints them, such as 2x3."""
    return "x".join(map(str, shape)) if shape else "1"


def alike_beside(name: str, what: str, array: Sized, other: HasSizes, axis: int) -> Sized:
    """The array, if its sizes are another one's except along an axis. Raises ValueError otherwise."""
    wanted, given = [(*each.shape[:axis], "n", *each.shape[axis + 1 :]) for each in (other, array)]
    is_alike = wanted == given and len(array.shape) == len(other.shape)
    return sized(name, f"{what} of size {sizes_text(wanted)}", array, is_alike)


def sized(name: str, wanted: str, array: Sized, fits: bool) -> Sized:
    """The array, if its size fits. Raises ValueError with what the call wanted otherwise."""
    if not fits:
        raise ValueError(f"torch.{name}: expected {wanted}, got size {sizes_text(array.shape)}")
    return array


def as_matrix(name: str, array: Sized, square: bool = False) -> Sized:
    """The array if it is a matrix. Raises ValueError otherwise."""
    fits = len(array.shape) == 2 and (not square or array.shape[0] == array.shape[1])
    return sized(name, "a square matrix" if square else "a matrix", array, fits)
