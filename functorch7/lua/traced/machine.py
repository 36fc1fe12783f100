"""Executes the instructions of a Lua function on values that may be traced.

The result may depend only on the arguments, the fields of the object, and what is outside and noted (`outside.py`). If
the function asks for anything else, or would change it, Untraceable is raised.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

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
"""How many instructions one call of a method may take: they cost much more here than in Lua."""

DEEPEST = 50

PRIMITIVES = (None, False, True)
COMPARED = ("ISLT", "ISGE", "ISLE", "ISGT", "ISEQV", "ISNEV", "ISEQS", "ISNES", "ISEQN", "ISNEN", "ISEQP", "ISNEP")
USET = ("USETV", "USETS", "USETN", "USETP")
ITERATED = ("ITERC", "ITERN")


class Machine:
    """One call of a method."""

    def __init__(self, border: object, outside: Outside):
        self.border, self.outside = border, outside
        self.access = Access(border, outside)
        self.steps = self.depth = 0

    def called(self, function: Closure, given: list) -> list:
        """The results of a Lua function."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise Untraceable("it calls itself")
        try:
            return _Frame(self, function, given).run()
        finally:
            self.depth -= 1

    def call(self, function: object, given: list) -> list:
        """The results of anything that can be called."""
        if isinstance(function, LuaFunction):
            return self.called(Closure.of(function, self.outside), given)
        if isinstance(function, Closure):
            return self.called(function, given)
        if isinstance(function, Builtin):
            return LIBRARY[function.name](self, given)
        return self.access.called(function, given)


def run(function: LuaFunction, user: Crossing, given: tuple) -> Crossing:
    """The result of a method of a stand-in for these arguments, tensors and tables of them."""
    outside = known(user._run.kind).code
    assert isinstance(outside, Outside)  # as of all classes that Lua has made
    machine = Machine(function.border, outside)
    results = machine.call(function, [user, *map(machine.access.to_lua, given)])
    return machine.access.to_python(results[0]) if results else None


class _Frame:
    """A running function: its registers and its position."""

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
            if each.name not in STEPS:
                raise Untraceable(f"it has an instruction {each.name}")
            STEPS[each.name](self, each)

    def _returned(self, each: Instruction) -> list:
        registers, a, d = self.registers, each.a, each.d
        if each.name == "RETM":
            return registers[a : a + d] + self.several
        return registers[a : a + (0 if each.name == "RET0" else 1 if each.name == "RET1" else d - 1)]

    def _given(self, a: int, count: int) -> list:
        return self.registers[a + 2 : a + 2 + count]

    def _jump(self, d: int) -> None:
        self.place += d - 0x8000

    def _operand(self, name: str, d: int) -> Crossing:
        """The value of an instruction's last operand, whose kind is the last letter of its name."""
        return {"V": self.registers, "S": self.code.objects, "N": self.code.numbers, "P": PRIMITIVES}[name[-1]][d]

    def _variable(self, place: Place) -> Outer | Local:
        """A variable for a function that is being made."""
        if not place.is_register:
            return self.function.variables[place.number]
        return self.shared.setdefault(place.number, Local(self.registers, place.number))

    def _key(self, name: str, c: int) -> Crossing:
        if name.endswith("V"):
            return self.registers[c]
        return self.code.objects[c] if name.endswith("S") else float(c)

    def _branch(self, taken: bool) -> None:
        """Makes or skips the jump that follows every test."""
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
        """Puts b - 1 results into registers, or (b = 0) all of them, which the next instruction takes."""
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

    def _tested(self, each: Instruction) -> None:
        taken = is_true(self.registers[each.d]) == each.name.startswith("IST")
        if taken and each.name.endswith("C"):
            self.registers[each.a] = self.registers[each.d]
        self._branch(taken)

    def _cleared(self, each: Instruction) -> None:
        self.registers[each.a : each.d + 1] = [None] * (each.d + 1 - each.a)

    def _made(self, each: Instruction) -> Closure:
        inner = self.code.objects[each.d]
        return Closure(inner, self.function.function, [self._variable(place) for place in inner.outside])

    def _put_all(self, each: Instruction) -> None:
        """Puts the results of the last call into a table, from a position that is encoded in a number."""
        first = int(self.code.numbers[each.d] - 2.0**52)
        for i, value in enumerate(self.several):
            self.access.set_item(self.registers[each.a - 1], float(first + i), value)

    def _go_on(self, each: Instruction) -> None:
        """The end of a loop over an iterator."""
        if self.registers[each.a] is not None:
            self.registers[each.a - 1] = self.registers[each.a]
            self._jump(each.d)

    def _count(self, each: Instruction) -> None:
        """The beginning or end of a loop over numbers."""
        a = each.a
        index, stop, step = (number(value) for value in self.registers[a : a + 3])
        index = index if each.name == "FORI" else index + step
        goes_on = index <= stop if step >= 0 else index >= stop
        self.registers[a] = index
        if goes_on:
            self.registers[a + 3] = index
        if goes_on == (each.name == "FORL"):
            self._jump(each.d)

    def _close(self, each: Instruction) -> None:
        for place in [place for place in self.shared if place >= each.a]:
            self.shared.pop(place).close()
        self._jump(each.d)

    def _set_global(self, each: Instruction) -> None:
        raise Untraceable("it sets a variable outside of it")


