"""What tensors compute: in-place methods, reductions and operators."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self, overload

import numpy as np

from ...core import is_concrete
from ...losses.tables import as_arrays
from .alias import alias_drawn, alias_state
from .arguments import described, in_type, is_number, of_one_type, plain_arrays, sizes_text
from .computing import computed, same_count
from .convolutions import CONVOLUTIONS
from .default_type import default_dtype
from .devices import gpu, precision
from .distributions import DISTRIBUTIONS, Distribution, filled, multinomial, permutation
from .kinds import Operand, Result
from .linear_algebra import LINEAR
from .makers import IN_ORDER, MAKERS, joined
from .named_errors import words_of
from .notes import place_among
from .operations import METHODS_OF_PRODUCT, OPERATIONS, Operation, quotient
from .places import Places
from .printing import printed
from .quiet import quietly
from .random import given_generator
from .results import ROWS
from .rows import LONG, Row
from .sizes import sizes_given
from .storage import Storage
from .styles import has_pytorch_operators
from .type_names import dtype_of, type_name_of


class Arithmetic(Places):
    """The part of Tensor that computes; methods that change elements return the tensor."""

    __slots__ = ()

    array: Any
    noted: Any
    dtype: Any
    shape: tuple[int, ...]
    storage_: Storage
    offset: int
    strides_: tuple[int, ...]
    of: ClassVar[Any]
    viewing: ClassVar[Any]
    nElement: Any
    contiguous: Any
    numpy: Any
    resize: Any
    narrow: Any
    uniform: Any
    normal: Any
    add: Any
    csub: Any
    _is_whole: Any
    _axis: Any
    _index: Any

    def item(self) -> float:
        """The only element as a Python number. Raises ValueError if there are more, or none."""
        if self.nElement() != 1:
            raise ValueError(f"torch.item: expected one element, got a tensor of size {sizes_text(self.shape)}")
        return self.numpy().item()

    def totable(self) -> list:
        """The elements as nested lists."""
        return self.numpy().tolist()

    def clone(self) -> Self:
        """A contiguous copy with a storage of its own."""
        array = self.noted  # JAX arrays never change, so that a whole view needs no copy
        return type(self).of(np.array(array) if isinstance(array, np.ndarray) else array)

    def copy(self, source: Operand) -> Self:
        """Copies the elements of another tensor or array of as many elements."""
        values = source.noted if isinstance(source, Arithmetic) else as_arrays(source)
        values = values.copy() if values is source else values  # whoever has the array may write to it
        if np.size(values) != self.nElement():
            raise ValueError(
                f"expected {self.nElement()} elements for a tensor of size {sizes_text(self.shape)}, "
                f"got size {sizes_text(np.shape(values))}"
            )
        if is_concrete(values) and place_among(values) != self.storage_.place:
            values = np.asarray(values)
        return self._written(values.reshape(self.shape))

    def _written(self, result: Any) -> Self:
        """Itself, with these elements in its type."""
        if result.shape != self.shape:
            raise ValueError(f"expected a result of size {sizes_text(self.shape)}, got {sizes_text(result.shape)}")
        if result.dtype is not self.dtype and result.dtype != self.dtype:
            with precision(self.dtype):
                result = result.astype(self.dtype)
        self.array = result
        return self

    def fill(self, value: float) -> Self:
        """Sets every element."""
        if self._is_whole():
            self.storage_.fill(value)
        else:
            self.array = np.full(self.shape, in_type(value, self.dtype), self.dtype)
        return self

    def zero(self) -> Self:
        """Sets every element to 0."""
        if self._is_whole():
            self.storage_.zero()
            return self
        return self.fill(0)

    def rand(self, *sizes: Operand) -> Self:
        """rand([generator], sizes...): takes these sizes, and uniform numbers from [0, 1)."""
        chosen, sizes = given_generator(sizes)
        return self.resize(*sizes_given(*sizes)).uniform(chosen)

    def randn(self, *sizes: Operand) -> Self:
        """randn([generator], sizes...): takes these sizes, and normal numbers of mean 0 and standard deviation 1."""
        chosen, sizes = given_generator(sizes)
        return self.resize(*sizes_given(*sizes)).normal(chosen)

    def cat(self, *args: Operand) -> Self:
        """cat(tensors, [dim]), cat(tensor, tensor, [dim]): becomes them one after the other.

        Called of the class with a table first, `Tensor.cat(tensors, [dim])`, it gives a new one, as in Torch.
        """
        return joined((self, *args), type(self[0] if isinstance(self, list) else self))

    def randperm(self, *args: Operand) -> Self:
        """randperm([generator], n): becomes the numbers 1 to n in random order."""
        order = permutation(args)
        return self.resize(len(order)).copy(order)

    def multinomial(self, *args: Operand) -> Self:
        """multinomial([generator], weights, n, replacement=False): becomes n classes from 1 on for a vector of weights,
        or for each row of a matrix, that are as probable as their weights; without replacement no class twice.
        """
        chosen, given = given_generator(args)
        found = multinomial(chosen, np.asarray(given[0]), *given[1:])
        return self.resize(*found.shape).copy(found)

    def multinomialAliasSetup(self, state: list | None = None) -> list:
        """What `multinomialAlias` draws by, for a vector of weights: a new table of two tensors, or one to be filled.

        Differs from Torch7: classes count from 1 in it, and others may share a column; the probabilities are the same.
        Raises ValueError for negative weights, and where all are 0.
        """
        return alias_state(self, state)

    def multinomialAlias(self, *args: Operand) -> Self:
        """multinomialAlias([generator], state): fills a LongTensor with classes, by what `multinomialAliasSetup` gave.

        Differs from Torch7: its classes are wrong by one where a column does not keep its own.
        """
        return alias_drawn(self, *args)

    def apply(self, function: Callable) -> Self:
        """Replaces every element x by function(x), unless that is None."""
        values = [function(x) for x in self.numpy().reshape(-1).tolist()]
        old = self.numpy().reshape(-1).tolist()
        return self.copy([o if v is None else v for v, o in zip(values, old, strict=True)])

    def sub(self, *args: Operand) -> Result:
        """sub(first1, last1, first2, last2, ...): the view of these ranges of the first dimensions; -1 is the last.

        With a tensor, or one number, as csub: subtracts, in place.
        """
        if len(args) < 2 or not all(isinstance(each, (int, float, np.integer)) for each in args):
            return self.csub(*args)
        if len(args) % 2:
            raise TypeError(f"torch.Tensor: sub: expected a first and a last index for each dimension, got {args}")
        view = self
        for dim, (first, last) in enumerate(zip(args[::2], args[1::2], strict=True), 1):
            axis = view._axis(dim)
            view = view.narrow(dim, first, view._index(axis, last) - view._index(axis, first) + 1)
        return view

    @overload
    def type(self, name: None = None) -> str: ...

    @overload
    def type(self, name: str) -> Self: ...

    def type(self, name: str | None = None) -> str | Self:
        """Torch's name of the type; with a name, a copy of that type (itself if it has it already)."""
        if name is None:
            return type_name_of(self.dtype)
        device = gpu("torch.Tensor: cuda()") if name.startswith("torch.Cuda") else None
        return self._cast(dtype_of(name), device)

    def typeAs(self, other: Arithmetic) -> Self:
        """This tensor in another's type, and where the other is."""
        return self._cast(other.dtype, other.storage_.device)

    def _cast(self, dtype: np.dtype, device: Any) -> Self:
        """Itself if it is of this type on this device (None for the host), else a copy that is."""
        if dtype == self.dtype and device == self.storage_.device:
            return self
        tensor = self.contiguous()
        return type(self).viewing(tensor.storage_.cast(dtype, device), tensor.offset, tensor.shape)

    def real(self) -> Self:
        """This tensor in the default type."""
        return self.type(type_name_of(default_dtype()))

    def elementSize(self) -> int:
        """The bytes that an element takes."""
        return self.dtype.itemsize

    def __neg__(self: Any) -> Any:
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
        if self.shape == (0,):
            return f"[{self.type()} with no dimension]"
        return f"{printed(np.asarray(self.array))}[{self.type()} of size {sizes_text(self.shape)}]"


