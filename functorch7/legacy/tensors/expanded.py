"""Operations in place on expanded tensors, whose elements have several places: once in each, as in Torch's loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.types import Value
from .arguments import is_number
from .quiet import quietly

WITH_NUMBERS = {"add": np.add, "mul": np.multiply, "div": np.divide}
WITH_TENSORS = {"add": np.add, "csub": np.subtract, "cmul": np.multiply, "cdiv": np.divide}
IN_A_ROW = WITH_NUMBERS | WITH_TENSORS
"""Operations of which NumPy computes many, one after the other, at once."""


def repeatedly(tensor: Value, name: str, args: tuple, named: dict[str, Value]) -> Value:
    """The tensor, after an operation on each place of its elements, row by row."""
    operands = None if named else _operands(tensor, name, args)
    if operands is None:
        return _one_by_one(tensor, name, args, named)
    repeated = tuple(axis for axis, stride in enumerate(tensor.strides_) if stride == 0)
    elements: Any = tensor
    for axis in repeated:
        elements = _at(elements, axis + 1, 1)
    first = np.squeeze(elements.array, repeated)
    in_order = np.moveaxis(operands, repeated, range(len(repeated))).reshape(-1, *first.shape)
    found = quietly(IN_A_ROW[name].accumulate, np.concatenate([first[None], in_order]))[-1]
    elements.array = found.reshape(elements.shape)
    return tensor


def _operands(tensor: Any, name: str, args: tuple) -> np.ndarray | None:
    """What is combined with each place in turn, if NumPy can do it: floating-point numbers on the host."""
    if name not in IN_A_ROW or tensor.dtype not in (np.float32, np.float64) or not isinstance(tensor.array, np.ndarray):
        return None
    if len(args) == 1 and is_number(args[0]) and name in WITH_NUMBERS:
        return np.broadcast_to(np.asarray(args[0], tensor.dtype), tensor.shape)
    last: Any = args[-1] if args else None
    is_like = type(last) is type(tensor) and last.shape == tensor.shape and last.dtype == tensor.dtype
    if not is_like or not isinstance(last.array, np.ndarray) or last.storage_ is tensor.storage_:
        return None
    if len(args) == 2 and name == "add" and is_number(args[0]):
        return last.array * np.asarray(args[0], tensor.dtype)
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
