"""Functions and the variables around them, where Lua's instructions are carried out here."""

from __future__ import annotations

from typing import NamedTuple

from ...legacy.engine.fields import Untraceable
from ..held import LuaFunction
from ..kinds import Crossing
from .code import Code
from .outside import Outside


class Outer(NamedTuple):
    """A variable around a function of the program's, which is only read."""

    outside: Outside
    function: LuaFunction
    number: int

    def get(self) -> Crossing:
        """What it holds, which is noted."""
        return self.outside.found("upvalue", self.function, self.number)

    def set(self, value: Crossing) -> None:
        """Raises Untraceable."""
        raise Untraceable("it sets a variable outside of it")


class Local:
    """A variable of a function that runs, and of those that it makes: in a register, until its block is left."""

    __slots__ = ("place", "registers")

    def __init__(self, registers: list, place: int):
        self.registers, self.place = registers, place

    def get(self) -> Crossing:
        """What it holds."""
        return self.registers[self.place]

    def set(self, value: Crossing) -> None:
        """Lets it hold something else."""
        self.registers[self.place] = value

    def close(self) -> None:
        """Takes it out of its register, which others need."""
        self.registers, self.place = [self.get()], 0


class Closure:
    """A function: its code, the variables around it, and the program's function by which it finds global ones."""

    __slots__ = ("code", "function", "variables")

    def __init__(self, code: Code, function: LuaFunction, variables: list[Outer] | list[Outer | Local]):
        self.code, self.function, self.variables = code, function, variables

    @classmethod
    def of(cls, function: LuaFunction, outside: Outside) -> Closure:
        """A function of the program's."""
        code = outside.code_of(function)
        return cls(code, function, [Outer(outside, function, i) for i in range(1, len(code.outside) + 1)])
