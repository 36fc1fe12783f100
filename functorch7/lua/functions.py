"""Functions of Python's in the forms in which Lua calls them."""

from __future__ import annotations

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
from ..legacy.tensors.storage import Storage
from ..legacy.tensors.tensor import Tensor
from .arguments import counted, listed
from .errors import shown
from .kinds import Crossing


def in_lua(function: Callable, kind: type) -> Callable:
    """A method of a class as Lua has it, where that is another than Python's."""
    if function is Node.split:
        return unpacked(function)
    if function is Tensor.cdata:
        return itself
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
    """The tensor stands for what C has of it, which Lua's programs hand on to nn's functions in C."""
    return tensor


def parameters_if_any(module: Parameters) -> tuple | None:
    """As in Torch, a layer without parameters gives nil, and a container tables."""
    found = Parameters.parameters(module)  # what a class of Lua's has in its place calls this
    return found if found[0] else None


def style_of_columns(logger: Logger, symbols: Crossing) -> Crossing:
    """As in Torch, styles of columns that are not there are styles that nobody asks for."""
    if isinstance(symbols, dict):
        symbols = {name: style for name, style in symbols.items() if name in logger.symbols}
    elif isinstance(symbols, list):
        symbols = symbols[: len(logger.names)]
    return logger.style(symbols)


@cache
def unpacked(function: Callable) -> Callable:
    """A function whose list of results is several results."""
    return lambda *given: tuple(function(*given))


@cache
def with_total_weight(function: Callable) -> Callable:
    """What gives a loss of classes gives the total of their weights, too, as Torch's ClassNLLCriterion does."""

    @wraps(function)
    def called(criterion: OfClasses, *given: Crossing) -> tuple:
        loss = function(criterion, *given)
        return loss if isinstance(loss, tuple) else (loss, criterion.total_weight_tensor[1])

    return called


@cache
def adding_none(function: Callable) -> Callable:
    """What adds a module adds none for nil, as Torch's `table.insert` does: classes whose modules come later say so."""

    @wraps(function)
    def called(container: Container, *given: Crossing) -> Crossing:
        return function(container, *given) if given and given[0] is not None else container

    return called


@cache
def called_either_way(kind: type, function: Callable) -> Callable:
    """A function of a class, called with a dot, or with a colon and so with an object before the other arguments."""
    return lambda *given: function(*(given[1:] if given and isinstance(given[0], kind) else given))


METAMETHODS = {
    "__add": "add", "__sub": "sub", "__mul": "mul", "__div": "truediv", "__unm": "neg", "__mod": "mod", "__pow": "pow",
    "__lt": "lt", "__le": "le",
}  # fmt: skip
"""Operators that Lua's programs may define for tensors of a type, and Python's names of them."""


def by_type(usual: Callable | None, reflected: bool = False) -> Callable:
    """A method that is another for tensors of some types, which its attribute `by_type` has.

    A reflected one is that of an operator whose first operand is no tensor: what Lua has written gets that first.
    """
    others: dict[str, Callable] = {}

    def method(self: Crossing, *given: Crossing) -> Crossing:
        """What a program in Lua has written for tensors of this type."""
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
    """What an operator does with tensors or storages, whatever Lua defines for their types."""
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
    """What makes tensors or storages of a type."""
    make = getattr(torch, type_name.removeprefix("torch."))
    return lambda *given: make(*given)


def special_field(owner: object, name: str) -> Crossing:
    """A field by which Torch's types are asked for, or one that is not looked for in a class."""
    if name == "new" and isinstance(owner, (Tensor, Storage)):
        return maker(owner.type())
    if name == "__typename":  # which in Torch is in the metatable
        return torch.typename(owner)
    return getattr(owner, "__dict__", {}).get(name)


def item(owner: Crossing, key: Crossing = None) -> Crossing:
    """What is at a place: of a list by its position from 1, of a dict under a key, of a tensor at an index."""
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
    """Puts something at a place, as `item` finds it. Raises TypeError for an owner that has no places."""
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
            raise TypeError(f"a {owner.type()} has numbers alone, at indices; it has no field {text(key)}")
        if isinstance(owner, Storage) and kind_of(counted(value)) != "number":
            raise TypeError(f"a {owner.type()} has numbers alone; got {shown(value)}")
        owner[place] = counted(value)
    else:
        owner[_key_in(owner, key)] = value


def element(owner: Crossing, places: list[float]) -> Crossing:
    """What is at a place of several numbers."""
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
    """A place of numbers and ranges, of each of which three numbers have come.

    They are how many it has (-1: it is a number, and no range), the first, and the last.
    """
    lengths, firsts, lasts = parts[::3], parts[1::3], parts[2::3]
    each = zip(lengths, firsts, lasts, strict=True)
    return tuple([first if length < 0 else [first, last][: int(length)] for length, first, last in each])


def _around(owner: Crossing, places: list[float]) -> Tensor | None:
    """The slice of a tensor that the last number of a place is in; None where there is none, of which others tell."""
    if not isinstance(owner, Tensor) or len(places) > owner.ndim:
        return None
    sizes = zip(places, owner.shape, strict=False)
    if not all(0 < place <= size for place, size in sizes):
        return None
    for place in places[:-1]:
        owner = owner.selected(1, int(place))
    return owner


def _key_in(owner: Crossing, key: Crossing) -> Crossing:
    """A key as a dict has it: what Python's cannot have is in a t7.Key there, as in what is read of files."""
    if type(key).__hash__ is not None:
        return key
    return next((each for each in owner if isinstance(each, Key) and each.value is key), Key(key))


def _put_into_list(owner: Any, place: int, value: Any) -> None:
    if value is None:
        del owner[place : place + 1]
    elif type(owner) is ModuleList:
        owner.put(place, value)
    elif place == len(owner):
        owner.append(value)
    else:
        owner[place] = value


def index_of(key: Crossing) -> Crossing:
    """A place in a tensor or storage as Python's take it; None for what is none, under which Torch finds nothing.

    As in Torch's functions in C, fractions are cut off, and texts that are numerals count as numbers.
    """
    key = key.totable() if isinstance(key, Storage) else counted(listed(key))
    if type(key) is list:
        return tuple(key)
    if type(key) is float:
        return int(key)
    return key if type(key) is int or isinstance(key, Tensor) else None
