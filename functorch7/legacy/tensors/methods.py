"""Tensors' methods and operators that are made from tables (types: `methods.pyi`)."""

from __future__ import annotations

import operator
from functools import partial
from typing import Any

import numpy as np

from ...core import is_concrete
from .arguments import beside, described, is_number, of_one_type, plain_arrays, sizes_text
from .computing import computed, same_count
from .convolutions import CONVOLUTIONS
from .devices import at_hand
from .distributions import DISTRIBUTIONS, Distribution
from .elsewhere import no_method
from .expanded import repeatedly
from .in_turns import in_turns, overlap
from .kinds import Elements, Made, Maker, Result
from .linear_algebra import LINEAR
from .makers import DRAWN, IN_ORDER, MAKERS, Making
from .named import under_name
from .number import only_element
from .operations import METHODS_OF_PRODUCT, OPERATIONS, Operation, quotient
from .quiet import quietly
from .results import ROWS
from .rows import Row
from .styles import has_pytorch_operators


class Methods:
    """The part of Tensor that is made from tables."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # what protocols and this package ask for
            raise AttributeError(name)
        if hasattr(type(self), name):  # a property, which has its reason
            return object.__getattribute__(self, name)
        raise AttributeError(no_method(type(self), name), name=name, obj=self)


def _of_operation(operation: Operation) -> None:
    by_element = not operation.signature

    def method(self: Any, *args: Any, **named: Any) -> Any:
        if 0 in self.strides_ and self.nElement() > 1:
            return repeatedly(self, operation.name, args, named)
        kind, storage = type(self), self.storage_
        for each in args:
            if type(each) is kind and each.storage_ is storage and by_element and overlap(self, each):
                return in_turns(self, operation.name, args)
        result = operation.result(args, self, named)
        if result is None:
            raise operation.wrong(args)
        if result.shape == self.shape and result.dtype is self.dtype:
            self.array = result
            return self
        if result.dtype is not self.dtype:
            of_one_type(operation.name, (self, *args))
        return (self if self.shape == result.shape else self.resize(*result.shape))._written(result)

    formula = _sentence(operation.words)
    _add_method(operation.name, method, f"{formula}; in place, where x is this tensor unless it is given.")


def _of_distribution(distribution: Distribution) -> None:
    def method(self: Any, *args: Any, **named: Any) -> Any:
        self.array = distribution.filling(args, named, self.dtype, self.shape)
        return self

    _add_method(distribution.name, method, f"Draws every element, after a generator if any: {distribution.formula}.")


def _of_row(row: Row) -> None:
    def method(self: Any, *args: Any, **named: Any) -> Any:
        kind: Any = type(self)
        return row.call((self, *args), kind, named)

    _add_method(row.name, method, f"{_sentence(row.words)}, x being this tensor; or it is a first result, before x.")


def _of_maker(name: str, making: Making) -> None:
    def method(self: Any, *args: Any) -> Any:
        found = making.compute(self.dtype, *args)
        if name in IN_ORDER and found.size == self.nElement():
            return self._written(found.reshape(self.shape))
        return self.resize(*found.shape)._written(found)

    _add_method(name, method, f"{name}({making.usage}): becomes {making.words}.")


def _add_method(name: str, method: Any, doc: str) -> None:
    setattr(Methods, name, under_name(name, method, doc, of="Tensor."))


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"


_OPERATORS: dict[tuple[str, bool], Any] = {}
"""Python's operators, by name and whether PyTorch's rules apply; in Torch7, `/` of whole numbers drops fractions."""


def operated(name: str, left: object, right: object, like: Maker[Made]) -> Result[Made]:
    """An operator of Python's module `operator`, element by element; `like` makes the tensor."""
    in_pytorch = has_pytorch_operators()
    function = _OPERATORS[name, in_pytorch]
    arrays = None if name == "matmul" else plain_arrays((left, right), True, not in_pytorch)
    if arrays is not None and arrays[0 if hasattr(left, "storage_") else 1].shape:
        return like.of(quietly(function, *arrays))
    if not in_pytorch:
        of_one_type(name, (left, right))
    fit = partial(_repeating if in_pytorch or name == "matmul" else same_count, name)
    return as_result(computed(lambda _, a, b: function(a, b), (left, right), fit, not in_pytorch), like)


def _operated(name: str, reflected: bool) -> None:
    _OPERATORS[name, True] = getattr(operator, name)
    _OPERATORS[name, False] = partial(quotient, None) if name == "truediv" else getattr(operator, name)
    setattr(Methods, f"__{name}__", lambda self, other: operated(name, self, other, self))
    if reflected:
        setattr(Methods, f"__r{name}__", lambda self, other: operated(name, other, self, self))


