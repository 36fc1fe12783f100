"""What calls are given: tensors and numbers, told apart quickly, and how errors show them."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeGuard, TypeVar

import numpy as np

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
    """The arrays of tensors, all NumPy's, of one type and if need be one size, among plain numbers; None for others.

    Most calls are such, and need no more checks. With `are_typed` numbers are of the tensors' type.
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
    """A number as C converts it to a type of whole numbers: without its fraction, and cut off where it has no room.

    Others, and what stands beside floating-point numbers, are as they were, but that an accelerator's are fetched.
    """
    value = plain(value)
    if dtype.kind not in "iu" or type(value) not in (int, float):
        return value
    with np.errstate(invalid="ignore"):
        return np.asarray(value).astype(dtype).item()


def beside(value: Given, dtype: np.dtype, is_typed: bool) -> Given:
    """A number as it is computed with beside tensors of a type, of which it is if it is typed.

    Beside bfloat16 it always is: NumPy takes Python's numbers for wider ones.
    """
    if dtype.kind == "V" and type(number := plain(value)) in (int, float):
        return dtype.type(number)
    return in_type(value, dtype) if is_typed else value


def array_of(values: Numbers, dtype: np.dtype) -> np.ndarray:
    """A new array of numbers, converted as C does: what has no room in a type of whole numbers is cut off."""
    try:
        return as_type(np.array(are_numbers(values)), dtype)
    except (TypeError, ValueError):
        raise ValueError(f"expected numbers, and tables of one size in each table, got {values!r}") from None


def are_numbers(values: Given) -> Given:
    """A number, a tensor or a table of numbers. Raises TypeError for anything else."""
    kind: Any = getattr(values, "dtype", None)
    if (np.asarray(values).dtype if kind is None else kind).kind in "OUSc":
        raise TypeError(f"expected a number, a tensor or a table of numbers for elements, got {values!r}")
    return values


def is_number(value: object) -> bool:
    """Whether a value is a real number, which true and false are not, or a tensor or array without dimensions."""
    kind: Any = getattr(value, "dtype", None)
    if kind is not None:
        return not getattr(value, "shape", ()) and kind.kind != "c"
    return isinstance(value, (int, float, numbers.Number)) and not isinstance(value, (bool, complex))


def is_tensor(value: object) -> TypeGuard[Numbers]:
    """Whether a value is a tensor, an array or a table of numbers."""
    if isinstance(value, (list, tuple)):
        return isinstance(as_arrays(value), np.ndarray)
    return hasattr(value, "ndim") and not isinstance(value, np.generic)


def given_as(args: Iterable, named: Mapping[str, object] | None = None) -> str:
    """What a call was given, as an error message shows it; with why it takes no names, if it was given some."""
    named = named or {}
    shown = [*map(described, args), *(f"{name}={described(value)}" for name, value in named.items())]
    why = "; arguments go by position, and dimensions count from 1" if named else ""
    return f"({', '.join(shown)}){why}"


def described(value: object) -> str:
    """An argument as an error message shows it: a tensor by its sizes."""
    if isinstance(value, (list, tuple)) and any(map(is_tensor, value)):
        return f"[{', '.join(map(described, value))}]"
    if isinstance(value, np.generic) or not is_tensor(value):
        return repr(value)
    return f"a tensor of size {sizes_text(np.shape(value))}"


def _are_known(*tensors: Any) -> bool:
    return all(is_concrete(each.noted) for each in tensors)


_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
"""Calls for which cutorch's programs take indices, which were floats there until 2016, with classes that are."""


def of_one_type(name: str, args: Iterable) -> None:
    """Raises TypeError for tensors of different types among the arguments, as Torch does; arrays are of any.

    Those that are being traced have JAX's precision instead of their own. Where there is a GPU, indices may be compared
    with numbers of another type.
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
    """Raises TypeError for tensors of whole numbers among the arguments, whose results would lose their fractions."""
    for each in args:
        if hasattr(each, "storage_") and each.dtype.kind in "iu":
            raise TypeError(
                f"torch.{name}: expected a tensor of a floating-point type, got a {each.type()}; float() converts"
            )


def sizes_text(shape: tuple) -> str:
    """Sizes as Torch prints them, such as 2x3."""
    return "x".join(map(str, shape)) if shape else "1"


def alike_beside(name: str, what: str, array: Sized, other: HasSizes, axis: int) -> Sized:
    """The array if its sizes are another one's but along an axis. Raises ValueError otherwise."""
    wanted, given = [(*each.shape[:axis], "n", *each.shape[axis + 1 :]) for each in (other, array)]
    is_alike = wanted == given and len(array.shape) == len(other.shape)
    return sized(name, f"{what} of size {sizes_text(wanted)}", array, is_alike)


def sized(name: str, wanted: str, array: Sized, fits: bool) -> Sized:
    """The array if its size fits. Raises ValueError otherwise, for a call that wanted another one."""
    if not fits:
        raise ValueError(f"torch.{name}: expected {wanted}, got size {sizes_text(array.shape)}")
    return array


def as_matrix(name: str, array: Sized, square: bool = False) -> Sized:
    """The array if it is a matrix. Raises ValueError otherwise."""
    fits = len(array.shape) == 2 and (not square or array.shape[0] == array.shape[1])
    return sized(name, "a square matrix" if square else "a matrix", array, fits)
