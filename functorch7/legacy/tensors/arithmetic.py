"""Computing methods of tensors, except those that are made from tables."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any, Self, overload

import numpy as np

from ...core import is_concrete
from ...losses.tables import as_arrays
from .alias import alias_classes, drawn_classes
from .arguments import described, in_type, is_number, sizes_text
from .casting import as_type
from .default_type import getdefaulttensortype
from .devices import gpu, precision
from .distributions import multinomial
from .findings import tell
from .in_turns import in_turns, overlap
from .kinds import Numbers, Operand
from .makers import joined
from .methods import Methods
from .places import Places
from .printing import printed
from .quiet import quietly
from .random import given_generator
from .together import place_among
from .type_names import dtype_of, is_of_gpu, type_name_of


class Arithmetic(Methods, Places):
    """The part of Tensor that computes; methods that change elements return the tensor."""

    __slots__ = ()

    contiguous: Any
    numpy: Any
    new: Any
    _part: Any
    _is_whole: Any

    def item(self) -> float:
        """The only element as a Python number. Raises ValueError if there are more, or none."""
        if math.prod(self.shape) != 1:
            raise ValueError(f"torch.item: expected one element, got a tensor of size {sizes_text(self.shape)}")
        return self.storage_._element(self.offset) if self.storage_.place is None else self.numpy().item()

    def totable(self) -> list:
        """The elements as nested lists."""
        return self.numpy().tolist()

    def clone(self) -> Self:
        """A contiguous copy with a storage of its own."""
        array = self.noted  # JAX arrays never change, so that a whole view needs no copy
        return type(self).of(np.array(array) if isinstance(array, np.ndarray) else array)

    def copy(self, source: Numbers) -> Self:
        """Copies the elements of another tensor or array of as many elements."""
        if isinstance(source, Arithmetic) and source.storage_ is self.storage_ and overlap(self, source):
            return in_turns(self, "copy", (source,))
        values = source.noted if isinstance(source, Arithmetic) else as_arrays(source)
        values = values.copy() if values is source else values  # whoever has the array may write to it
        if np.size(values) != self.nElement():
            raise ValueError(
                f"expected {self.nElement()} elements for a tensor of size {sizes_text(self.shape)}, "
                f"got size {sizes_text(np.shape(values))}"
            )
        if is_concrete(values) and place_among(values) != self.storage_.place:
            tell()
            values = np.asarray(values)
        return self._written(values.reshape(self.shape))

    copyAsync = copy
    """As `copy`: results are computed when they are needed, in any case."""

    def _written(self, result: Any) -> Self:
        """Itself, with these elements in its type."""
        if result.shape != self.shape:
            raise ValueError(f"expected a result of size {sizes_text(self.shape)}, got {sizes_text(result.shape)}")
        if result.dtype is not self.dtype and result.dtype != self.dtype:
            with precision(self.dtype):
                result = as_type(result, self.dtype)
        self.array = result
        return self

    def fill(self, value: float) -> Self:
        """Sets every element. Raises TypeError for anything but a number."""
        if not is_number(value):
            raise TypeError(f"torch.fill: expected a number, got {described(value)}")
        if self._is_whole():
            self.storage_.fill(value)
        else:
            self.array = quietly(np.full, self.shape, in_type(value, self.dtype), self.dtype)
        return self

    def zero(self) -> Self:
        """Sets every element to 0."""
        if self._is_whole():
            self.storage_.zero()
            return self
        return self.fill(0)

    def cat(self, *args: Operand) -> Self:
        """cat(tensors, [dim]), cat(tensor, tensor, [dim]): becomes them one after the other.

        Called of the class with a table first, `Tensor.cat(tensors, [dim])`, it gives a new one, as in Torch.
        """
        return joined((self, *args), _class_of(self))

    def concat(self, tensors: list, dim: int = 1) -> Self:
        """Becomes the tensors of a table, one after the other along a dimension (the first). Source: torchx."""
        return joined((self, tensors, dim), _class_of(self))

    def multinomial(self, *args: Operand) -> Self:
        """multinomial([generator], weights, n, replacement=False): becomes n classes from 1 on for a vector of weights,
        or for each row of a matrix, with probabilities as their weights; without replacement, no class twice.
        """
        chosen, given = given_generator(args)
        found = multinomial(chosen, np.asarray(given[0]), *given[1:])
        return self.resize(*found.shape).copy(found)

    def multinomialAliasSetup(self, state: list | None = None) -> list:
        """The tables of `multinomialAlias` for a vector of weights: two tensors in a new table, or in a given one.

        Differs from Torch7: classes in it count from 1, and columns may be shared by others; the probabilities are the
        same. Raises ValueError for negative weights, and if all are 0.
        """
        columns = alias_classes(self.numpy())
        tensors = [self.new().long(), self.new()] if state is None else state
        for tensor, values in zip(tensors, columns, strict=True):
            tensor.resize(len(values)).copy(values)
        return tensors

    def multinomialAlias(self, *args: Operand) -> Self:
        """multinomialAlias([generator], state): fills a LongTensor with classes, by what `multinomialAliasSetup` gave.

        Differs from Torch7: its classes are wrong by one where a column does not keep its own.
        """
        generator, (state,) = given_generator(args)
        return self.copy(drawn_classes(generator, state, self.nElement()))

    def apply(self, function: Callable) -> Self:
        """Replaces every element x by function(x), unless this is None."""
        return self._mapped(function)

    def sub(self, *args: Numbers) -> Self:
        """sub(first1, last1, first2, last2, ...): the view of these ranges of the first dimensions; -1 is the last.

        With a tensor, or one number, as csub: subtracts, in place.
        """
        if len(args) < 2 or not all(isinstance(each, numbers.Real) for each in args):
            return self.csub(*args)
        if len(args) % 2:
            raise TypeError(f"torch.Tensor: sub: expected a first and a last index for each dimension, got {args}")
        view = self
        for dim, (first, last) in enumerate(zip(args[::2], args[1::2], strict=True), 1):
            view = view._part(dim, first, last)
        return view

    @overload
    def type(self, name: None = None) -> str: ...

    @overload
    def type(self, name: str) -> Self: ...

    def type(self, name: str | None = None) -> str | Self:
        """Torch's name of the type; with a name, a copy of that type (itself if it has it already)."""
        if name is None:
            return type_name_of(self.dtype, self.storage_.place is not None)
        device = (self.storage_.device or gpu("torch.Tensor: cuda()")) if is_of_gpu(name) else None
        return self._cast(dtype_of(name), device)

    def getDevice(self) -> int:
        """The number of its GPU, as cutorch counts them. Raises RuntimeError for a tensor on the host."""
        return self.storage_.getDevice()

    def typeAs(self, other: Arithmetic) -> Self:
        """This tensor in another's type, on the other's device."""
        return self._cast(other.dtype, other.storage_.device)

    def _cast(self, dtype: np.dtype, device: Any) -> Self:
        """Itself if it has this type and device (None for the host), otherwise a copy that has."""
        if dtype == self.dtype and device == self.storage_.device:
            return self
        whole = self if self._is_whole() else self.clone()  # of a part no more than the part is converted
        return type(self).viewing(whole.storage_.cast(dtype, device), 0, whole.shape)

    def real(self) -> Self:
        """This tensor in the default type."""
        return self.type(getdefaulttensortype())

    def elementSize(self) -> int:
        """The number of bytes of an element."""
        return self.dtype.itemsize

    def __neg__(self) -> Self:
        return self * -1

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __bool__(self) -> bool:
        if self.nElement() != 1:
            raise ValueError(
                "a tensor is neither true nor false; write `tensor is not None` for Lua's `if tensor then`"
            )
        return bool(self.item())

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec else str(self)

    def __repr__(self) -> str:
        if 0 in self.shape:
            return f"[{self.type()} with no dimension]"
        return f"{printed(np.asarray(self.array))}[{self.type()} of size {sizes_text(self.shape)}]"


def _class_of(given: Any) -> Any:
    """The class of a tensor, or of those in a table."""
    return type(given[0] if isinstance(given, list) else given)
