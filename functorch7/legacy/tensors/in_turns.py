"""Operations in place whose operands overlap: element after element, as Torch's loops compute them.

What an element is computed from may have been changed by the elements before it. Elements that do not depend on each
other are computed at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.types import Value
from .strides import is_contiguous

LARGE_TRANSPOSED = 3600
"""From so many elements on, Torch copies what is transposed in blocks."""


def overlap(tensor: Value, other: Value) -> bool:
    """Whether two views of one storage have elements in common, each at another of their places, and Torch loops.

    It does not where both lie row by row: there it takes several elements at once, how many depends on the processor.
    """
    shape, strides = tensor.shape, tensor.strides_
    if strides == other.strides_ and shape == other.shape and tensor.offset == other.offset:
        return False
    if strides == other.strides_ and _lie_apart(tensor, other):
        return False
    if is_contiguous(shape, strides) and is_contiguous(other.shape, other.strides_):
        return False
    storage = tensor.storage_
    if storage.place is not None or storage.is_traced() or other.nElement() != tensor.nElement():
        return False
    flat = np.empty(len(storage), np.int8)  # of which only the places count
    return np.shares_memory(tensor._strided(flat), other._strided(flat))


def _lie_apart(one: Any, other: Any) -> bool:
    """Whether two parts of a matrix, or of what has more dimensions, are seen at once to have nothing in common."""
    first, second, width = one.offset, other.offset, None
    for stride, size, other_size in zip(one.strides_, one.shape, other.shape, strict=True):
        if stride == 0 or (width is not None and not stride < width):
            return False
        at, first = divmod(first, stride)
        other_at, second = divmod(second, stride)
        if width is not None and stride * max(at + size, other_at + other_size) > width:
            return False  # it goes on in the next row
        if at + size <= other_at or other_at + other_size <= at:
            return True
        width = stride
    return False


def in_turns(tensor: Value, name: str, args: tuple) -> Value:
    """The tensor, after an operation element after element."""
    storage, count = tensor.storage_, tensor.nElement()
    tensors = {i: each for i, each in enumerate(args) if hasattr(each, "storage_")}
    own = {i: each.positions().reshape(-1) for i, each in tensors.items() if each.storage_ is storage}
    others = {i: each.array.reshape(-1) for i, each in tensors.items() if i not in own and each.nElement() == count}
    written, flat = tensor.positions().reshape(-1), storage.writable()
    turns = _blocks(tensor, *tensors.values()) if name == "copy" else None
    turns = _turns(written, list(own.values())) if turns is None else turns
    for now in np.split(np.argsort(turns, kind="stable"), np.cumsum(np.bincount(turns))[:-1]):
        values = {i: flat[places[now]] for i, places in own.items()} | {i: each[now] for i, each in others.items()}
        given = [type(tensor).of(values[i]) if i in values else each for i, each in enumerate(args)]
        part = getattr(type(tensor).of(flat[written[now]]), name)(*given)
        flat[written[now]] = part.array
    return tensor


def _turns(written: np.ndarray, read: list[np.ndarray]) -> np.ndarray:
    """The turn of each element: after those that write what it reads, not before those that read what it writes."""
    size = 1 + max(int(places.max()) for places in (written, *read))
    after_write, after_read, turns = [0] * size, [0] * size, []
    for place, *sources in zip(written.tolist(), *(places.tolist() for places in read), strict=True):
        turn = max(after_write[place], after_read[place])
        for source in sources:
            turn = max(turn, after_write[source])
        for source in sources:
            after_read[source] = max(after_read[source], turn)
        after_write[place] = turn + 1
        turns.append(turn)
    return np.array(turns)


def _blocks(tensor: Any, source: Any) -> np.ndarray | None:
    """The turns of a large transposed matrix's elements, which Torch copies block by block."""
    rows, columns = source.shape if len(source.shape) == 2 else (0, 0)
    is_large = source.strides_ == (1, rows) and rows * columns >= LARGE_TRANSPOSED
    if not is_large or not is_contiguous(tensor.shape, tensor.strides_):
        return None
    side = 120 if tensor.dtype == np.uint8 else 60
    row, column = np.indices((rows, columns)) // side
    return (row * (columns // side + 1) + column).reshape(-1)
