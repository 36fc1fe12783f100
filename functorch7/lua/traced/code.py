"""The instructions of a Lua function, as LuaJIT's `string.dump` writes them."""

from __future__ import annotations

import struct
from typing import NamedTuple

from ..kinds import Crossing

NAMES = (
    "ISLT ISGE ISLE ISGT ISEQV ISNEV ISEQS ISNES ISEQN ISNEN ISEQP ISNEP ISTC ISFC IST ISF ISTYPE ISNUM "
    "MOV NOT UNM LEN "
    "ADDVN SUBVN MULVN DIVVN MODVN ADDNV SUBNV MULNV DIVNV MODNV ADDVV SUBVV MULVV DIVVV MODVV POW CAT "
    "KSTR KCDATA KSHORT KNUM KPRI KNIL UGET USETV USETS USETN USETP UCLO FNEW TNEW TDUP GGET GSET "
    "TGETV TGETS TGETB TGETR TSETV TSETS TSETB TSETM TSETR CALLM CALL CALLMT CALLT ITERC ITERN VARG ISNEXT "
    "RETM RET RET0 RET1 FORI JFORI FORL IFORL JFORL ITERL IITERL JITERL LOOP ILOOP JLOOP JMP"
).split()
"""LuaJIT 2.1's instructions, in the order of their numbers."""

HEAD, VERSION, STRIPPED, TWO_SLOTS = b"\x1bLJ", 2, 2, 8
VARIADIC = 2
IN_REGISTER = 0x8000


class Instruction(NamedTuple):
    """One instruction: its name and operands; `d` combines b and c."""

    name: str
    a: int
    b: int
    c: int
    d: int


class Place(NamedTuple):
    """Where a function has a variable of a function that it makes: in a register, or among its own outer variables."""

    is_register: bool
    number: int


class Code(NamedTuple):
    """A function: its numbers of parameters and registers, its instructions, and their constants."""

    parameters: int
    registers: int
    is_variadic: bool
    instructions: list[Instruction]
    objects: list[Crossing]  # strings, tables as dicts, and the code of functions that it makes
    numbers: list[float]
    outside: list[Place]  # where its maker has the variables around it


class Unreadable(ValueError):
    """Raised for code that is not LuaJIT 2.1's."""


class _Reader:
    def __init__(self, text: bytes):
        self.text, self.place = text, 0
        self.inner: list[Code] = []  # functions that another makes, which come before it

    def byte(self) -> int:
        self.place += 1
        return self.text[self.place - 1]

    def bytes(self, count: int) -> bytes:
        self.place += count
        return self.text[self.place - count : self.place]

    def number(self) -> int:
        """A number in groups of seven bits, the lowest first."""
        found = shift = 0
        while True:
            byte = self.byte()
            found |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return found

    def text_of(self, length: int) -> str:
        return self.bytes(length).decode("latin-1")

    def table(self) -> dict:
        """The constant entries of a table, positions from 0 on first."""
        places, pairs = self.number(), self.number()
        found = {float(i): self.entry() for i in range(places)}
        for _ in range(pairs):
            key = self.entry()
            if isinstance(key, bool):  # which Python takes for a number
                raise Unreadable("true or false as a key")
            found[key] = self.entry()
        return {key: value for key, value in found.items() if value is not None}

    def entry(self) -> Crossing:
        kind = self.number()
        if kind >= 5:
            return self.text_of(kind - 5)
        if kind == 3:
            return float(_signed(self.number()))
        if kind == 4:
            return _double(self.number(), self.number())
        return (None, False, True)[kind]

    def code(self) -> Code:
        flags, parameters, registers, outside = self.byte(), self.byte(), self.byte(), self.byte()
        objects, numbers, instructions = self.number(), self.number(), self.number()
        read = [self._instruction() for _ in range(instructions)]
        around = [self._place() for _ in range(outside)]
        held = [self._object() for _ in range(objects)][::-1]
        constants = [self._constant() for _ in range(numbers)]
        return Code(parameters, registers, bool(flags & VARIADIC), read, held, constants, around)

    def _instruction(self) -> Instruction:
        operation, a, c, b = self.bytes(4)
        if operation >= len(NAMES):
            raise Unreadable(f"an instruction {operation}")
        return Instruction(NAMES[operation], a, b, c, b << 8 | c)

    def _place(self) -> Place:
        low, high = self.bytes(2)
        found = high << 8 | low
        return Place(bool(found & IN_REGISTER), low)

    def _object(self) -> Crossing:
        kind = self.number()
        if kind >= 5:
            return self.text_of(kind - 5)
        if kind > 1:
            raise Unreadable("a number of C's")
        return self.table() if kind == 1 else self.inner.pop()

    def _constant(self) -> float:
        low = self.number()
        return _double(low >> 1, self.number()) if low & 1 else float(_signed(low >> 1))


def _signed(number: int) -> int:
    return number - (1 << 32) if number >= 1 << 31 else number


def _double(low: int, high: int) -> float:
    return struct.unpack("<d", struct.pack("<II", low & 0xFFFFFFFF, high))[0]


def read(text: bytes) -> Code:
    """Reads a function's code without debug information. Raises Unreadable for what LuaJIT 2.1 does not write."""
    reader = _Reader(text)
    if reader.bytes(3) != HEAD or reader.byte() != VERSION or reader.number() != STRIPPED | TWO_SLOTS:
        raise Unreadable("a head of another LuaJIT")
    while length := reader.number():
        end = reader.place + length
        reader.inner.append(reader.code())
        if reader.place != end:
            raise Unreadable("another length")
    if not reader.inner:
        raise Unreadable("no code")
    return reader.inner.pop()
