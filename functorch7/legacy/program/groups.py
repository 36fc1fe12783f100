"""torchx's searches in tensors: places of values, groups of equal ones, pairs of tensors in tables, leaves."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..objects.nested import Nested
from ..tensors.arguments import sizes_text
from ..tensors.tensor import Tensor


def _checked(name: str, tensor: object) -> Tensor:
    if not isinstance(tensor, Tensor):
        raise TypeError(f"torch.{name}: expected a tensor, got {tensor!r}")
    return tensor


def find(tensor: Tensor, val: float, dim: int | None = None) -> list[int] | list[list[int]]:
    """The places of a value, from 1, counted row by row; with dim = 2, in each row of a matrix.

    Raises TypeError for anything but a tensor, ValueError for another dimension, or if the tensor is not a matrix.
    Source: torchx/README.md, find.

    >>> find(Tensor([[1, 2, 3, 4, 5], [5, 6, 0, 0, 2]]), 2)
    [2, 10]
    >>> find(Tensor([[1, 2, 3, 4, 5], [5, 6, 0, 0, 2]]), 2, 2)
    [[2], [5]]
    """
    found = _checked("find", tensor).numpy() == val
    if dim is None:
        return (np.flatnonzero(found) + 1).tolist()
    if dim != 2 or found.ndim != 2:
        raise ValueError(f"torch.find: expected dim = 2 of a matrix, got {dim} of size {sizes_text(tensor.shape)}")
    return [(np.flatnonzero(row) + 1).tolist() for row in found]


def group(*given: Any) -> tuple[dict[float, dict[str, Tensor]], Tensor, Tensor]:
    """group([val, idx], tensor, [samegrp, desc]): (groups, the sorted values, their places in the vector `tensor`).

    A group is stored under its first value and has its parts of these two as `val` and `idx`; `samegrp(first, value)`
    says whether a value belongs to the group, by default whether both are equal. `val` and `idx`, if given, take the
    results. Raises TypeError for anything but a tensor, ValueError for anything but a vector.
    Source: torchx/README.md, group.

    >>> groups, values, places = group(Tensor([5, 3, 4, 5]))
    >>> {value: each["val"].totable() for value, each in groups.items()}
    {3.0: [3.0], 4.0: [4.0], 5.0: [5.0, 5.0]}
    """
    taken = 2 if len(given) > 2 and isinstance(given[2], Tensor) else 0
    unsorted, same, descending = (*given[taken:], None, None, None)[:3]
    tensor = _checked("group", unsorted)
    if tensor.dim() != 1:
        raise ValueError(f"torch.group: expected a vector, got a tensor of size {sizes_text(tensor.shape)}")
    values, places = tensor.sort(1, bool(descending))
    if taken:
        values, places = (
            kept.resizeAs(found).copy(found) for kept, found in zip(given, (values, places), strict=False)
        )
    firsts: list[int] = []
    numbers, belongs = values.totable(), same or operator.eq
    for i, number in enumerate(numbers):
        if not firsts or not belongs(numbers[firsts[-1]], number):
            firsts.append(i)
    parts = itertools.pairwise([*firsts, len(numbers)])
    groups = {
        numbers[start]: {
            "idx": places.narrow(1, start + 1, end - start),
            "val": values.narrow(1, start + 1, end - start),
        }
        for start, end in parts
    }
    return groups, values, places


def remap(
    t1: Nested | None,
    t2: Nested | None,
    f: Callable[[Tensor, Tensor], object],
    p1: Tensor | None = None,
    p2: Tensor | None = None,
) -> tuple[Nested, Nested]:
    """(t1, t2) after f(x, y) for the tensors at the same places of two tables; a missing tensor is made.

    A missing tensor has the type of its prototype `p1` or `p2`, or of the other tensor. Raises TypeError for anything
    but tensors and tables. Source: torchx/README.md, remap.

    >>> first, second = remap([Tensor([1, 2])], None, lambda x, y: y.resizeAs(x).copy(x))
    >>> second[0].totable()
    [1.0, 2.0]
    """
    if isinstance(t1, list | None) and isinstance(t2, list | None) and not (t1 is None and t2 is None):
        first, second = [] if t1 is None else t1, [] if t2 is None else t2
        for i in range(len(first) or len(second)):
            pair = (table[i] if i < len(table) else None for table in (first, second))
            first[i : i + 1], second[i : i + 1] = ([made] for made in remap(*pair, f, p1, p2))  # type: ignore[misc]
        return first, second
    found = [each for each in (t1, t2) if each is not None]
    if not found or not all(isinstance(each, Tensor) for each in found):
        raise TypeError(f"torch.remap: expected nested tensors or tables, got {t1!r} and {t2!r}")
    one: Any = next(each for each in (t1, p1, t2) if each is not None)
    other: Any = next(each for each in (t2, p2, p1, one) if each is not None)
    one, other = (one.new() if t1 is None else one), (other.new() if t2 is None else other)
    f(one, other)
    return one, other


def treemax(tensor: Tensor, treeSize: Sequence[int]) -> tuple[float, int]:
    """(a leaf's value, its place) in a tree with a vector as its leaves; nodes at level i have treeSize[i] children.

    From the root on, it takes the child with the largest mean of leaves. Raises ValueError for sizes that do not fit.
    Source: torchx, treemax.lua.

    >>> treemax(Tensor([0, 9, 5, 5]), [2, 2])
    (5.0, 3)
    """
    leaves = _checked("treemax", tensor).numpy()
    count = math.prod(treeSize)
    if leaves.ndim != 1 or not treeSize or count != leaves.size:
        raise ValueError(f"torch.treemax: expected a vector of {count} leaves, got size {sizes_text(tensor.shape)}")
    first, found = 0, leaves
    for children in treeSize:
        rows = found.reshape(children, -1)
        chosen = int(rows.mean(1).argmax())
        first, found = first + chosen * rows.shape[1], rows[chosen]
    return float(found[0]), first + 1
