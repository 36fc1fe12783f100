"""What a user's `forward` is given, taken apart: arrays, which are traced, and everything else, which is static."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeGuard

import jax
import numpy as np

from ...core import Const
from ...core.types import Structure, Value
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor
from ..tensors.values import unwrapped, wrapped


class Static(NamedTuple):
    """A value as part of a program's key: equal only to values of the same type."""

    kind: type
    value: Any


class _Itself:
    """A value that cannot be hashed, equal only to itself."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


def is_array(value: object) -> TypeGuard[Tensor | np.ndarray | jax.Array]:
    """Whether a value is a tensor or an array."""
    return isinstance(value, (Tensor, np.ndarray, jax.Array))


def frozen(value: Value) -> Static:
    """A value that can be hashed and that later changes of lists, dicts and arrays do not reach."""
    kind = type(value)
    if kind in (list, tuple):
        return Static(kind, tuple(frozen(each) for each in value))
    if kind is dict:
        return Static(kind, tuple((name, frozen(each)) for name, each in value.items()))
    if is_array(value) or kind is Storage:
        return Static(kind, Const(value))
    try:
        hash(value)
    except TypeError:
        return Static(_Itself, _Itself(value))
    return Static(kind, value)


def thawed(static: Static) -> Value:
    """The value again: lists, dicts and arrays as fresh copies."""
    kind, value = static
    if kind in (list, tuple):
        return kind(thawed(each) for each in value)
    if kind is dict:
        return {name: thawed(each) for name, each in value}
    if isinstance(value, Const) and kind is Storage:
        return Storage(np.array(value))
    if isinstance(value, Const):
        return Tensor.of(value.value) if issubclass(kind, Tensor) else np.array(value.value)
    return value.value if kind is _Itself else value


class Form(NamedTuple):
    """Arguments with holes where arrays were."""

    structure: Structure
    leaves: tuple[Static | None, ...]

    def filled(self, input: Value) -> tuple[tuple, dict[str, Value]]:
        """(arguments, keyword arguments) with the arrays in place: a table of them, or the only one itself."""
        arrays = iter([input] if self.leaves.count(None) == 1 else input)
        leaves = [wrapped(next(arrays)) if leaf is None else thawed(leaf) for leaf in self.leaves]
        return jax.tree.unflatten(self.structure, leaves)


@jax.tree_util.register_dataclass
@dataclass
class Arguments:
    """The arguments of a call: arrays, and the form around them; the form is None where the one argument is the input.

    It goes through compiled programs as the arrays do.
    """

    arrays: Any
    form: Form | None = field(metadata={"static": True})

    def filled(self) -> tuple[tuple, dict[str, Value]]:
        """(arguments, keyword arguments), of tensors."""
        return ((wrapped(self.arrays),), {}) if self.form is None else self.form.filled(self.arrays)


def only_input(who: str, args: tuple, kwargs: dict[str, Value]) -> Value:
    """The one argument of a module that takes no others. Raises TypeError if there are."""
    if len(args) != 1 or kwargs:
        given = f"{len(args)} arguments and the keywords {list(kwargs)}"
        raise TypeError(f"{who}: expected one input (a table, where it takes several), got {given}")
    return args[0]


def split(args: tuple, kwargs: dict[str, Value]) -> tuple[Form | None, Value]:
    """(form, input) of a call; the form is None where it has one argument, which is the input, as of other modules."""
    if len(args) == 1 and not kwargs and not isinstance(args[0], (str, int, float, type(None))):
        return None, args[0]
    leaves, structure = jax.tree.flatten((args, kwargs), is_leaf=lambda each: each is None)
    arrays = [each for each in leaves if is_array(each)]
    form = Form(structure, tuple(None if is_array(each) else frozen(each) for each in leaves))
    return form, arrays[0] if len(arrays) == 1 else arrays


def array_of(given: Value, what: str = "expected tensors, got") -> Value:
    """What is given inside a trace, as arrays. Raises TypeError, with `what` before the value, for what is none."""
    try:
        return jax.tree.map(jax.numpy.asarray, unwrapped(given))
    except (TypeError, ValueError):
        raise TypeError(f"{what} {given!r}, which is no tensor, nor a table of them") from None
