"""The named scopes in which the instructions of a compiled program were traced.

XLA drops the scopes of some instructions that it rewrites, such as convolutions on CPU. Such an instruction is
attributed to the module of the weight that it reads, or of the parameter whose gradient it computes, or else to the
instructions that use it. A fusion belongs to the modules of all its parts, in proportion to what these compute.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

SCOPE = "functorch7_profile"
"""The named scope around a network; inside it each child opens one of its own (`Module.call`)."""

_INSTRUCTION = re.compile(r'\s*(ROOT )?%?([\w.\-]+) = (.*?)(?:op_name="([^"]*)".*)?$')
_COMPUTATION = re.compile(r"(?:ENTRY )?%?([\w.\-]+) \(.*\{$")
_CALLED = re.compile(
    r"\b(?:calls|body|condition|(?:true|false)_computation|branch_computations)=\{?([^{},]+(?:, ?%[^{},]+)*)"
)
_CALL = re.compile(r"(?<![\w-])call\(.*\bto_apply=%?([\w.\-]+)")
_FREE = re.compile(r"(?<![\w-])(?:parameter|constant|tuple|get-tuple-element|bitcast)\(")
_REDUCES = re.compile(r"(?<![\w-])(?:reduce|reduce-window|select-and-scatter)\(")
_SIZES = re.compile(r"\b[a-z]+\d*\w*\[([\d,]*)\]")
_PRODUCT = re.compile(r"(?<![\w-])(?:convolution|dot|custom-call)\(")
_ENTRY = re.compile(r"\[(?:\\?'([^'\\]*)\\?'|(\d+))\]")


@dataclass(frozen=True)
class _Instruction:
    scope: str
    operands: tuple[str, ...]
    is_product: bool
    called: tuple[str, ...]
    """The computations that it runs: the parts of a fusion, the body and condition of a loop, branches."""
    size: int
    """The number of elements of its result."""
    work: float
    """How many operations it computes; 0 if it only names existing values."""


class Scopes:
    """The scope of each instruction of a program, given as text.

    The program's arguments are called params, buffers and gradients (of the outputs), and its first results are the
    gradients of the params, whose names are `parameters`.
    """

    def __init__(self, program: str, parameters: Iterable[str]):
        self.instructions: dict[str, _Instruction] = {}
        self.computations: dict[str, list[str]] = {}
        self.users: dict[str, list[str]] = {}
        self.weights: dict[str, str | None] = {}  # what is made of one array alone; "" for constants
        inside: dict[str, str] = {}  # the last scope in a computation, which is that of its result
        here, root = "", ()
        for line in program.splitlines():
            begins, found = _COMPUTATION.match(line), _INSTRUCTION.match(line)
            if begins:
                here = begins[1]
            elif found:
                name, rest, scope = found[2], found[3], (found[4] or "").split(";")[0]
                calls = re.search(r"calls=%?([\w.\-]+)", rest)
                scope = inside.get(calls[1], scope) if calls and SCOPE not in scope else scope
                if SCOPE in scope:
                    inside[here] = scope
                operands = tuple(re.findall(r"%([\w.\-]+)", rest.split("), ")[0]))
                self.instructions[name] = self._instruction(rest, scope, operands)
                self.computations.setdefault(here, []).append(name)
                self.weights[name] = self._weight(name, " parameter(" in f" {rest}")
                for operand in operands:
                    self.users.setdefault(operand, []).append(name)
                root = operands if found[1] else root  # the last computation is the program's own
        self.gradients: dict[str, str] = {}
        for name, parameter in zip(root, parameters, strict=False):
            for each in (name, *self._unknown_around(name, self._operands)):
                self.gradients.setdefault(each, parameter)

    def _instruction(self, text: str, scope: str, operands: tuple[str, ...]) -> _Instruction:
        product, call = bool(_PRODUCT.search(text)), _CALL.search(text)
        called = [each.strip(" %") for found in _CALLED.findall(text) for each in found.split(",")]
        size = sum(math.prod(map(int, filter(None, each.split(",")))) for each in _SIZES.findall(text.split("(%")[0]))
        given = [self.instructions[each].size for each in operands if each in self.instructions]
        work = float(max([size, *given]) if _REDUCES.search(text) else size)
        if product and len(given) > 1:  # of matrices M x K, K x N and M x N this is M N K
            work = 2 * math.sqrt(size * given[0] * given[1])
        if "dynamic-update-slice(" in text and len(given) > 1:
            work = float(given[1])
        work = 0.0 if _FREE.search(text) else work
        return _Instruction(scope, operands, product, (*called, *([call[1]] if call else [])), size, work)

    def inside(self, name: str) -> Iterator[str]:
        """All instructions that an instruction runs: those of a fusion, of a loop's body, and so on."""
        for computation in self.instructions[name].called if name in self.instructions else ():
            for inner in self.computations.get(computation, ()):
                yield inner
                yield from self.inside(inner)

    def shares(self, name: str) -> dict[str, float]:
        """The scopes among which an instruction's time is divided, with the share of each.

        These are the scopes of the instructions inside, in proportion to what they compute, or else its own.
        """
        work: Counter[str] = Counter()
        for inner in self.inside(name):
            if self._is_known(inner) and not self.instructions[inner].called:
                work[self.instructions[inner].scope] += self.instructions[inner].work  # type: ignore[assignment]
        total = work.total()
        return {scope: each / total for scope, each in work.items() if each} if total else {self.scope(name): 1.0}

    def scope(self, name: str) -> str:
        """The scopes from the outermost on, as "jit(f)/jvp(scope)/..."; empty if unknown."""
        if name not in self.instructions:
            return ""
        if self._is_known(name):
            return self.instructions[name].scope
        operands = self.instructions[name].operands
        before = [scope for each in operands for scope in self._said_by(each)]
        after = [self.instructions[each].scope for each in self._ends(name, self._users)]
        backward = any("transpose(" in each or each.startswith("gradients") for each in before or after[:1])
        weights = [self.weights[each] for each in operands if self.weights.get(each)]
        if weights:
            return _scope_of_entry(str(weights[0]), backward)
        if name in self.gradients:
            return _scope_of_entry(self.gradients[name], True)
        return next((each for each in (*after, *before) if SCOPE in each), "")

    def _weight(self, name: str, is_argument: bool) -> str | None:
        """The array of the params or buffers, if an instruction only moves this one."""
        here = self.instructions[name]
        if is_argument:
            return here.scope if here.scope.startswith(("params[", "buffers[")) else None
        found = {self.weights.get(operand) for operand in here.operands} - {""}
        if here.is_product or len(found) > 1:
            return None
        return found.pop() if found else ""

    def _said_by(self, operand: str) -> list[str]:
        """The scopes and arguments that an operand comes from."""
        if operand not in self.instructions:
            return []
        scope = self.instructions[operand].scope
        if SCOPE in scope or "[" in scope:
            return [scope]
        if self.instructions[operand].is_product:
            return []
        return [self.instructions[each].scope for each in self._ends(operand, self._operands)]

    def _is_known(self, name: str) -> bool:
        return SCOPE in self.instructions[name].scope

    def _operands(self, name: str) -> Iterable[str]:
        return self.instructions[name].operands

    def _users(self, name: str) -> Iterable[str]:
        return self.users.get(name, ())

    def _unknown_around(self, name: str, near: Callable[[str], Iterable[str]]) -> Iterator[str]:
        """The instructions without scopes that are reachable through others without scopes, up to products."""
        seen, left = {name}, [name]
        while left:
            here = left.pop()
            if self._is_known(here) or (here != name and self.instructions[here].is_product):
                continue
            for each in near(here):
                if each in self.instructions and each not in seen:
                    seen.add(each)
                    left.append(each)
                    if not self._is_known(each):
                        yield each

    def _ends(self, name: str, near: Callable[[str], Iterable[str]]) -> list[str]:
        """The nearest instructions that have a scope or are arguments of the program."""
        through = [name, *(e for e in self._unknown_around(name, near) if not self.instructions[e].is_product)]
        reached = dict.fromkeys(each for one in through for each in near(one) if each in self.instructions)
        return [each for each in reached if self._is_known(each) or "[" in self.instructions[each].scope]


def _scope_of_entry(entry: str, backward: bool) -> str:
    """The scope of the module whose array is at params[0]['weight']."""
    names = [text or number for text, number in _ENTRY.findall(entry)]
    around = f"transpose(jvp({SCOPE}))" if backward else SCOPE
    return "/".join([around, *names])
