"""Lua's names of values' types, and its texts of values."""

import numbers
from collections.abc import Callable

import jax.numpy as jnp
import numpy as np

from ...core.types import Value


class OfLua:
    """A value that only Lua understands."""

    __slots__ = ()

    def lua_type(self) -> str:
        """The result of Lua's `type`."""
        raise NotImplementedError

    def entries(self) -> dict:
        """Its entries, if it is a table."""
        raise NotImplementedError

    def as_value(self) -> object:
        """The value, if this stands for a key that Python's dicts cannot have."""
        raise NotImplementedError

    def record(self, made: Callable[[object, str], Value], place: str) -> Value:
        """Its record for files, at a place; `made` returns the records of other values, which may be filled later."""
        raise NotImplementedError


CARRIED = np.dtype(jnp.float8_e5m2)
"""The type of numbers that stand for values other than tensors; floating, so that gradients can pass."""


class Carried:
    """A Lua value that passes through a network, from one user's method to others.

    In traced programs it is represented by a number that nothing computes with. Its gradient is zero.
    """

    __slots__ = ("value",)
    shape, ndim, size, dtype = (), 0, 1, CARRIED

    def __init__(self, value: OfLua):
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Carried) and self.value is other.value

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.value)


def kind(value: object) -> str:
    """Lua's name of a value's type: "nil", "boolean", "number", "string", "table", "function" or "userdata"."""
    if value is None:
        return "nil"
    if isinstance(value, (bool, np.bool_)):
        return "boolean"
    if isinstance(value, numbers.Real):
        return "number"
    if isinstance(value, (str, bytes)):
        return "string"
    if isinstance(value, (list, tuple, dict)):
        return "table"
    if isinstance(value, OfLua):
        return value.lua_type()
    return "function" if callable(value) and not hasattr(value, "typename") else "userdata"


def text(value: object) -> str:
    """A value as Lua prints it: true, nil, numbers with 14 digits."""
    name = kind(value)
    if name == "nil":
        return "nil"
    if name == "boolean":
        return "true" if value else "false"
    return f"{value:.14g}" if name == "number" and not isinstance(value, numbers.Integral) else str(value)
