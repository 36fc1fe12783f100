"""What a user's `forward` is given, taken apart: arrays, which are traced, and everything else, which is static."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from types import FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple, TypeGuard

import jax
import numpy as np

from ... import core
from ...checks.tables import entries
from ...core import Const
from ...core.types import Structure, Value
from ..tensors.parameter import Parameter
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor
from ..tensors.values import unwrapped, wrapped
from .code_names import with_methods

NO_NAMES: frozenset[str] = frozenset()
ASKING = frozenset(("__dict__", "getattr", "vars"))
"""What code reads fields by that it does not name."""


SIMPLE = (bool, int, float, str, type(None), FunctionType, Tensor, np.ndarray, jax.Array)
"""What has no attributes that count."""


SCALARS = frozenset((bool, int, float, str, type(None)))
"""What can be hashed, and never changes."""


LASTING = (bool, int, float, str, bytes, type(None), np.generic)
"""What never changes, subclasses included."""


NUMBERS = (bool, int, float, complex, np.number)
ARRAYS = (Tensor, np.ndarray, jax.Array)


class Static(NamedTuple):
    """A value as part of a program's key: equal only to values of the same type."""

    kind: type
    value: Any


class Around:
    """The kind of a list or dict inside itself: which one it is of what is around it, from the outermost."""


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
    return isinstance(value, ARRAYS)


class Record:
    """An object that holds settings: equal to itself as long as those of its fields that count are as they are."""

    __slots__ = ("fields", "value")

    def __init__(self, value: Value, fields: tuple[tuple[str, Static], ...]):
        self.value, self.fields = value, fields

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self.value is other.value and self.fields == other.fields

    def __hash__(self) -> int:
        return hash((id(self.value), self.fields))


def frozen(value: Value, names: frozenset[str] = NO_NAMES, around: tuple[int, ...] = ()) -> Static:
    """A value that can be hashed and that later changes of lists, dicts and arrays do not reach.

    Nor do changes of those fields of other objects that have one of the names. `around`: lists, dicts and objects that
    it is a part of.
    Raises: TypeError for parameters that get a gradient, which they would not.
    """
    kind = type(value)
    if kind in SCALARS:
        return Static(kind, value)
    if kind in (list, dict):
        if id(value) in around:
            return Static(Around, around.index(id(value)))
        around = (*around, id(value))
    if kind in (list, tuple):
        return Static(kind, tuple(frozen(each, names, around) for each in value))
    if kind is dict:
        return Static(kind, tuple((name, frozen(each, names, around)) for name, each in value.items()))
    if is_array(value) and not is_concrete(value):
        return itself(value)
    if isinstance(value, Parameter) and value.requires_grad:
        raise not_learned("an nn.Parameter", value)
    if is_array(value):
        return Static(kind, Const(value))
    if isinstance(value, Storage):
        return Static(Storage, Const(value))
    if names and id(value) not in around and (fields := _fields(value)):
        names, around = with_methods(value if isinstance(value, type) else kind, names), (*around, id(value))
        all_count = isinstance(value, (dict, set)) or not ASKING.isdisjoint(names)
        counting = [name for name in fields if all_count or name in names]
        if counting:
            return Static(Record, Record(value, tuple((n, frozen(fields[n], names, around)) for n in counting)))
    try:
        hash(value)
    except TypeError:
        return itself(value)
    return Static(kind, value)


def not_learned(what: str, parameter: Tensor) -> TypeError:
    """What is raised for a parameter that would be a constant."""
    return TypeError(
        f"{what} of shape {parameter.shape} would be a constant of the program, and get no gradient; assign it to an "
        "attribute of the module, as in self.weight = weight, or say weight.requires_grad = False"
    )


def is_concrete(array: Tensor | np.ndarray | jax.Array) -> bool:
    """Whether there are values in it, as is not so while a program is traced."""
    return core.is_concrete(array.array if isinstance(array, Tensor) else array)


def lasts(value: object) -> bool:
    """Whether a value never changes: a number, a text, or a tuple of such."""
    return isinstance(value, LASTING) or (isinstance(value, tuple) and all(map(lasts, value)))


def consists_of(value: Value, may_be: Callable[[Value], bool], around: tuple[int, ...] = ()) -> bool:
    """Whether all that is in lists, tuples and dicts may be there; `around`: tables that it is in."""
    if type(value) in (list, tuple, dict):
        inside = (*around, id(value))
        return id(value) in around or all(consists_of(each, may_be, inside) for each in entries(value))
    return may_be(value)


def is_constant(value: object) -> bool:
    """Whether a value is of numbers and texts, in tables or not."""
    return consists_of(value, lasts)


def is_simple(value: Value) -> bool:
    """Whether nothing that it consists of has attributes that count."""
    return consists_of(value, lambda each: isinstance(each, SIMPLE))


def itself(value: object) -> Static:
    """A value that counts as nothing but itself."""
    return Static(_Itself, _Itself(value))


def has_traced(static: Static) -> bool:
    """Whether there was an array without values in what was frozen."""
    kind, value = static
    if kind is dict or kind is Record:
        return any(has_traced(each) for _, each in (value if kind is dict else value.fields))
    if kind in (list, tuple):
        return any(map(has_traced, value))
    return kind is _Itself and is_array(value.value)


