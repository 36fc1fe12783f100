"""All elements of tensors at once, for Lua functions that are called for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ..legacy.tensors.arguments import array_of
from ..legacy.tensors.tensor import Tensor
from .border import Border
from .text import to_lua


class Elements:
    """Elements as Lua's strings: the bytes of doubles, one column for each tensor."""

    def __init__(self, border: Border):
        self.border = border

    def bound(self) -> Iterator[tuple[str, Callable]]:
        """Functions for Lua, by name."""
        yield "columns", self.border.entry(self.columns)
        yield "put_column", self.border.entry(self.put)

    def columns(self, _: int, first: Tensor, *others: Tensor) -> tuple[bytes, ...]:
        """The elements of tensors of one size, row by row. Raises ValueError for other sizes."""
        found = [np.asarray(each, np.float64) for each in (first, *others)]
        if any(each.size != found[0].size for each in found):
            sizes = " and ".join(str(each.size) for each in found)
            raise ValueError(f"torch.Tensor: map: expected tensors of as many elements, got {sizes}")
        return tuple(each.tobytes() for each in found)

    def put(self, _: int, tensor: Tensor, column: str) -> None:
        """Gives a tensor these elements."""
        tensor.copy(array_of(np.frombuffer(to_lua(column).encode("latin-1")), tensor.dtype))
