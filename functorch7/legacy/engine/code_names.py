"""What users' code names, read off it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from types import CellType, CodeType, FunctionType, MethodType

PARTS = {**dict.fromkeys((staticmethod, classmethod, MethodType), ("__func__",)), property: ("fget", "fset")}
"""Where functions are in what is no function itself."""

ASKING = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR")
"""The instructions that ask for an attribute."""

IMPLICIT = tuple(
    f"__{name}__"
    for name in "call getitem len iter contains bool float int index getattr enter exit neg pos abs eq lt le gt ge add "
    "radd sub rsub mul rmul truediv rtruediv floordiv mod pow rpow matmul rmatmul".split()
)
"""Methods that code calls without naming them."""

CACHED = type(lru_cache(print))

CODE = (FunctionType, CodeType, CACHED, *PARTS)
"""What never changes, but for what it names."""


def codes_of(code: CodeType) -> Iterator[CodeType]:
    """A function's code, and that of the functions inside."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_of(constant)


def cells_of(function: FunctionType) -> dict[str, CellType]:
    """The variables of functions around a function that it uses."""
    return dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))


def functions_of(value: object) -> list[FunctionType]:
    """The functions that a variable's or a class's value consists of."""
    parts = PARTS.get(type(value))
    found: list = [value] if parts is None else [getattr(value, part) for part in parts]
    for each in found:  # which grows
        if isinstance(each, (FunctionType, CACHED)) and hasattr(each, "__wrapped__"):
            found.append(each.__wrapped__)
    return [each for each in found if isinstance(each, FunctionType)]


def names_of(function: FunctionType) -> set[str]:
    """The names of variables and attributes in a function's code, and the texts that could be such."""
    codes = list(codes_of(function.__code__))
    texts = {each for code in codes for each in code.co_consts if isinstance(each, str)}
    return texts.union(*(code.co_names for code in codes))


@lru_cache(1024)
def with_methods(kind: type, names: frozenset[str]) -> frozenset[str]:
    """Names, and those in the code of a class's methods that have one of the names, or need not be named."""
    found, waiting = set(names), [name for name in (*names, *IMPLICIT) if hasattr(kind, name)]
    while waiting:
        method = waiting.pop()
        values = [vars(base)[method] for base in kind.__mro__ if method in vars(base)]
        for function in (function for value in values for function in functions_of(value)):
            new = names_of(function) - found
            found |= new
            waiting += [name for name in new if hasattr(kind, name)]
    return frozenset(found)
