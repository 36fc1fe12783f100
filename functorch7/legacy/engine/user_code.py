"""Whether what a user's methods do follows from their object's fields and their arguments alone.

Only such methods can be traced: one that notes its calls in a list, prints or draws numbers has to be called each
time. This is read off the methods' code, with that of the functions and methods it names: everything that it finds
outside of its arguments has to be a function without side effects, or a constant.
"""

from __future__ import annotations

import builtins
import dis
import math
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import jax

from ...core.types import Value
from ...layers.tensor_types import TYPES
from ..tensors.convolutions import CONVOLUTIONS
from ..tensors.linear_algebra import LINEAR
from ..tensors.makers import MAKERS
from ..tensors.operations import OPERATIONS
from ..tensors.results import ROWS
from .code_names import ASKING, cells_of, codes_of, functions_of
from .forms import frozen

OURS = "functorch7.legacy"
"""The package whose classes are no user's."""

METHODS = frozenset(("updateOutput", "updateGradInput", "accGradParameters"))

PURE = frozenset(
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

CONSTANTS = (bool, int, float, str, bytes, type(None), tuple)
WRITES = ("STORE_GLOBAL", "DELETE_GLOBAL", "IMPORT_NAME")


class Found(NamedTuple):
    """What the methods' code tells: why it cannot be traced, if so; and what it has found outside, as it was then."""

    obstacle: str | None
    outside: tuple[tuple[Mapping, str, Any], ...]  # (where, name, value): constants, functions and methods
    reads: tuple[str, ...] = ()  # names that it reads of first arguments, which methods' objects are
    sets: frozenset[str] = frozenset()  # names that it sets, of anything

    def stands(self) -> bool:
        """Whether nobody has put something else there."""
        return all(space.get(name) is value for space, name, value in self.outside)

    def key(self) -> tuple:
        """What programs depend on of it."""
        return tuple(frozen(value) for _, _, value in self.outside)


class _Obstacle(Exception):
    pass


def read(kind: type) -> Found:
    """What the code of a user's class tells; one that is not written in Python says it itself."""
    if hasattr(kind, "_read_code"):
        return kind._read_code()
    reader = _Reader(kind)
    try:
        reader.read()
    except _Obstacle as obstacle:
        return Found(str(obstacle), tuple(reader.outside))
    return Found(None, tuple(reader.outside), tuple(reader.reads), frozenset(reader.sets))


def is_ours(written: type | Callable) -> bool:
    """Whether a class or function is of this package, and not a user's."""
    return written.__module__.startswith(OURS)


def users(kind: type) -> Iterator[type]:
    """The classes that a user has written, of those that a class inherits from."""
    return (base for base in kind.__mro__ if not is_ours(base) and base is not object)


class _Kept(dict):
    """What is kept in a class; where the class is pickled with its code, a copy starts without it."""

    def __reduce__(self):
        return _Kept, ()


def kept_in(kind: Value) -> dict[type, Value]:
    """What is kept of a user's class for as long as the class lives: in the class, as it may refer to the class."""
    if "_kept_in_class" not in vars(kind):
        kind._kept_in_class = _Kept()
    return vars(kind)["_kept_in_class"]


class _Reader:
    """Reads a class's methods, and whatever these name."""

    def __init__(self, kind: type):
        self.kind = kind
        self.outside: list[tuple[Mapping, str, Any]] = []
        self.reads: dict[str, None] = {}
        self.sets: set[str] = set()
        self._waiting: list[FunctionType] = []
        self._seen: set[FunctionType] = set()

    def read(self) -> None:
        """Raises _Obstacle for what is not allowed."""
        for name in METHODS:
            self._method(name)
        if not self._waiting:
            raise _Obstacle("its code is not known")
        while self._waiting:
            self._function(self._waiting.pop())

    def _wait(self, functions: list[FunctionType]) -> None:
        self._waiting += [each for each in functions if each not in self._seen]
        self._seen.update(functions)

    def _method(self, name: str) -> None:
        """What the user's classes have under this name, if it is code."""
        for base in users(self.kind):
            found: Any = vars(base).get(name)
            if found is None:
                continue
            self.outside.append((vars(base), name, found))
            if isinstance(found, (property, staticmethod, classmethod, FunctionType)):
                self._wait(functions_of(found))
            elif not isinstance(found, CONSTANTS):
                raise _Obstacle(f"it uses {name}, a {type(found).__name__} of its class")

    def _function(self, function: FunctionType) -> None:
        cells = cells_of(function)
        for code in codes_of(function.__code__):
            instructions = list(dis.get_instructions(code))
            for place, each in enumerate(instructions):
                name, following = each.argval, instructions[place + 1 :]
                if each.opname in WRITES:
                    raise _Obstacle(f"it imports or sets {name}")
                if each.opname == "LOAD_GLOBAL":
                    space = function.__globals__ if name in function.__globals__ else vars(builtins)
                    self._variable(name, space, following)
                elif each.opname.endswith("_DEREF") and name in cells and name != "__class__":
                    self._variable(name, {name: cells[name].cell_contents}, following, is_cell=True)
                elif each.opname in ASKING:
                    self._method(name)
                    if instructions[place - 1].argval in code.co_varnames[:1]:
                        self.reads[name] = None
                elif each.opname == "STORE_ATTR":
                    self.sets.add(name)

    def _variable(self, name: str, space: Mapping, following: list, is_cell: bool = False) -> None:
        """Looks at a variable outside of the code. Those of a function around may be set at any time."""
        value = space.get(name)
        if isinstance(value, ModuleType):
            name, value = _of_module(name, value, following)
        elif name in space:
            self.outside.append((space, name, value))
        if isinstance(value, FunctionType) and not is_ours(value):
            self._wait([value])
        elif not (_is_pure(value) or (isinstance(value, CONSTANTS) and not is_cell)):
            raise _Obstacle(f"it uses {name}")


def _is_pure(value: Any) -> bool:
    if isinstance(value, type) and issubclass(value, Exception):
        return True
    return callable(value) and not isinstance(value, FunctionType) and value in PURE


def _of_module(name: str, module: ModuleType, following: list) -> tuple[str, Any]:
    """(name, value) of what is taken out of a module; None for what is known to do nothing but compute."""
    for each in following:
        if each.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
            break
        name, found = f"{name}.{each.argval}", getattr(module, each.argval, None)
        is_torch = module.__name__ == f"{OURS}.torch" and each.argval in TORCH
        if is_torch or (module in LIBRARIES and not isinstance(found, ModuleType)):
            return name, None
        if not isinstance(found, ModuleType):
            break
        module = found
    raise _Obstacle(f"it uses {name}")
