"""Lua values that Python holds: functions, and values that only Lua understands."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any, NoReturn

from ..checks.tables import as_dict
from ..legacy.tensors.lua_values import OfLua
from .kinds import Bridge, Crossing
from .records import Made, function_record, object_record


class LuaValue(OfLua):
    """A Lua value, kept by Lua as long as this exists: an object of a class without a Python parent.

    Its fields are attributes, and its methods are called as in Python. A copy has copies of the fields, as in Torch. A
    copy of a function, or of what Torch does not write into files (a coroutine), is the value itself.
    """

    __slots__ = ("__weakref__", "border", "reference")

    def __init__(self, border: Bridge, reference: int):
        self.border, self.reference = border, reference

    def __del__(self) -> None:
        self.border.released.append(self.reference)

    def __deepcopy__(self, memo: dict) -> LuaValue:
        found = self.border.answered(self.border.ask.begun_copy(self.reference))
        if found is None:
            return self
        made, fields = found
        memo[id(self)] = made
        if fields is not None:
            self.border.ask.take_fields(made.reference, *self.border.encode(copy.deepcopy(fields, memo)))
        return made

    def __getattr__(self, name: str) -> Any:
        found = None if name.startswith("__") else self.border.answered(self.border.ask.field(self.reference, name))
        if found is None:
            raise AttributeError(f"{self!r} has no field {name!r}")
        return partial(found, self) if isinstance(found, LuaFunction) else found

    def __getitem__(self, key: Crossing) -> Crossing:
        found = self.border.answered(self.border.ask.item(self.reference, *self.border.encode(key)))
        if found is None:
            raise KeyError(key)
        return found

    def lua_type(self) -> str:
        return self.border.ask.type_of(self.reference)

    def entries(self) -> dict:
        return as_dict(self.border.answered(self.border.ask.entries(self.reference)))

    def as_value(self) -> Crossing:
        return self.border.answered(self.border.ask.itself(self.reference))

    def record(self, made: Made, place: str) -> Crossing:
        return object_record(self.border, self.reference, made, place)

    def __call__(self, *given: object) -> Crossing:
        return self.border.call_lua(self.reference, given)

    def __repr__(self) -> str:
        return self.border.ask.describe(self.reference)


class LuaFunction(LuaValue):
    """A Lua function: several results are a tuple, no result is None. Its errors are LuaErrors."""

    __slots__ = ()

    def record(self, made: Made, place: str) -> Crossing:
        return function_record(self.border, self.reference, made, place)

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{self!r} has no field {name!r}")
