"""Views of a tensor's storage: parts, and the same elements in another order or size."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Self

from .arguments import described, is_number, sized, sizes_text
from .computing import computed
from .kinds import Result, Sizes
from .sizes import numbers_given, sizes_given
from .styles import counted


class Views:
    """Tensor's methods that give other views of its elements."""

    __slots__ = ()

    array: Any
    dtype: Any
    shape: tuple[int, ...]
    offset: int
    strides_: tuple[int, ...]
    storage_: Any
    ndim: int
    of: ClassVar[Any]
    viewing: ClassVar[Any]
    __getitem__: Any
    item: Any
    dim: Any
    size: Any
    set: Any
    resize: Any
    copy: Any
    clone: Any
    nElement: Any
    isContiguous: Any

    def _axis(self, dim: float) -> int:
        if not is_number(dim):
            raise TypeError(f"expected a number as a dimension, got {described(dim)}")
        count = 0 if self.shape == (0,) else len(self.shape)
        place = counted(dim, count)
        if not 1 <= place < count + 1:  # 1.5 is 1, as everywhere in Torch
            raise IndexError(f"dimension {dim} out of range of a {count}D tensor; dimensions count from 1")
        return int(place) - 1

    def _index(self, axis: int, index: float) -> int:
        try:
            size, index = self.shape[axis], int(index)
        except (TypeError, ValueError):
            raise TypeError(f"expected a number as an index, got {described(index)}") from None
        position = index - 1 if index > 0 else index + size
        if index == 0 or not 0 <= position < size:
            raise IndexError(f"index {index} out of range of dimension {axis + 1} of size {size}; indices count from 1")
        return position

    # Parts ------------------------------------------------------------------------------------------------------------

    def narrow(self, dim: int, first: int, size: int) -> Self:
        """The view of `size` slices of a dimension, from slice `first`."""
        axis = self._axis(dim)
        return self._narrowed(axis, self._index(axis, first), int(size))

    def _narrowed(self, axis: int, start: int, size: int) -> Self:
        shape, strides = self.shape, self.strides_
        if size < 1 or start + size > shape[axis]:
            raise IndexError(f"{size} slices from {start + 1} on are out of range of size {shape[axis]}")
        narrowed = (*shape[:axis], size, *shape[axis + 1 :])
        return self.viewing(self.storage_, self.offset + start * strides[axis], narrowed, strides)

    def _part(self, dim: int, first: int, last: int) -> Self:
        """The view of a dimension's slices from first to last; either may count from the end."""
        axis = self._axis(dim)
        start = self._index(axis, first)
        return self._narrowed(axis, start, self._index(axis, last) - start + 1)

    def select(self, dim: int, index: int) -> Result[Self]:
        """The view of one slice, without its dimension; of a vector, the number, whatever `dim` is."""
        return self[index] if self.ndim == 1 else self.selected(dim, index)

    def selected(self, dim: int, index: int) -> Self:
        """The view of one slice, of a vector too."""
        axis = self._axis(dim)
        offset = self.offset + self._index(axis, index) * self.strides_[axis]
        shape, strides = self.shape, self.strides_
        rest = shape[:axis] + shape[axis + 1 :], strides[:axis] + strides[axis + 1 :]
        return self.viewing(self.storage_, offset, *rest)

    def unfold(self, dim: int, size: int, step: int) -> Self:
        """The view of a dimension's windows, one every `step`; a new last dimension holds each window."""
        axis, size, step = self._axis(dim), int(size), int(step)
        if not 1 <= size <= self.shape[axis] or step < 1:
            raise ValueError(
                f"torch.unfold: expected a size up to {self.shape[axis]} and a step, got {size} and {step}"
            )
        count = (self.shape[axis] - size) // step + 1
        shape = (*self.shape[:axis], count, *self.shape[axis + 1 :], size)
        strides = (*self.strides_[:axis], self.strides_[axis] * step, *self.strides_[axis + 1 :], self.strides_[axis])
        return self.viewing(self.storage_, self.offset, shape, strides)

    def split(self, size: int, dim: int = 1) -> list[Self]:
        """Views of `size` slices of a dimension each; the last has the rest."""
        total, size = self.size(dim), int(size)
        if size < 1:
            raise ValueError(f"expected a positive size, got {size}")
        return [self.narrow(dim, first, min(size, total - first + 1)) for first in range(1, total + 1, size)]

    def chunk(self, n: int, dim: int = 1) -> list[Self]:
        """Up to n views of equal parts of a dimension; the last may be smaller."""
        if n < 1:
            raise ValueError(f"expected a positive number of views, got {n}")
        return self.split(math.ceil(self.size(dim) / n), dim)

    # Other orders -----------------------------------------------------------------------------------------------------

    def transpose(self, dim1: int, dim2: int) -> Self:
        """The view with two dimensions exchanged."""
        order = list(range(self.ndim))
        a, b = self._axis(dim1), self._axis(dim2)
        order[a], order[b] = order[b], order[a]
        return self._reordered(order)

    def t(self) -> Self:
        """The transposed view of a matrix. Raises ValueError for others."""
        return sized("t", "a matrix", self, self.ndim == 2).transpose(1, 2)

    def permute(self, *dims: int) -> Self:
        """The view with the dimensions in this order."""
        axes = [self._axis(dim) for dim in numbers_given(*dims)]
        if sorted(axes) != list(range(self.ndim)):
            raise ValueError(f"torch.permute: expected each dimension from 1 to {self.ndim} once, got {dims}")
        return self._reordered(axes)

    def squeeze(self, *given: Views | int) -> Result[Self]:
        """squeeze([tensor,] [dim]): the view without the dimensions of size 1, or without this one if it has size 1.

        If one element is left and no dimension is named, it is a number. `r.squeeze(x, ...)` becomes the view.
        """
        if given and isinstance(given[0], Views):
            found = given[0].squeeze(*given[1:])
            self.set(found if isinstance(found, Views) else given[0].view(1))
            return self if isinstance(found, Views) else found
        return self._squeezed(*given)

    def _squeezed(self, dim: Any = None) -> Result[Self]:
        axes = range(self.ndim) if dim is None else [self._axis(dim)]
        if self.nElement() == 1 and self.ndim and (dim is None or self.ndim == 1):
            return self.item()
        kept = [a for a in range(self.ndim) if a not in axes or self.shape[a] != 1]
        if not kept and self.ndim:
            kept = [0]
        return self._reordered(kept)

    def _reordered(self, axes: list[int]) -> Self:
        shape, strides = (tuple(values[a] for a in axes) for values in (self.shape, self.strides_))
        return self.viewing(self.storage_, self.offset, shape, strides)

    # Other sizes ------------------------------------------------------------------------------------------------------

    def view(self, *sizes: Sizes) -> Self:
        """The view of a contiguous tensor with other sizes, at most one -1; `r.view(x, sizes...)` becomes it."""
        if sizes and isinstance(sizes[0], Views):
            return self.set(sizes[0].view(*sizes[1:]))
        if not self.isContiguous():
            raise ValueError("expected a contiguous tensor; call contiguous() first")
        shape = numbers_given(*sizes)
        total, covered = math.prod(self.shape), math.prod(shape)
        if covered < 0 and shape.count(-1) == 1 and total % covered == 0:
            shape = tuple([total // -covered if each == -1 else each for each in shape])
        elif covered != total or any(each < 0 for each in shape):
            mine, given = sizes_text(self.shape), sizes_text(shape)
            raise ValueError(f"expected sizes for the {total} elements of {mine}, got {given}")
        return self.viewing(self.storage_, self.offset, shape)

    def viewAs(self, *given: Views) -> Self:
        """The view with the sizes of another tensor; `r.viewAs(x, other)` becomes it."""
        *source, other = given
        return self.set(source[0].viewAs(other)) if source else self.view(*other.shape)

    def contiguous(self) -> Self:
        """Itself if contiguous, else a contiguous copy."""
        return self if self.isContiguous() else self.clone()

    def reshape(self, *sizes: Sizes) -> Self:
        """A copy of the elements with other sizes; `r.reshape(x, sizes...)` becomes it."""
        if sizes and isinstance(sizes[0], Views):
            found = sizes[0].reshape(*sizes[1:])
            return self.resize(*found.shape).copy(found)
        return self.clone().view(*sizes)

    def expand(self, *sizes: Sizes) -> Self:
        """The view in which dimensions of size 1 repeat to these sizes; `r.expand(x, sizes...)` becomes it.

        Raises ValueError if they do not fit.
        """
        if sizes and isinstance(sizes[0], Views):
            return self.set(sizes[0].expand(*sizes[1:]))
        shape = sizes_given(*sizes)
        if len(shape) != self.ndim or any(s not in (1, wanted) for s, wanted in zip(self.shape, shape, strict=True)):
            raise ValueError(f"expected sizes for {sizes_text(self.shape)}, got {sizes_text(shape)}")
        stride = tuple(0 if size == 1 else s for size, s in zip(self.shape, self.strides_, strict=True))
        return self.viewing(self.storage_, self.offset, shape, stride)

    def expandAs(self, *given: Views) -> Self:
        """As `expand`, to another tensor's sizes; `r.expandAs(x, other)` becomes the view."""
        *source, other = given
        return self.set(source[0].expandAs(other)) if source else self.expand(*other.shape)

    def repeatTensor(self, *sizes: Sizes) -> Self:
        """The elements repeated along each dimension, new ones first; `r.repeatTensor(x, ...)` becomes it."""
        if sizes and isinstance(sizes[0], Views):
            repeated = sizes[0].repeatTensor(*sizes[1:])
            return self.resize(*repeated.shape).copy(repeated)
        times = sizes_given(*sizes)
        if len(times) < self.ndim:
            raise ValueError(f"torch.repeatTensor: expected {self.ndim} or more numbers, got {times}")
        return self.of(computed(lambda m, x: m.tile(x, times), (self,), list))
