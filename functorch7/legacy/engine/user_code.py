"""Whether what a user's methods do follows from their object's fields and their arguments alone.

Only such methods can be traced: one that counts its calls in a list, prints or draws numbers has to be called each time.
This is read off the methods' code, with that of the functions and methods it names: everything that it finds outside of
its arguments has to be a function without side effects, or a constant.
"""

from __future__ import annotations

import builtins
import dis
import math
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import jax

from ..tensors.convolutions import CONVOLUTIONS
from ..tensors.linear_algebra import LINEAR
from ..tensors.makers import MAKERS
from ..tensors.operations import OPERATIONS
from ..tensors.results import ROWS
from ..tensors.storage import TYPES

OURS = "functorch7.legacy"
METHODS = ("updateOutput", "updateGradInput", "accGradParameters")

PURE = frozenset(
    getattr(builtins, name)
    for name in "abs all any bool callable dict divmod enumerate filter float getattr hasattr int isinstance issubclass "
    "len list map max min pow property range reversed round set slice sorted str sum super tuple type zip".split()
)
LIBRARIES = (math, jax.numpy, jax.numpy.linalg, jax.lax, jax.nn)
TORCH = frozenset((
    *OPERATIONS, *ROWS, *MAKERS, *LINEAR, *CONVOLUTIONS, "Tensor", "cat", "typename",
    *(name.removeprefix("torch.") for name in TYPES),
))  # fmt: skip
"""What of `torch` computes, and does nothing else."""

CONSTANTS = (bool, int, float, str, bytes, type(None), tuple)
WRITES = ("STORE_GLOBAL", "DELETE_GLOBAL", "IMPORT_NAME")


class Found(NamedTuple):
    """What the methods' code tells: why it cannot be traced, if so; and the variables outside that it reads."""

    obstacle: str | None
    constants: tuple[tuple[dict, str], ...]


class _Obstacle(Exception):
    pass


@lru_cache(1024)
def read(kind: type) -> Found:
    """What the code of a user's class tells."""
    constants: dict = {}
    waiting = [function for name in METHODS for function in _methods(kind, name)]
    seen: set = set()
    try:
        while waiting:
            function = waiting.pop()
            if function not in seen:
                seen.add(function)
                waiting += _named(kind, function, constants)
    except _Obstacle as obstacle:
        return Found(str(obstacle), ())
    return Found(None, tuple((constants[key], key[1]) for key in constants))


def users(kind: type) -> Iterator[type]:
    """The classes that a user has written, of those that a class inherits from."""
    return (base for base in kind.__mro__ if not base.__module__.startswith(OURS) and base is not object)


def _methods(kind: type, name: str) -> Iterator[FunctionType]:
    """The code under this name in the user's classes."""
    for base in users(kind):
        found: Any = vars(base).get(name)
        if isinstance(found, (staticmethod, classmethod)):
            found = found.__func__
        if isinstance(found, property):
            yield from (each for each in (found.fget, found.fset) if isinstance(each, FunctionType))
        elif isinstance(found, FunctionType):
            yield found
        elif found is not None and not isinstance(found, CONSTANTS):
            raise _Obstacle(f"it uses {name}, a {type(found).__name__} of its class")


def _named(kind: type, function: FunctionType, constants: dict) -> Iterator[FunctionType]:
    """The functions and methods that a function's code names. Raises _Obstacle for what is not allowed."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    for code in _codes(function.__code__):
        instructions = list(dis.get_instructions(code))
        for place, each in enumerate(instructions):
            name = each.argval
            if each.opname in WRITES:
                raise _Obstacle(f"it imports or sets {name}")
            if each.opname == "LOAD_GLOBAL":
                known = function.__globals__ if name in function.__globals__ else vars(builtins)
                if name in known:
                    yield from _outside(name, known[name], instructions[place + 1 :], constants, known)
            elif each.opname.endswith("_DEREF") and name in cells and name != "__class__":
                if each.opname != "LOAD_DEREF":
                    raise _Obstacle(f"it sets {name}")
                yield from _inside(name, cells[name].cell_contents, instructions[place + 1 :])
            elif each.opname in ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"):
                yield from _methods(kind, name)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code, and that of the functions inside."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _inside(name: str, value: Any, following: list) -> Iterator[FunctionType]:
    """What a variable of a function around stands for. Those that are no functions may be set at any time."""
    if isinstance(value, CONSTANTS):
        raise _Obstacle(f"it uses the variable {name} of the function around it")
    yield from _outside(name, value, following, {}, {})


def _outside(name: str, value: Any, following: list, constants: dict, known: dict) -> Iterator[FunctionType]:
    if isinstance(value, ModuleType):
        value, name = _of_module(name, value, following)
        if value is None:
            return
    if isinstance(value, FunctionType) and not value.__module__.startswith(OURS):
        yield value
    elif isinstance(value, CONSTANTS):
        constants[id(known), name] = known
    elif not (_is_pure(value) or (isinstance(value, type) and issubclass(value, Exception))):
        raise _Obstacle(f"it uses {name}")


def _is_pure(value: Any) -> bool:
    return callable(value) and not isinstance(value, FunctionType) and value in PURE


def _of_module(name: str, module: ModuleType, following: list) -> tuple[Any, str]:
    """What is taken out of a module: None for a function that is known to do nothing but compute."""
    for each in following:
        if each.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
            break
        name, found = f"{name}.{each.argval}", getattr(module, each.argval, None)
        if module in LIBRARIES and not isinstance(found, ModuleType):
            return None, name
        if module.__name__ == f"{OURS}.torch" and each.argval in TORCH:
            return None, name
        if not isinstance(found, ModuleType):
            break
        module = found
    raise _Obstacle(f"it uses {name}")