Step = Callable[[_Frame, Instruction], None]
Value = Callable[[_Frame, Instruction], Crossing]


def _value(value: Value) -> Step:
    """An instruction that puts a value into its first register."""

    def step(frame: _Frame, each: Instruction) -> None:
        frame.registers[each.a] = value(frame, each)

    return step


def _arithmetic(what: Callable, left: Value, right: Value) -> Value:
    return lambda frame, each: arithmetic(frame.access, what, left(frame, each), right(frame, each))


def _by_lua(name: str, left: Value, right: Value) -> Value:
    return lambda frame, each: frame.machine.call(Builtin(name), [left(frame, each), right(frame, each)])[0]


def _b(frame: _Frame, each: Instruction) -> Crossing:
    return frame.registers[each.b]


def _c(frame: _Frame, each: Instruction) -> Crossing:
    return frame.registers[each.c]


def _number(frame: _Frame, each: Instruction) -> Crossing:
    return frame.code.numbers[each.c]


OPERANDS = {"VN": (_b, _number), "NV": (_number, _b), "VV": (_b, _c)}
OPERATORS = {"ADD": operator.add, "SUB": operator.sub, "MUL": operator.mul, "DIV": operator.truediv}

STEPS: dict[str, Step] = {
    **dict.fromkeys(COMPARED, lambda f, i: f._branch(f._compared(i.name, i.a, i.d))),
    **dict.fromkeys(("IST", "ISF", "ISTC", "ISFC"), _Frame._tested),
    "MOV": _value(lambda f, i: f.registers[i.d]),
    "NOT": _value(lambda f, i: not is_true(f.registers[i.d])),
    "UNM": _value(lambda f, i: arithmetic(f.access, operator.mul, -1.0, f.registers[i.d], is_negation=True)),
    "LEN": _value(lambda f, i: f.access.length(f.registers[i.d])),
    **{
        f"{name}{kinds}": _value(_arithmetic(what, *pair))
        for name, what in OPERATORS.items()
        for kinds, pair in OPERANDS.items()
    },
    **{f"MOD{kinds}": _value(_by_lua("%", *pair)) for kinds, pair in OPERANDS.items()},
    "POW": _value(_by_lua("^", _b, _c)),
    "CAT": _value(lambda f, i: concatenated(f.registers[i.b : i.c + 1])),
    "KSTR": _value(lambda f, i: f.code.objects[i.d]),
    "KSHORT": _value(lambda f, i: float(i.d - 0x10000 if i.d >= 0x8000 else i.d)),
    "KNUM": _value(lambda f, i: f.code.numbers[i.d]),
    "KPRI": _value(lambda f, i: PRIMITIVES[i.d]),
    "KNIL": _Frame._cleared,
    "UGET": _value(lambda f, i: f.function.variables[i.d].get()),
    **dict.fromkeys(USET, lambda f, i: f.function.variables[i.a].set(f._operand(i.name, i.d))),
    "FNEW": _value(_Frame._made),
    "GGET": _value(lambda f, i: f.machine.outside.found("global", f.function.function, f.code.objects[i.d])),
    "GSET": _Frame._set_global,
    "TNEW": _value(lambda f, i: Table({})),
    "TDUP": _value(lambda f, i: Table(dict(f.code.objects[i.d]))),
    **dict.fromkeys(
        ("TGETV", "TGETS", "TGETB"), _value(lambda f, i: f.access.item(f.registers[i.b], f._key(i.name, i.c)))
    ),
    **dict.fromkeys(
        ("TSETV", "TSETS", "TSETB"),
        lambda f, i: f.access.set_item(f.registers[i.b], f._key(i.name, i.c), f.registers[i.a]),
    ),
    "TSETM": _Frame._put_all,
    **dict.fromkeys(("CALL", "CALLM", *ITERATED), _Frame._call),
    "VARG": lambda f, i: f._put(i.a, i.b, f.others),
    **dict.fromkeys(("JMP", "ISNEXT"), lambda f, i: f._jump(i.d)),
    "ITERL": _Frame._go_on,
    **dict.fromkeys(("FORI", "FORL"), _Frame._count),
    "UCLO": _Frame._close,
    **dict.fromkeys(("LOOP", "ILOOP", "JLOOP"), lambda f, i: None),
}
"""What each instruction does, except those that end a function."""
