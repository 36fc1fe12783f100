"""Python's functions in the forms that Lua calls."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

from ..interop.t7 import Key
from ..layers import Node
from ..legacy import torch
from ..legacy.modules.by_step import ByStep
from ..legacy.modules.container import Container
from ..legacy.modules.criterions import OfClasses
from ..legacy.modules.directed import Members
from ..legacy.modules.special import Sequential
from ..legacy.objects.ancestry import names_above
from ..legacy.objects.parameters import Parameters
from ..legacy.objects.tree import ModuleList
from ..legacy.optim import Logger
from ..legacy.tensors.lua_values import kind as kind_of
from ..legacy.tensors.lua_values import text
from ..legacy.tensors.named_errors import is_pythons_own
from ..legacy.tensors.storage import Storage
from ..legacy.tensors.tensor import Tensor
from .arguments import counted, listed
from .errors import name_of, shown
from .kinds import Crossing


def in_lua(function: Callable, kind: type) -> Callable:
    """A method of a class in Lua's form, if it differs from Python's."""
    if function is Node.split:
        return unpacked(function)
    if function is Tensor.cdata:
        return itself
    if function is Tensor.storage:
        return storage_if_any
    if function is Tensor.type:
        return type_of_any
    if function is Logger.style:
        return style_of_columns
    if issubclass(kind, OfClasses) and function.__name__ in ("forward", "updateOutput"):
        return with_total_weight(function)
    if issubclass(kind, Container) and not issubclass(kind, Sequential) and function.__name__ == "add":
        return adding_none(function)
    if function is Parameters.parameters and "nn.Container" not in [kind._class_name(), *names_above(kind)]:
        return parameters_if_any
    return function


def itself(tensor: Tensor) -> Tensor:
    """The tensor itself stands for its C data, which Lua's programs pass to nn's C functions."""
    return tensor


def storage_if_any(tensor: Tensor) -> Storage | None:
    """As in Torch, nil for a tensor that never had elements."""
    return tensor.storage() if len(tensor.storage_) else None


def type_of_any(value: Crossing, name: str | None = None) -> Crossing:
    """As Torch's, which gives the type's name of whatever it is called with, and nil for what has none."""
    if isinstance(value, Tensor):
        return value.type(name)
    return torch.typename(value)


def parameters_if_any(module: Parameters) -> tuple | None:
    """As in Torch, nil for a layer without parameters, but tables for a container."""
    found = Parameters.parameters(module)  # what a class of Lua's has in its place calls this
    return found if found[0] else None


def style_of_columns(logger: Logger, symbols: Crossing) -> Crossing:
    """As in Torch, styles of columns that do not exist are ignored."""
    if isinstance(symbols, dict):
        symbols = {name: style for name, style in symbols.items() if name in logger.symbols}
    elif isinstance(symbols, list):
        symbols = symbols[: len(logger.names)]
    return logger.style(symbols)


@cache
def unpacked(function: Callable) -> Callable:
    """A function that returns its list of results as several results."""
    return lambda *given: tuple(function(*given))


@cache
def with_total_weight(function: Callable) -> Callable:
    """A function that also returns the total weight after the loss, as Torch's ClassNLLCriterion does."""

    @wraps(function)
    def called(criterion: OfClasses, *given: Crossing) -> tuple:
        loss = function(criterion, *given)
        return loss if isinstance(loss, tuple) else (loss, criterion._total_weight())

    return called


@cache
def adding_none(function: Callable) -> Callable:
    """A method that adds nothing for nil, like Torch's `table.insert`: classes whose modules come later use this."""

    @wraps(function)
    def called(container: Container, *given: Crossing) -> Crossing:
        return function(container, *given) if given and given[0] is not None else container

    return called


@cache
def called_either_way(kind: type, function: Callable) -> Callable:
    """A function of a class that is called with a dot, or with a colon and thus with an object as first argument."""
    return lambda *given: function(*(given[1:] if given and isinstance(given[0], kind) else given))


METAMETHODS = {
    "__add": "add", "__sub": "sub", "__mul": "mul", "__div": "truediv", "__unm": "neg", "__mod": "mod", "__pow": "pow",
    "__lt": "lt", "__le": "le",
}  # fmt: skip
"""Operators that Lua programs may define for tensors of a type, with Python's names."""


def by_type(usual: Callable | None, reflected: bool = False) -> Callable:
    """A method that differs for some types of tensors, which are in its attribute `by_type`.

    A reflected one belongs to an operator whose first operand is not a tensor; Lua's function gets that operand first.
    """
    others: dict[str, Callable] = {}

    def method(self: Crossing, *given: Crossing) -> Crossing:
        """What the Lua program has defined for tensors of this type."""
        named = self.type() if isinstance(self, (Tensor, Storage)) else "table"  # as cat takes it
        found = others.get(named)
        if found is not None:
            return found(*given, self) if reflected else found(self, *given)
        if usual is None:
            raise AttributeError(f"{named} has no such method")
        return usual(self, *given)

    method.by_type, method.usual = others, usual  # type: ignore[attr-defined]
    method.__module__ = getattr(usual, "__module__", __name__)  # by which it is known what it takes
    return method


