"""Carries out the instructions of a Lua function, on values that may be traced.

What the function computes may follow from its arguments, the fields of its object, and what is outside of it and
noted (`outside.py`) alone: whatever else it asks for, or would change, is refused by Untraceable.
"""

from __future__ import annotations

import operator

from ...legacy.engine.fields import Untraceable
from ...legacy.engine.known_users import known
from ..held import LuaFunction
from ..kinds import Crossing
from .access import Access
from .closures import Closure, Local, Outer
from .code import Instruction, Place
from .library import LIBRARY
from .outside import Outside
from .values import Builtin, Table, are_equal, arithmetic, concatenated, is_less, is_true, number

MOST = 200_000
"""So many instructions are carried out in one call of a method: those of a loop of a program cost much more here."""

DEEPEST = 50

PRIMITIVES = (None, False, True)
VN = {"ADDVN": operator.add, "SUBVN": operator.sub, "MULVN": operator.mul, "DIVVN": operator.truediv}
NV = {"ADDNV": operator.add, "SUBNV": operator.sub, "MULNV": operator.mul, "DIVNV": operator.truediv}
VV = {"ADDVV": operator.add, "SUBVV": operator.sub, "MULVV": operator.mul, "DIVVV": operator.truediv}
MOD = {"MODVN": "VN", "MODNV": "NV", "MODVV": "VV"}
COMPARED = ("ISLT", "ISGE", "ISLE", "ISGT", "ISEQV", "ISNEV", "ISEQS", "ISNES", "ISEQN", "ISNEN", "ISEQP", "ISNEP")
USET = ("USETV", "USETS", "USETN", "USETP")
ITERATED = ("ITERC", "ITERN")
SKIPPED = ("LOOP", "ILOOP", "JLOOP")


