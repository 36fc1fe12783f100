"""Functions and their outer variables, for Lua instructions that are executed here."""

from __future__ import annotations

from typing import NamedTuple

from ...legacy.engine.fields import Untraceable
from ..held import LuaFunction
from ..kinds import Crossing
from .code import Code
from .outside import Outside


class Outer(NamedTuple):
    """An outer variable of one of the program's functions; it can only be read."""

    outside: Outside
    function: LuaFunction
    number: int

    def get(self) -> Crossing:
        """Its value, which is noted."""
        return self.outside.found("upvalue", self.function, self.number)

    def set(self, value: Crossing) -> None:
        """Raises Untraceable."""
        raise Untraceable("it sets a variable outside of it")


class Local:
    """A variable that a running function shares with functions it makes; in a register until its block ends."""

    __slots__ = ("place", "registers")

    def __init__(self, registers: list, place: int):
        self.registers, self.place = registers, place

    def get(self) -> Crossing:
        """Its value."""
        return self.registers[self.place]

    def set(self, value: Crossing) -> None:
        """Changes its value."""
        self.registers[self.place] = value

    def close(self) -> None:
        """Moves it out of its register, which is needed for others."""
        self.registers, self.place = [self.get()], 0


class Closure:
    """A function: its code, its outer variables, and the program's function through which it finds global ones."""

    __slots__ = ("code", "function", "variables")

    def __init__(self, code: Code, function: LuaFunction, variables: list[Outer] | list[Outer | Local]):
        self.code, self.function, self.variables = code, function, variables

    @classmethod
    def of(cls, function: LuaFunction, outside: Outside) -> Closure:
        """The closure of one of the program's functions."""
        code = outside.code_of(function)
        return cls(code, function, [Outer(outside, function, i) for i in range(1, len(code.outside) + 1)])