def _fields(value: Any) -> dict[Any, Any]:
    """What an object or a class has that holds numbers, texts and the like, and may change; of others nothing."""
    if isinstance(value, (set, dict)):
        return dict(value) if isinstance(value, dict) else {"": tuple(sorted(map(repr, value)))}
    kind = value if isinstance(value, type) else type(value)
    if isinstance(value, (FunctionType, MethodType, ModuleType)) or hasattr(kind, "is_criterion"):
        return {}
    if kind.__module__ == "builtins" or not hasattr(value, "__dict__") or _is_compared_by_value(value):
        return {}
    fields: dict[str, Any] = {}
    for base in reversed(kind.__mro__[:-1]):
        fields.update(vars(base))
    fields |= {} if value is kind else vars(value)
    return {name: each for name, each in fields.items() if not (callable(each) or hasattr(type(each), "__get__"))}


def _is_compared_by_value(value: Any) -> bool:
    """Whether an object's class says what it is equal to, and that this lasts."""
    return type(value).__eq__ is not object.__eq__ and type(value).__hash__ is not None


def thawed(static: Static, around: tuple[Value, ...] = ()) -> Value:
    """The value again: lists, dicts and arrays as fresh copies. `around`: those that it becomes a part of."""
    kind, value = static
    if kind is Around:
        return around[value]
    if kind is tuple:
        return tuple(thawed(each, around) for each in value)
    if kind is list:
        made: Value = []
        made.extend(thawed(each, (*around, made)) for each in value)
        return made
    if kind is dict:
        made = {}
        made.update((name, thawed(each, (*around, made))) for name, each in value)
        return made
    if isinstance(value, Const) and kind is Storage:
        return Storage(np.array(value))
    if isinstance(value, Const):
        return Tensor.of(value.value) if issubclass(kind, Tensor) else np.array(value.value)
    return value.value if kind in (_Itself, Record) else value


class Form(NamedTuple):
    """What is left of a value without its arrays."""

    structure: Structure
    leaves: tuple[Static | None, ...]  # None for arrays

    @classmethod
    def of(cls, value: Value, names: Callable[[], frozenset[str]] = frozenset) -> tuple[Form, list]:
        """The form of a value, and its arrays. `names`: those of attributes that count in other objects in it."""
        leaves, structure = jax.tree.flatten(value, is_leaf=lambda each: each is None)
        counting = NO_NAMES if all(map(is_simple, leaves)) else names()
        form = cls(structure, tuple(None if is_array(each) else frozen(each, counting) for each in leaves))
        return form, [each for each in leaves if is_array(each)]

    def filled(self, arrays: Iterable) -> Value:
        """The value with these arrays, as tensors."""
        rest = iter(arrays)
        return self.structure.unflatten([wrapped(next(rest)) if leaf is None else thawed(leaf) for leaf in self.leaves])

    def arguments(self, input: Value) -> tuple[tuple, dict[str, Value]]:
        """(arguments, keyword arguments) with these arrays: a table of them, or the only one itself."""
        return self.filled([input] if self.leaves.count(None) == 1 else input)


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
        return ((wrapped(self.arrays),), {}) if self.form is None else self.form.arguments(self.arrays)


def only_input(who: str, args: tuple, kwargs: dict[str, Value]) -> Value:
    """The one argument of a module that takes no others. Raises TypeError if there are."""
    if len(args) != 1 or kwargs:
        given = f"{len(args)} arguments and the keywords {list(kwargs)}"
        raise TypeError(f"{who}: expected one input (a table, where it takes several), got {given}")
    return args[0]


def one_by_one(method: Callable, args: tuple) -> tuple:
    """The arguments of a call of a method; the entries of one table where the method takes no fewer than two."""
    if len(args) == 1 and isinstance(args[0], (list, tuple)) and not _takes_one(method):
        return tuple(args[0])
    return args


@lru_cache(1024)
def _takes_one(method: Callable) -> bool:
    try:
        inspect.signature(method).bind(None, None)  # the object, and one argument
    except TypeError:
        return False
    return True


def split(
    args: tuple, kwargs: dict[str, Value], names: Callable[[], frozenset[str]] = frozenset
) -> tuple[Form | None, Value]:
    """(form, input) of a call; the form is None where it has one argument, which is the input, as of other modules.

    `names`: those of attributes that count in other objects among the arguments.
    """
    if len(args) == 1 and not kwargs and not isinstance(args[0], (str, int, float, type(None))):
        return None, args[0]
    form, arrays = Form.of((args, kwargs), names)
    return form, arrays[0] if len(arrays) == 1 else arrays


def array_of(given: Value, what: str = "expected tensors, got") -> Value:
    """What is given inside a trace, as arrays. Raises TypeError, with `what` before the value, for what is none."""
    try:
        return jax.tree.map(jax.numpy.asarray, unwrapped(given))
    except (TypeError, ValueError):
        leaves = [each for each in jax.tree.leaves(unwrapped(given)) if not isinstance(each, (*NUMBERS, *ARRAYS))]
        wrong = core.describe(leaves[0] if leaves else given)
        raise TypeError(f"{what} {wrong}, which is no tensor, nor a table of them") from None