class Machine:
    """One call of a method."""

    def __init__(self, border: object, outside: Outside):
        self.border, self.outside = border, outside
        self.access = Access(border, outside)
        self.steps = self.depth = 0

    def called(self, function: Closure, given: list) -> list:
        """What a function of Lua's gives for these values."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise Untraceable("it calls itself")
        try:
            return _Frame(self, function, given).run()
        finally:
            self.depth -= 1

    def call(self, function: object, given: list) -> list:
        """What anything that can be called gives."""
        if isinstance(function, LuaFunction):
            return self.called(Closure.of(function, self.outside), given)
        if isinstance(function, Closure):
            return self.called(function, given)
        if isinstance(function, Builtin):
            return LIBRARY[function.name](self, given)
        return self.access.called(function, given)


def run(function: LuaFunction, user: Crossing, given: tuple) -> Crossing:
    """What a method gives for a stand-in and these arguments, tensors and tables of them."""
    outside = known(user._run.kind).found
    assert isinstance(outside, Outside)  # as of all classes that Lua has made
    machine = Machine(function.border, outside)
    results = machine.call(function, [user, *map(machine.access.to_lua, given)])
    return machine.access.to_python(results[0]) if results else None


class _Frame:
    """A function while it runs: its registers, and where it is."""

    def __init__(self, machine: Machine, function: Closure, given: list):
        code = function.code
        self.machine, self.function, self.code, self.access = machine, function, code, machine.access
        self.registers: list[Crossing] = [None] * (code.registers + 1)
        self.registers[: code.parameters] = (given + [None] * code.parameters)[: code.parameters]
        self.others = given[code.parameters :] if code.is_variadic else []
        self.several: list = []  # the results of the last call, where they are as many as it gave
        self.place = 0
        self.shared: dict[int, Local] = {}  # by register the variables that functions made here have, too

    def run(self) -> list:
        instructions, machine = self.code.instructions, self.machine
        while True:
            each = instructions[self.place]
            self.place += 1
            machine.steps += 1
            if machine.steps > MOST:
                raise Untraceable("it takes too many steps")
            if each.name.startswith("RET"):
                return self._returned(each)
            if each.name in ("CALLT", "CALLMT"):
                given = self._given(each.a, each.d - 1 if each.name == "CALLT" else each.d)
                return machine.call(self.registers[each.a], given + (self.several if each.name == "CALLMT" else []))
            self._step(each)

    def _returned(self, each: Instruction) -> list:
        registers, a, d = self.registers, each.a, each.d
        if each.name == "RETM":
            return registers[a : a + d] + self.several
        return registers[a : a + (0 if each.name == "RET0" else 1 if each.name == "RET1" else d - 1)]

    def _given(self, a: int, count: int) -> list:
        return self.registers[a + 2 : a + 2 + count]

    def _jump(self, d: int) -> None:
        self.place += d - 0x8000

    def _step(self, each: Instruction) -> None:
        registers, code, access = self.registers, self.code, self.access
        name, a, b, c, d = each
        if name in COMPARED:
            self._branch(self._compared(name, a, d))
        elif name in ("IST", "ISF", "ISTC", "ISFC"):
            taken = is_true(registers[d]) == (name in ("IST", "ISTC"))
            if taken and name.endswith("C"):
                registers[a] = registers[d]
            self._branch(taken)
        elif name == "MOV":
            registers[a] = registers[d]
        elif name == "NOT":
            registers[a] = not is_true(registers[d])
        elif name == "UNM":
            registers[a] = arithmetic(access, operator.mul, -1.0, registers[d], is_negation=True)
        elif name == "LEN":
            registers[a] = access.length(registers[d])
        elif name in VN:
            registers[a] = arithmetic(access, VN[name], registers[b], code.numbers[c])
        elif name in NV:
            registers[a] = arithmetic(access, NV[name], code.numbers[c], registers[b])
        elif name in VV:
            registers[a] = arithmetic(access, VV[name], registers[b], registers[c])
        elif name == "POW" or name in MOD:
            one, other = registers[b], registers[c] if name in ("POW", "MODVV") else code.numbers[c]
            pair = [other, one] if name == "MODNV" else [one, other]
            registers[a] = self.machine.call(Builtin("^" if name == "POW" else "%"), pair)[0]
        elif name == "CAT":
            registers[a] = concatenated(registers[b : c + 1])
        elif name == "KSTR":
            registers[a] = code.objects[d]
        elif name == "KSHORT":
            registers[a] = float(d - 0x10000 if d >= 0x8000 else d)
        elif name == "KNUM":
            registers[a] = code.numbers[d]
        elif name == "KPRI":
            registers[a] = PRIMITIVES[d]
        elif name == "KNIL":
            registers[a : d + 1] = [None] * (d + 1 - a)
        elif name == "UGET":
            registers[a] = self.function.variables[d].get()
        elif name in USET:
            self.function.variables[a].set(self._operand(name, d))
        elif name == "FNEW":
            inner = code.objects[d]
            registers[a] = Closure(inner, self.function.function, [self._variable(each) for each in inner.outside])
        elif name == "GGET":
            registers[a] = self.machine.outside.found("global", self.function.function, code.objects[d])
        elif name == "TNEW":
            registers[a] = Table({})
        elif name == "TDUP":
            registers[a] = Table(dict(code.objects[d]))
        elif name in ("TGETV", "TGETS", "TGETB"):
            registers[a] = access.item(registers[b], self._key(name, c))
        elif name in ("TSETV", "TSETS", "TSETB"):
            access.set_item(registers[b], self._key(name, c), registers[a])
        elif name == "TSETM":
            first = int(code.numbers[d] - 2.0**52)
            for i, value in enumerate(self.several):
                access.set_item(registers[a - 1], float(first + i), value)
        elif name in ("CALL", "CALLM", *ITERATED):
            self._call(each)
        elif name == "VARG":
            self._put(a, b, self.others)
        else:
            self._loop(each)

    def _operand(self, name: str, d: int) -> Crossing:
        """What an instruction's last operand stands for, of which kind its last letter says."""
        return {"V": self.registers, "S": self.code.objects, "N": self.code.numbers, "P": PRIMITIVES}[name[-1]][d]

    def _variable(self, place: Place) -> Outer | Local:
        """A variable for a function that is made here."""
        if not place.is_register:
            return self.function.variables[place.number]
        return self.shared.setdefault(place.number, Local(self.registers, place.number))

    def _key(self, name: str, c: int) -> Crossing:
        if name.endswith("V"):
            return self.registers[c]
        return self.code.objects[c] if name.endswith("S") else float(c)

    def _branch(self, taken: bool) -> None:
        """Every test is followed by a jump, which is made or left out."""
        jump = self.code.instructions[self.place]
        self.place += 1
        if taken:
            self._jump(jump.d)

    def _compared(self, name: str, a: int, d: int) -> bool:
        one = self.registers[a]
        if name.startswith(("ISEQ", "ISNE")):
            return are_equal(one, self._operand(name, d)) == name.startswith("ISEQ")
        other = self.registers[d]
        if name in ("ISLT", "ISGE"):
            return is_less(one, other) == (name == "ISLT")
        return is_less(one, other, True) == (name == "ISLE")

    def _put(self, a: int, b: int, results: list) -> None:
        """Puts results into registers: b - 1 of them, or all that there are, which the next instruction takes."""
        if b == 0:
            self.several = results
            self.registers += [None] * (a + len(results) - len(self.registers))
        else:
            self.registers[a : a + b - 1] = (results + [None] * (b - 1))[: b - 1]

    def _call(self, each: Instruction) -> None:
        name, a, b, c, _ = each
        if name in ITERATED:
            self._put(a, b, self.machine.call(self.registers[a - 3], self.registers[a - 2 : a]))
            return
        given = self._given(a, c if name == "CALLM" else c - 1) + (self.several if name == "CALLM" else [])
        self._put(a, b, self.machine.call(self.registers[a], given))

    def _loop(self, each: Instruction) -> None:
        name, a, _, _, d = each
        registers = self.registers
        if name in ("JMP", "ISNEXT"):
            self._jump(d)
        elif name == "ITERL":
            if registers[a] is not None:
                registers[a - 1] = registers[a]
                self._jump(d)
        elif name in ("FORI", "FORL"):
            index, stop, step = (number(value) for value in registers[a : a + 3])
            index = index if name == "FORI" else index + step
            goes_on = index <= stop if step >= 0 else index >= stop
            registers[a] = index
            if goes_on:
                registers[a + 3] = index
            if goes_on == (name == "FORL"):
                self._jump(d)
        elif name == "UCLO":
            for place in [place for place in self.shared if place >= a]:
                self.shared.pop(place).close()
            self._jump(d)
        elif name == "GSET":
            raise Untraceable("it sets a variable outside of it")
        elif name not in SKIPPED:
            raise Untraceable(f"it has an instruction {name}")
