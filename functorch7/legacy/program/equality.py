"""When Torch's Tester takes values as equal, and what it says if they are not."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from ...checks.tables import as_dict
from ..tensors.lua_values import OfLua, kind, text
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor

Found = tuple[bool, str]
"""Whether two values are equal, and what there is to say if they should have been otherwise."""


def equal(got: Any, expected: Any, tolerance: float) -> Found:
    """Compares any values: numbers, tensors and storages within the tolerance, tables entry by entry."""
    if _type(got) != _type(expected):
        return False, f"EQ failed: values have different types (first: {_type(got)}, second: {_type(expected)})"
    name = kind(got)
    if name == "number":
        return _said(abs(got - expected) <= tolerance, text(got), text(expected), tolerance)
    if name == "table":
        return _tables(got, expected, tolerance)
    if isinstance(got, Tensor):
        return tensors(got, expected, tolerance, ignore_sizes=False)
    if isinstance(got, Storage):
        return _storages(got, expected, tolerance)
    return _said(got == expected, f"{text(got)} ({name})", f"{text(expected)} ({name})", 0)


def _type(value: Any) -> str:
    return "Storage" if isinstance(value, Storage) else "Tensor" if isinstance(value, Tensor) else kind(value)


def _said(same: bool, left: str, right: str, tolerance: float) -> Found:
    within = f" with tolerance={text(tolerance)}" if tolerance else ""
    return bool(same), (f"NE failed: {left} == {right}" if same else f"EQ failed: {left} ~= {right}") + within


def tensors(got: Tensor, expected: Tensor, tolerance: float, ignore_sizes: bool) -> Found:
    """Compares tensors of one type and size or, with `ignore_sizes`, number of elements."""
    if not ignore_sizes and got.dim() != expected.dim():
        return False, "The tensors have different dimensions"
    if got.type() != expected.type():
        return False, "The tensors have different types"
    if not got.nElement() and not expected.nElement():
        return True, "Both tensors are empty"
    if got.nElement() != expected.nElement() or (not ignore_sizes and got.shape != expected.shape):
        return False, "The tensors have different sizes"
    return _elements(got.numpy(), expected.numpy(), tolerance, "Tensor")


def _storages(got: Storage, expected: Storage, tolerance: float) -> Found:
    if len(got) != len(expected):
        return False, "The storages have different sizes"
    if got.type() != expected.type():
        return False, "The storages have different types"
    return _elements(np.asarray(got), np.asarray(expected), tolerance, "Storage")


def _elements(got: np.ndarray, expected: np.ndarray, tolerance: float, what: str) -> Found:
    wide = np.result_type(got.dtype, np.float64)
    error = float(np.max(np.abs(got.reshape(-1).astype(wide) - expected.reshape(-1).astype(wide)), initial=0))
    same = error <= tolerance
    sign = "NE(==)" if same else "EQ(==)"
    return same, f"{what}{sign} violation: max diff={text(error)}, tolerance={text(tolerance)}"


def _tables(got: Any, expected: Any, tolerance: float) -> Found:
    """Compares level by level, so that the difference nearest to the top is shown."""
    waiting = deque([(got, expected, "")])
    while waiting:
        left, right, place = waiting.popleft()
        left, right = _entries(left), _entries(right)
        for key in [*left, *(key for key in right if key not in left)]:
            inside = f"{place}.{text(key)}" if place else text(key)
            for one, other, names in ((left, right, ("second", "first")), (right, left, ("first", "second"))):
                if key not in other:
                    return False, f"Entry {inside} missing in {names[0]} table (is {text(one[key])} in {names[1]})"
            if kind(left[key]) == kind(right[key]) == "table":
                waiting.append((left[key], right[key], inside))
                continue
            same, message = equal(left[key], right[key], tolerance)
            if not same:
                return False, f"At table location {inside}: {message}"
    return True, "The tables are equal"


def _entries(table: Any) -> dict:
    """A table's entries by key, a list's from 1, without those that are nil."""
    table = table.entries() if isinstance(table, OfLua) else table
    return {key: value for key, value in as_dict(table).items() if value is not None}