def _changing(name: str) -> None:
    """`x += y` and the like: x itself gets the result, as with NumPy's arrays and PyTorch's tensors."""
    compute = getattr(Methods, f"__{name}__")

    def changed(self: Any, other: Any) -> Any:
        """Changes this tensor."""
        result = compute(self, other)
        if np.shape(result) != self.shape:
            if name == "mul" and not has_pytorch_operators():
                return result  # a product of matrices or vectors
            raise ValueError(
                f"torch.{name}: {described(self)} cannot get a result of size {sizes_text(np.shape(result))}"
            )
        array = getattr(result, "noted", result)
        array = array if hasattr(array, "dtype") else np.asarray(array, self.dtype)
        if self.dtype.kind in "iu" and array.dtype.kind not in "iub":
            raise TypeError(f"torch.{name}: {described(self)}, of whole numbers, cannot get a result with fractions")
        return self._written(array)

    setattr(Methods, f"__i{name}__", changed)


def _repeating(name: str, arrays: list) -> list:
    """The arrays, with sizes of 1 repeated to fit. Raises: ValueError for sizes that do not fit."""
    left, right = (tuple(getattr(each, "shape", ())) for each in arrays)
    is_product = name == "matmul"
    inner = not is_product or (left and right and left[-1] == right[-2:][0])
    try:
        np.broadcast_shapes(*((left[:-2], right[:-2]) if is_product else (left, right)))
    except ValueError:
        inner = False
    if not inner:
        wanted = "sizes ixj and jxk" if is_product else "sizes that are equal, or 1"
        raise ValueError(f"torch.{name}: expected tensors of {wanted}, got {sizes_text(left)} and {sizes_text(right)}")
    return arrays


def _product(left: Any, right: Any) -> Any:
    """Torch7's `*`: element-wise with a number, otherwise the matrix, matrix-vector or dot product."""
    tensor = left if hasattr(left, "storage_") else right
    number = right if tensor is left else left
    in_pytorch = has_pytorch_operators()
    if type(number) in (int, float) and tensor.shape and type(array := at_hand(tensor.noted)) is np.ndarray:
        return tensor.of(quietly(operator.mul, array, beside(number, array.dtype, not in_pytorch)))
    if is_number(left) or is_number(right) or in_pytorch:
        fit = partial(_repeating, "mul")
        return as_result(computed(lambda _, a, b: a * b, (left, right), fit, not in_pytorch), tensor)
    ranks = (len(np.shape(left)), len(np.shape(right)))
    if ranks == (1, 1):
        return ROWS["dot"].call((left, right), tensor)
    method = METHODS_OF_PRODUCT.get(ranks)
    if method is None:
        raise ValueError(
            f"torch: {described(left)} * {described(right)}: expected matrices or vectors; cmul multiplies by elements"
        )
    operation = OPERATIONS[method]
    return as_result(operation.computed(operation.forms[0], [left, right]), tensor)


def _remainder(left: Any, right: Any, like: Any) -> Any:
    """Torch7's `%`: cremainder, or remainder with a number."""
    if has_pytorch_operators():
        return operated("mod", left, right, like)
    operation = OPERATIONS["cremainder"]
    return as_result(operation.computed(operation.forms[0], [left, right]), like)


def as_result(found: Elements, like: Maker[Made]) -> Result[Made]:
    """A result as a tensor; as a number if it has no dimensions and is known."""
    return only_element(found) if not np.ndim(found) and is_concrete(found) else like.of(found)


OPERATORS = dict.fromkeys(("add", "sub", "truediv", "mod", "pow", "matmul"), True) | dict.fromkeys(
    ("lt", "le", "gt", "ge"), False
)
"""Python's operators by their names in `operator`, and whether a tensor may be on the right."""

IN_PLACE = ("add", "sub", "mul", "truediv", "mod", "pow")
"""Operators with a form with `=`."""

BY_TABLES = OPERATIONS | ROWS | LINEAR | CONVOLUTIONS
"""Operations whose errors already name the call, by method."""

for _operation in OPERATIONS.values():
    _of_operation(_operation)
for _distribution in DISTRIBUTIONS.values():
    _of_distribution(_distribution)
for _name, _making in (MAKERS | DRAWN).items():
    _of_maker(_name, _making)
for _row in (ROWS | LINEAR | CONVOLUTIONS).values():
    _of_row(_row)
for _name, _reflected in OPERATORS.items():
    _operated(_name, _reflected)
Methods.__mul__ = lambda self, other: _product(self, other)  # type: ignore[method-assign]
Methods.__rmul__ = lambda self, other: _product(other, self)  # type: ignore[method-assign]
Methods.__mod__ = lambda self, other: _remainder(self, other, self)  # type: ignore[method-assign]
Methods.__rmod__ = lambda self, other: _remainder(other, self, self)  # type: ignore[method-assign]
for _name in IN_PLACE:
    _changing(_name)