def _of_operation(operation: Operation) -> None:
    def method(self: Any, *args: Any) -> Any:
        result = operation.quickly(args, self)
        if result is None:
            found = operation.of_method(self, args)
            if found is None:
                raise operation.wrong(args)
            result = operation.computed(*found)
        elif result.shape == self.shape and result.dtype is self.dtype:
            self.array = result
            return self
        if result.dtype is not self.dtype:
            of_one_type(operation.name, (self, *args))
        return (self if self.shape == result.shape else self.resize(*result.shape))._written(result)

    formula = _sentence(operation.formula)
    _add_method(operation.name, method, f"{formula}; in place, where x is this tensor unless it is given.")


def _of_distribution(distribution: Distribution) -> None:
    def method(self: Any, *args: Any) -> Any:
        return filled(distribution, self, args)

    _add_method(distribution.name, method, f"Draws every element, after a generator if any: {distribution.formula}.")


def _of_row(row: Row) -> None:
    def method(self: Any, *args: Any) -> Any:
        return row.call((self, *args), type(self))

    _add_method(row.name, method, f"{_sentence(row.words)}, x being this tensor; or it is a first result, before x.")


def _of_maker(name: str) -> None:
    compute, words = MAKERS[name]

    def method(self: Any, *args: Any) -> Any:
        found = compute(*[in_type(each, LONG) for each in args] if self.dtype.kind in "iu" else args)
        if name in IN_ORDER and found.size == self.nElement():
            return self._written(found.reshape(self.shape))
        return self.resize(*found.shape)._written(found)

    _add_method(name, method, f"{name}({', '.join(words_of(compute))}): becomes {words}.")


