"""Methods that read and write at places given by indices or masks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, Self, overload

import numpy as np

from .arguments import (
    alike_beside,
    are_numbers,
    array_of,
    described,
    in_type,
    is_number,
    is_tensor,
    of_one_type,
    sized,
    sizes_text,
)
from .casting import as_type
from .indices import indices
from .kinds import Numbers
from .named import under_name
from .notes import known
from .quiet import put
from .sizes import numbers_given
from .views import Views

CASTS = (
    "byte", "char", "short", "int", "long", "float", "double", "half",
    "cuda", "cudaByte", "cudaChar", "cudaShort", "cudaInt", "cudaLong", "cudaHalf", "cudaDouble",
)  # fmt: skip
"""Methods that convert, named as the types are: `byte` gives a torch.ByteTensor."""


class Places(Views):
    """The part of Tensor that reads and writes at places."""

    __slots__ = ()

    noted: Any
    peeked: Any
    _writable: Callable[[], np.ndarray]

    # Masks ------------------------------------------------------------------------------------------------------------

    def _masked(self, name: str, mask: Any) -> np.ndarray:
        found = np.asarray(mask) != 0
        if found.size != self.nElement():
            wanted, given = sizes_text(self.shape), sizes_text(found.shape)
            raise ValueError(f"torch.{name}: expected a mask of as many elements as size {wanted}, got size {given}")
        return found.reshape(self.shape)

    @overload
    def maskedSelect(self, mask: Numbers, /) -> Self: ...

    @overload
    def maskedSelect(self, tensor: Places, mask: Numbers, /) -> Self: ...

    def maskedSelect(self, *args: Any) -> Self:
        """maskedSelect([tensor,] mask): the elements where the mask is not 0, in order."""
        if len(args) == 2:
            found = args[0].maskedSelect(args[1])
            return self.resize(*found.shape).copy(found)
        return self._chosen(self._masked("maskedSelect", args[0]))

    def _chosen(self, place: Any) -> Self:
        """The elements at places, or where a mask is true."""
        found = self.storage_.place
        return self.of(np.asarray(self.peeked)[place] if found is None else known(self.noted, found)[place])

    def maskedFill(self, mask: Numbers, value: float) -> Self:
        """Sets the elements where the mask is not 0."""
        return self._where(self._masked("maskedFill", mask), value)

    def maskedCopy(self, mask: Numbers, source: Numbers) -> Self:
        """Copies a tensor's elements, in order, to where the mask is not 0."""
        chosen, values = self._masked("maskedCopy", mask), np.asarray(source).reshape(-1)
        if values.size < (count := int(chosen.sum())):
            raise ValueError(f"torch.maskedCopy: expected {count} elements or more, got {values.size}")
        return self._where(chosen, values[:count])

    def _where(self, place: Any, values: Any, how: str = "set") -> Self:
        """Writes values to places, or adds them, once for each time that a place is named."""
        values = in_type(are_numbers(values), self.dtype)
        values = as_type(values, self.dtype) if isinstance(values, np.ndarray) else values
        if self.storage_.place is not None:
            self.array = known(self.noted, self.storage_.place).put(place, values, how)
        elif how == "set":
            put(self._writable(), place, values)
        else:
            np.add.at(self._writable(), place, values)
        return self

    # Indices ----------------------------------------------------------------------------------------------------------

    def _slices(self, name: str, dim: int, index: Any) -> tuple:
        axis = self._axis(dim)
        return (*[slice(None)] * axis, indices(name, index, self.shape[axis]).reshape(-1))

    def _source(self, name: str, place: tuple, tensor: Any) -> np.ndarray:
        values, axis = np.asarray(tensor), len(place) - 1
        wanted = (*self.shape[:axis], place[-1].size, *self.shape[axis + 1 :])
        if values.size != math.prod(wanted):
            raise ValueError(
                f"torch.{name}: expected a tensor of size {sizes_text(wanted)}, got {sizes_text(values.shape)}"
            )
        return values.reshape(wanted)

    def indexCopy(self, dim: int, index: Numbers, tensor: Numbers) -> Self:
        """Copies a tensor's slices to the indices of a dimension in a LongTensor."""
        place = self._slices("indexCopy", dim, index)
        return self._where(place, self._source("indexCopy", place, tensor))

    def indexAdd(self, dim: int, index: Numbers, tensor: Numbers) -> Self:
        """Adds a tensor's slices at the indices of a dimension in a LongTensor, once for each time one is named."""
        place = self._slices("indexAdd", dim, index)
        return self._where(place, self._source("indexAdd", place, tensor).astype(self.dtype), "add")

    def indexFill(self, dim: int, index: Numbers, value: float) -> Self:
        """Sets the slices at the indices of a dimension in a LongTensor."""
        return self._where(self._slices("indexFill", dim, index), value)

    def scatter(self, dim: int, index: Numbers, source: Numbers) -> Self:
        """Writes a number, or a tensor's elements, to the indices along a dimension in a LongTensor."""
        axis = self._axis(dim)
        at = alike_beside("scatter", "indices", indices("scatter", index, self.shape[axis]), self, axis)
        place: list[Any] = list(np.indices(at.shape, sparse=True))
        place[axis] = at
        if is_number(source):
            return self._where(tuple(place), source)
        values = alike_beside("scatter", "a source", np.asarray(source), self, axis)
        sized("scatter", f"{at.shape[axis]} numbers or more along dimension {dim}", values, values.size >= at.size)
        return self._where(tuple(place), values[_corner(at.shape)])

    # Functions of elements --------------------------------------------------------------------------------------------

    def map(self, tensor: Numbers, function: Callable) -> Self:
        """Replaces every element x by function(x, y), where y is the other tensor's; a result of None leaves x."""
        return self._mapped(function, tensor)

    def map2(self, tensor1: Numbers, tensor2: Numbers, function: Callable) -> Self:
        """Replaces every element x by function(x, y, z), where y and z are the others'; a result of None leaves x."""
        return self._mapped(function, tensor1, tensor2)

    def _mapped(self, function: Callable, *tensors: Any) -> Self:
        columns = [np.asarray(each).reshape(-1).tolist() for each in (self, *tensors)]
        found = [function(*row) for row in zip(*columns, strict=True)]
        mapped = [x if y is None else y for x, y in zip(columns[0], found, strict=True)]
        return self.copy(array_of(mapped, self.dtype))

    # Questions --------------------------------------------------------------------------------------------------------

    def equal(self, *tensors: Numbers) -> bool:
        """equal([tensor1,] tensor2): whether both have the same sizes and elements."""
        first, second = (self, *tensors)[-2:]
        if not is_tensor(first) or not is_tensor(second):
            raise TypeError(f"torch.equal: expected ([tensor1], tensor2), got ({', '.join(map(described, tensors))})")
        of_one_type("equal", (first, second))
        return np.shape(first) == np.shape(second) and bool(np.array_equal(np.asarray(first), np.asarray(second)))

    def all(self) -> bool:
        """Whether no element is 0."""
        return bool(np.all(np.asarray(self.array)))

    def any(self) -> bool:
        """Whether any element is not 0."""
        return bool(np.any(np.asarray(self.array)))

    def isSize(self, sizes: Iterable[float]) -> bool:
        """Whether it has these sizes."""
        return self.shape == numbers_given(*sizes)

    def isTensor(self, *value: object) -> bool:
        """Whether a value that is given, or else this one, is a tensor."""
        return isinstance(value[0] if value else self, Places)

    def retain(self) -> None:
        """Does nothing: memory is Python's."""

    def free(self) -> None:
        """Does nothing: memory is Python's."""


def _corner(shape: tuple) -> tuple:
    return tuple(slice(size) for size in shape)


def _cast(name: str) -> None:
    kind = f"torch.{name[0].upper()}{name[1:]}Tensor"

    def method(self: Any) -> Any:
        return self.type(kind)

    says = f"This tensor as a {kind}: itself if it is one, else a copy."
    setattr(Places, name, under_name(name, method, says, of="Tensor."))


for _name in CASTS:
    _cast(_name)
