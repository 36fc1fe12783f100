"""What the code of a user's class reads beside its arguments and its object's fields, and whether it only computes.

It is read off the methods that networks call, or a hook, and the functions, methods and classes that these name. In
PyTorch's style what is found are constants of the program, which are compared before each call (`outside.py`). In
Torch's style a method may note its calls in a list, print or draw numbers, so only one that names nothing but functions
without side effects, and constants, can be traced; any other has to be called each time.
"""

from __future__ import annotations

import builtins
import dis
import math
from collections.abc import Callable, Iterable
from functools import partial
from types import BuiltinMethodType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import jax

from ...core.types import Value
from ...layers.tensor_types import TYPES
from ..tensors.convolutions import CONVOLUTIONS
from ..tensors.linear_algebra import LINEAR
from ..tensors.makers import MAKERS
from ..tensors.operations import OPERATIONS
from ..tensors.results import ROWS
from .code_names import ASKING, CODE, IMPLICIT, cells_of, codes_of, functions_of, names_of
from .forms import lasts
from .outside import GENERATORS, Code, Variable
from .user_classes import OURS, is_users, kept_in, package_of, users

METHODS = frozenset(("updateOutput", "updateGradInput", "accGradParameters"))

PURE = tuple(
    getattr(builtins, name)
    for name in "abs all any bool dict divmod enumerate filter float int isinstance issubclass len list map max min "
    "pow range reversed round set slice sorted str sum super tuple type zip".split()
)
"""Not among them: getattr, by which code could use what it does not name."""

LIBRARIES = (math, jax.numpy, jax.numpy.linalg, jax.lax, jax.nn)
TORCH = frozenset((
    *OPERATIONS, *ROWS, *MAKERS, *LINEAR, *CONVOLUTIONS, "Tensor", "cat", "typename",
    *(name.removeprefix("torch.") for name in TYPES),
))  # fmt: skip
"""What of `torch` computes, and does nothing else."""

READABLE = (FunctionType, CodeType, property, staticmethod, classmethod, type(Variable.space))
"""What does no more than its code says, or the fields of named tuples."""

WRITES = ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_DEREF", "DELETE_DEREF", "IMPORT_NAME")


def code_of(written: Value) -> Code:
    """What the code of a user's class tells, or of a hook; a class that is not written in Python says it itself."""
    kept = kept_in(written)
    code = kept.get(Code)
    if code is None or not code.stands():
        by_itself = getattr(written, "_read_code", None)
        code = kept[Code] = by_itself() if by_itself else _Reader(written).code()
    return code


def names_in(kinds: Iterable[type]) -> frozenset[str]:
    """The names of attributes of other objects that the code of users' classes reads."""
    return frozenset().union(*(code_of(kind).names for kind in {*kinds}))


def code_of_hook(hook: Callable) -> Code:
    """What a hook reads outside; nothing that is known, where it is no function or method."""
    written = functions_of(hook)
    return code_of(written[0]) if written else Code()


def users_code(modules: Iterable[object], hooks: Iterable[Callable]) -> list[Code]:
    """The code of users' modules and of hooks."""
    return [*map(code_of, set(map(type, modules))), *map(code_of_hook, hooks)]