def _add_method(name: str, method: Any, doc: str) -> None:
    method.__name__, method.__doc__ = name, doc
    setattr(Arithmetic, name, method)


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"


_OPERATORS: dict[tuple[str, bool], Any] = {}
"""Python's operators by name, and whether they are PyTorch's; Torch7's `/` of whole numbers has no fraction."""


def operated(name: str, left: Operand, right: Operand, like: Operand) -> Result:
    """An operator of Python's module `operator`, element by element; `like` makes the tensor."""
    in_pytorch = has_pytorch_operators()
    function = _OPERATORS[name, in_pytorch]
    arrays = None if name == "matmul" else plain_arrays((left, right), True, not in_pytorch)
    if arrays is not None and arrays[0 if isinstance(left, Arithmetic) else 1].shape:
        return like.of(quietly(function, *arrays))
    if not in_pytorch:
        of_one_type(name, (left, right))
    fit = _as_they_are if in_pytorch or name == "matmul" else partial(same_count, name)
    return as_result(computed(lambda _, a, b: function(a, b), (left, right), fit, not in_pytorch), like)


def _operated(name: str, reflected: bool = True) -> None:
    _OPERATORS[name, True] = getattr(operator, name)
    _OPERATORS[name, False] = partial(quotient, None) if name == "truediv" else getattr(operator, name)
    setattr(Arithmetic, f"__{name}__", lambda self, other: operated(name, self, other, self))
    if reflected:
        setattr(Arithmetic, f"__r{name}__", lambda self, other: operated(name, other, self, self))


def _as_they_are(arrays: list) -> list:
    return arrays


def _product(left: Any, right: Any) -> Any:
    """Torch7's `*`: with a number, by elements; else the matrix, matrix-vector or dot product."""
    tensor = left if isinstance(left, Arithmetic) else right
    number = right if tensor is left else left
    in_pytorch = has_pytorch_operators()
    if type(number) in (int, float) and tensor.shape and type(array := tensor.noted) is np.ndarray:
        return tensor.of(quietly(operator.mul, array, number if in_pytorch else in_type(number, array.dtype)))
    if is_number(left) or is_number(right) or in_pytorch:
        return as_result(computed(lambda _, a, b: a * b, (left, right), _as_they_are, not in_pytorch), tensor)
    ranks = (len(np.shape(left)), len(np.shape(right)))
    if ranks == (1, 1):
        return ROWS["dot"].call((left, right), tensor)
    method = METHODS_OF_PRODUCT.get(ranks)
    if method is None:
        raise ValueError(
            f"torch: {described(left)} * {described(right)}: expected matrices or vectors; cmul multiplies by elements"
        )
    operation = OPERATIONS[method]
    return as_result(operation.computed(next(iter(operation.forms)), [left, right]), tensor)


def as_result(found: Operand, like: Operand) -> Result:
    """A result as a tensor, or, if it has no dimensions and is known, as a number."""
    return np.asarray(found).item() if not np.ndim(found) and is_concrete(found) else like.of(found)


BY_TABLES = OPERATIONS | ROWS | LINEAR | CONVOLUTIONS
"""Operations whose errors name the call by themselves, by the names of methods."""

for _operation in OPERATIONS.values():
    _of_operation(_operation)
for _distribution in DISTRIBUTIONS.values():
    _of_distribution(_distribution)
for _name in MAKERS:
    _of_maker(_name)
for _row in (ROWS | LINEAR | CONVOLUTIONS).values():
    _of_row(_row)
for _name in ("add", "sub", "truediv", "mod", "pow", "matmul"):
    _operated(_name)
for _name in ("lt", "le", "gt", "ge"):
    _operated(_name, reflected=False)
Arithmetic.__mul__ = lambda self, other: _product(self, other)  # type: ignore[method-assign]
Arithmetic.__rmul__ = lambda self, other: _product(other, self)  # type: ignore[method-assign]