@cache
def operation(kind: type, key: str) -> Callable | None:
    """An operator of tensors or storages, without what Lua defines for their types."""
    name = METAMETHODS[key]
    found: list[Crossing] = [getattr(kind, f"__{each}__", None) for each in (name, f"r{name}")]
    forward, backward = (getattr(each, "usual", each) for each in found)

    def operated(left: Crossing, right: Crossing = None) -> Crossing:
        if key == "__unm":
            return forward(left)
        return forward(left, right) if isinstance(left, kind) or backward is None else backward(right, left)

    return None if forward is None else operated


@cache
def maker(type_name: str) -> Callable:
    """A function that makes tensors or storages of a type."""
    make = getattr(torch, type_name.removeprefix("torch."))
    return lambda *given: make(*given)


def special_field(owner: object, name: str) -> Crossing:
    """A field that asks for Torch's type, or one that is not looked up in the class."""
    if name == "new" and isinstance(owner, (Tensor, Storage)):
        return maker(owner.type())
    if name == "__typename":  # which in Torch is in the metatable
        return torch.typename(owner)
    return getattr(owner, "__dict__", {}).get(name)


def item(owner: Crossing, key: Crossing = None) -> Crossing:
    """The value at a place: a position from 1 in a list, a key in a dict, an index in a tensor."""
    if isinstance(owner, (Tensor, Storage)):
        place = index_of(key)
        return None if place is None else owner[place]
    if type(owner) is ModuleList:
        return owner.get(key - 1) if isinstance(key, int) else None
    if type(owner) is list:
        return owner[key - 1] if isinstance(key, int) and 1 <= key <= len(owner) else None
    if isinstance(owner, (dict, ByStep, Members)):
        return owner.get(_key_in(owner, key))
    return owner[key] if hasattr(owner, "__getitem__") else None


def put_item(owner: Crossing, key: Crossing, value: Crossing) -> None:
    """Sets the value that `item` finds. Raises TypeError for an owner without places."""
    if type(owner) in (list, ModuleList):
        _put_into_list(owner, key - 1, value)
    elif isinstance(owner, Members):
        owner.put(key, value)
    elif isinstance(owner, dict) and value is None:
        owner.pop(_key_in(owner, key), None)
    elif not hasattr(owner, "__setitem__"):
        raise TypeError(f"{owner!r}: expected the name of a field, got {key!r}")
    elif isinstance(owner, (Tensor, Storage)):  # which take texts as Lua's own arithmetic does
        place = index_of(key)
        if place is None:
            raise TypeError(f"a {owner.type()} holds only numbers, at indices; it has no field {text(key)}")
        if isinstance(owner, Storage) and kind_of(counted(value)) != "number":
            raise TypeError(f"a {owner.type()} holds only numbers; got {shown(value)}")
        owner[place] = counted(value)
    else:
        owner[_key_in(owner, key)] = value


def element(owner: Crossing, places: list[float]) -> Crossing:
    """The value at a place of several numbers."""
    around = _around(owner, places)
    return item(owner, places) if around is None else around[int(places[-1])]


def put_element(owner: Crossing, places: list[float], value: float) -> None:
    """Puts a number there."""
    around = _around(owner, places)
    if around is None:
        put_item(owner, places, value)
    else:
        around[int(places[-1])] = value


def place_of(parts: tuple[float, ...]) -> tuple:
    """A place of numbers and ranges, each given by three numbers.

    These are its length (-1: a number, not a range), its first and its last number.
    """
    lengths, firsts, lasts = parts[::3], parts[1::3], parts[2::3]
    each = zip(lengths, firsts, lasts, strict=True)
    return tuple([first if length < 0 else [first, last][: int(length)] for length, first, last in each])


def _around(owner: Crossing, places: list[float]) -> Tensor | None:
    """The slice of a tensor that contains a place's last number; None if there is none, which others report."""
    if not isinstance(owner, Tensor) or len(places) > owner.ndim:
        return None
    sizes = zip(places, owner.shape, strict=False)
    if not all(0 < place <= size for place, size in sizes):
        return None
    for place in places[:-1]:
        owner = owner.selected(1, int(place))
    return owner


def _key_in(owner: Crossing, key: Crossing) -> Crossing:
    """A dict's key: what cannot be a key in Python is inside a t7.Key, as in what files contain."""
    if type(key).__hash__ is not None:
        return key
    return next((each for each in owner if isinstance(each, Key) and each.value is key), Key(key))


def _put_into_list(owner: Any, place: int, value: Any) -> None:
    if type(owner) is ModuleList:
        owner.put(place, value)
    elif value is None:
        del owner[place : place + 1]
    elif place == len(owner):
        owner.append(value)
    else:
        owner[place] = value


def index_of(key: Crossing) -> Crossing:
    """A place in a tensor or storage in Python's form; None for what is not a place, where Torch finds nothing.

    As in Torch's C functions, fractions are cut off, and numeric texts count as numbers.
    """
    key = key.totable() if isinstance(key, Storage) else counted(listed(key))
    if type(key) is list:
        return tuple(key)
    if type(key) is float:
        return int(key)
    return key if type(key) is int or isinstance(key, Tensor) else None


OPERATORS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "mod": operator.mod,
    "pow": operator.pow, "unm": lambda value, _: -value, "lt": operator.lt, "le": operator.le,
}  # fmt: skip
"""Those that calculate, by Lua's names."""


def calculated(function: Callable, left: Crossing, right: Crossing = None) -> Crossing:
    """What an operator gives."""
    try:
        return function(counted(left), counted(right))
    except TypeError as error:
        if not is_pythons_own(error):
            raise
        raise TypeError(f"attempt to calculate with {name_of(left)} and {name_of(right)}") from None