class _Reader:
    """Reads a class's methods, or a function, and whatever these name."""

    def __init__(self, written: type | FunctionType):
        self._read = [*users(written)] if isinstance(written, type) else [written]
        self._packages = {package_of(each) for each in self._read}  # which may be a library's
        self._bases: list[type] = []
        self._attributes: set[str] = set()
        self._waiting: list[FunctionType] = []
        self._seen: set[int] = set()
        self.variables: dict[tuple[int, str], Variable] = {}
        self.generators: list[Any] = []
        self.names: set[str] = set()
        self.reads: dict[str, None] = {}
        self.sets: set[str] = set()
        self.obstacle: str | None = None
        if isinstance(written, type):
            self._class(written, METHODS)
        else:
            self._wait([written])

    def code(self) -> Code:
        if not self._waiting:
            self._refuse("its code is not known")
        while self._waiting:
            self._function(self._waiting.pop())
        return Code(
            tuple(self.variables.values()), tuple(self.generators), frozenset(self.names), tuple(self.reads),
            frozenset(self.sets), self.obstacle,
        )  # fmt: skip

    def _refuse(self, why: str) -> None:
        self.obstacle = self.obstacle or why

    def _is_users(self, written: type | FunctionType | ModuleType) -> bool:
        return written in self._read or is_users(written) or package_of(written) in self._packages

    def _class(self, kind: type, called: Iterable[str]) -> None:
        """A class of which these methods are called, beside those that code names."""
        new = [base for base in users(kind) if base not in self._bases and self._is_users(base)]
        self._bases += new
        forward = ("forward",) if hasattr(kind, "described_by") else ()
        for name in dict.fromkeys((*called, *forward, *self._attributes)) if new else ():
            self._attribute(name, new)

    def _attribute(self, name: str, bases: list[type]) -> None:
        """What users' classes have under a name."""
        for base in bases:
            if name in vars(base):
                self._found(Variable(vars(base), name), f"{name}, a {type(vars(base)[name]).__name__} of its class")

    def _wait(self, functions: list[FunctionType]) -> None:
        """Functions that are to be read, unless they are a library's."""
        theirs = [each for each in functions if self._is_users(each)]
        self._waiting += [each for each in theirs if id(each) not in self._seen]
        self._seen.update(map(id, theirs))
        if len(theirs) < len(functions):
            self._refuse(f"it uses {functions[0].__name__}")

    def _function(self, function: FunctionType) -> None:
        self.names |= names_of(function)
        self._parts(function, ("__code__", "__defaults__"), "__kwdefaults__", f"a default of {function.__name__}")
        for code in codes_of(function.__code__):
            instructions = list(dis.get_instructions(code))
            for place, each in enumerate(instructions):
                self._instruction(function, each, instructions[place + 1 :])
                if each.opname in ASKING and instructions[place - 1].argval in code.co_varnames[:1]:
                    self.reads[each.argval] = None

    def _parts(self, value: Any, names: Iterable[str], table: str, text: str) -> None:
        """What is called, and the arguments that go with it."""
        for name in names:
            if getattr(value, name) is not None:
                self._found(Variable(value, name), text)
        given = getattr(value, table, None) or {}
        for name in given:
            self._found(Variable(given, name), text)

    def _instruction(self, function: FunctionType, each: dis.Instruction, following: list[dis.Instruction]) -> None:
        name, cells = each.argval, cells_of(function)
        if each.opname in WRITES and (name in cells or not each.opname.endswith("_DEREF")):
            self._refuse(f"it imports or sets {name}")
        if each.opname.endswith("_GLOBAL"):
            if name in function.__globals__ or not hasattr(builtins, name):
                self._variable(Variable(function.__globals__, name), following)
            elif not _is_pure(getattr(builtins, name)):
                self._refuse(f"it uses {name}")
        elif each.opname.endswith("_DEREF") and name in cells and name != "__class__":
            self._variable(Variable(cells[name], name), following)
        elif each.opname in ASKING and name not in self._attributes:
            self._attributes.add(name)
            self._attribute(name, self._bases)
        elif each.opname == "STORE_ATTR":
            self.sets.add(name)

    def _variable(self, variable: Variable, following: list[dis.Instruction]) -> None:
        """A variable, or what is taken out of the module that it is."""
        value, text, of_users = variable.value(), variable.name, True
        for each in following:
            if not isinstance(value, ModuleType) or each.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
                break
            module, name, text = value, each.argval, f"{text}.{each.argval}"
            variable = Variable(vars(module), name)
            value = variable.value()  # not by getattr, for which modules may import others
            is_torch = module.__name__ == f"{OURS}.torch" and name in TORCH
            if is_torch or (module in LIBRARIES and not isinstance(value, ModuleType)):
                return
            of_users = self._is_users(module)
        if of_users:
            self._found(variable, text)
        else:
            self._draws(value)
            self._refuse(f"it uses {text}")

    def _found(self, variable: Variable, text: str) -> None:
        """What counts of a variable: code as long as it is that very code, a value as it is."""
        value = variable.value()
        if isinstance(value, partial):
            return self._parts(value, ("func", "args"), "keywords", text)
        if isinstance(value, MethodType):
            self._found(Variable(value, "__self__"), text)
        if not (self._draws(value) or isinstance(value, ModuleType)):
            self.variables[id(variable.space), variable.name] = variable
        self._wait(functions_of(value))
        if not isinstance(value, CODE) and not _is_pure(value):
            is_class = isinstance(value, type)
            self._class(value if is_class else type(value), ("__init__",) if is_class else IMPLICIT)
        if not (isinstance(value, READABLE) or _is_pure(value) or lasts(value)):
            self._refuse(f"it uses {text}")

    def _draws(self, value: Any) -> bool:
        """Whether a value is a generator of random numbers, or a method of one."""
        generator = value.__self__ if isinstance(value, (BuiltinMethodType, MethodType)) else value
        if isinstance(generator, GENERATORS):
            self.generators.append(generator)
        return isinstance(generator, GENERATORS)


def _is_pure(value: Any) -> bool:
    if isinstance(value, type) and issubclass(value, Exception):
        return True
    return any(value is each for each in PURE)
