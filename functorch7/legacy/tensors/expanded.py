"""Operations in place on expanded tensors, whose elements have several places: once in each, as in Torch's loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.types import Value
from .arguments import in_type, is_number
from .in_turns import in_turns
from .quiet import quietly

WITH_NUMBERS = {"add": np.add, "mul": np.multiply, "div": np.divide}
WITH_TENSORS = {"add": np.add, "csub": np.subtract, "cmul": np.multiply, "cdiv": np.divide}
IN_A_ROW = WITH_NUMBERS | WITH_TENSORS
"""Operations of which NumPy computes many, one after the other, at once."""

WHOLE, FRACTIONS = tuple(map(np.dtype, "bBhil")), (np.dtype(np.float32), np.dtype(np.float64))
"""The types of numbers for which it does."""


def repeatedly(tensor: Value, name: str, args: tuple, named: dict[str, Value]) -> Value:
    """The tensor, after an operation on each place of its elements, row by row."""
    like = {i: each for i, each in enumerate(args) if hasattr(each, "storage_") and each.shape == tensor.shape}
    if named or not all(isinstance(each.array, np.ndarray) for each in (tensor, *like.values())):
        return _one_by_one(tensor, name, args, named)
    if any(each.storage_ is tensor.storage_ for each in like.values()):
        return in_turns(tensor, name, args)
    repeated = tuple(axis for axis, stride in enumerate(tensor.strides_) if stride == 0)
    elements: Any = tensor
    for axis in repeated:
        elements = _at(elements, axis + 1, 1)
    first = np.squeeze(elements.array, repeated)

    def rows(array: np.ndarray) -> np.ndarray:
        return np.moveaxis(array, repeated, range(len(repeated))).reshape(-1, *first.shape)

    operands = _operands(tensor, name, args)
    if operands is None:
        found = _in_rows(tensor, name, args, first, {i: rows(each.array) for i, each in like.items()})
    else:
        steps = np.concatenate([first[None], rows(operands)])
        found = quietly(lambda: IN_A_ROW[name].accumulate(steps, dtype=steps.dtype))[-1]
    elements.array = found.reshape(elements.shape)
    return tensor


def _in_rows(tensor: Any, name: str, args: tuple, first: np.ndarray, rows: dict[int, np.ndarray]) -> np.ndarray:
    """The elements after the operation on each row of places; `rows` are those of the arguments with as many places."""
    made, apply = type(tensor).of, getattr(type(tensor), name)
    part = made(first.copy() if first.shape else first.reshape(1).copy())
    for row in range(tensor.nElement() // max(first.size, 1)):
        apply(part, *(made(rows[i][row].reshape(part.shape)) if i in rows else each for i, each in enumerate(args)))
    return part.array


def _operands(tensor: Any, name: str, args: tuple) -> np.ndarray | None:
    """What is combined with each place in turn, if NumPy can do it; it does not divide whole numbers as C does."""
    dtype = tensor.dtype
    if name not in IN_A_ROW or dtype not in (WHOLE if IN_A_ROW[name] is not np.divide else ()) + FRACTIONS:
        return None
    if len(args) == 1 and is_number(args[0]) and name in WITH_NUMBERS:
        return np.broadcast_to(np.asarray(in_type(args[0], dtype), dtype), tensor.shape)
    last: Any = args[-1] if args else None
    if type(last) is not type(tensor) or last.shape != tensor.shape or last.dtype != dtype:
        return None
    if len(args) == 2 and name == "add" and is_number(args[0]):
        return last.array * np.asarray(in_type(args[0], dtype), dtype)
    return last.array if len(args) == 1 and name in WITH_TENSORS else None


def _at(tensor: Any, dim: int, place: int) -> Any:
    part = tensor.narrow(dim, place, 1)
    part.strides_ = (*part.strides_[: dim - 1], 1, *part.strides_[dim:])  # of one element, where any will do
    return part


def _one_by_one(tensor: Any, name: str, args: tuple, named: dict[str, Any]) -> Any:
    dim = tensor.strides_.index(0) + 1

    def at(value: Any, place: int) -> Any:
        return value.narrow(dim, place, 1) if getattr(value, "shape", None) == tensor.shape else value

    for place in range(1, tensor.size(dim) + 1):
        getattr(_at(tensor, dim, place), name)(*(at(each, place) for each in args), **named)
    return tensor
