"""Lua's own functions that only compute."""

from __future__ import annotations

from collections.abc import Callable

from ...legacy import torch
from ...legacy.engine.fields import Untraceable
from ...legacy.tensors.storage import Storage
from ...legacy.tensors.tensor import Tensor
from ..held import LuaValue
from ..kinds import Crossing
from .closures import Closure
from .values import Builtin, Table, is_traced, is_true, number, text_of

TABLES = (Table, LuaValue)
"""Tables that the function has made, and tables outside."""


def _type(value: object) -> str:
    """The result of Lua's type, except for objects."""
    if value is None:
        return "nil"
    if is_traced(value) or type(value) is float:
        return "number"
    for kind, name in ((bool, "boolean"), (str, "string"), (Table, "table"), ((Builtin, Closure), "function")):
        if isinstance(value, kind):
            return name
    if isinstance(value, (Tensor, Storage)):
        return "userdata"
    raise Untraceable(f"it asks for the type of a {type(value).__name__}")


def _torch_type(_: object, given: list) -> list:
    value = given[0]
    return [torch.typename(value) if isinstance(value, (Tensor, Storage)) else _type(value)]


def _typename(_: object, given: list) -> list:
    return [torch.typename(given[0]) if isinstance(given[0], (Tensor, Storage)) else None]


def _select(_: object, given: list) -> list:
    if given[0] == "#":
        return [float(len(given) - 1)]
    first = int(number(given[0]))
    if first < 1:
        raise Untraceable("it selects from the end")
    return given[first:]


def _unpack(machine: Crossing, given: list) -> list:
    table, access = given[0], machine.access
    if type(table) not in TABLES or len(given) > 1:
        raise Untraceable("it unpacks something else than a table")
    return [access.item(table, float(i)) for i in range(1, int(access.length(table)) + 1)]


def _next_item(machine: Crossing, given: list) -> list:
    position = number(given[1]) + 1
    found = machine.access.item(given[0], position)
    return [None] if found is None else [position, found]


def _ipairs(_: object, given: list) -> list:
    return [Builtin("ipairs' iterator"), _table(given), 0.0]


def _pairs(_: Crossing, given: list) -> list:
    return [Builtin("next"), _table(given), None]


def _table(given: list) -> Crossing:
    if not given or type(given[0]) not in TABLES:
        raise Untraceable("it goes through something else than a table")
    return given[0]


def _next(machine: Crossing, given: list) -> list:
    table, before = _table(given), given[1] if len(given) > 1 else None
    if isinstance(table, Table):
        keys = table.keys()
        key = next(iter(keys[0 if before is None else keys.index(before) + 1 :]), None)
    elif before is None:
        key = machine.outside.found("first", table, False)
    else:
        key = machine.outside.found("next", table, before)
    if not (key is None or type(key) in (float, str) or isinstance(table, Table)):
        raise Untraceable("it goes through a table whose keys are no numbers or names")
    return [None] if key is None else [key, machine.access.item(table, key)]


def _assert(_: object, given: list) -> list:
    if not given or not is_true(given[0]):
        raise Untraceable("an assertion of it fails")
    return given


def _tonumber(_: object, given: list) -> list:
    if len(given) != 1 or not (type(given[0]) is float or is_traced(given[0])):
        raise Untraceable("it makes numbers of something else")
    return given


def _insert(_: object, given: list) -> list:
    if len(given) != 2 or not isinstance(given[0], Table) or given[0].is_given:
        raise Untraceable("it inserts into something outside of it")
    given[0].items[given[0].length() + 1] = given[1]
    return []


def _by_lua(name: str) -> Callable:
    """A function of numbers and strings that Lua itself computes."""

    def found(machine: Crossing, given: list) -> list:
        plain = [value if type(value) is str else number(value) for value in given]
        result = machine.border.ask.computed(name, *plain)
        results = result if isinstance(result, tuple) else (result,)
        return [each if type(each) is str else float(each) for each in results]

    return found


MATHS = (
    "abs acos asin atan atan2 ceil cos cosh deg exp floor fmod ldexp log log10 max min modf pow rad sin sinh sqrt "
    "tan tanh"
).split()

STRINGS = ("format", "len", "lower", "rep", "sub", "upper")

LIBRARY: dict[str, Callable[[Crossing, list], list]] = {
    "type": lambda _, given: [_type(given[0])],
    "tostring": lambda _, given: [text_of(given[0])],
    "tonumber": _tonumber,
    "select": _select,
    "unpack": _unpack,
    "next": _next,
    "pairs": _pairs,
    "ipairs": _ipairs,
    "ipairs' iterator": _next_item,
    "assert": _assert,
    "table.insert": _insert,
    "table.getn": lambda _, given: [given[0].length()],
    "torch.type": _torch_type,
    "torch.typename": _typename,
    "torch.isTensor": lambda _, given: [isinstance(given[0], Tensor)],
    **{f"math.{name}": _by_lua(f"math.{name}") for name in MATHS},
    **{f"string.{name}": _by_lua(f"string.{name}") for name in STRINGS},
    "^": _by_lua("^"),
    "%": _by_lua("%"),
}
"""By name: a function of the machine and the arguments that returns a list of results."""
