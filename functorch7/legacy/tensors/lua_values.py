"""What Lua calls values, and how it prints them."""

import numbers
from collections.abc import Callable

import jax.numpy as jnp
import numpy as np

from ...core.types import Value


class OfLua:
    """A value that only Lua understands."""

    __slots__ = ()

    def lua_type(self) -> str:
        """What Lua's `type` gives."""
        raise NotImplementedError

    def entries(self) -> dict:
        """What is in it, if it is a table."""
        raise NotImplementedError

    def as_value(self) -> object:
        """What it is as a value, where it stands for a key that Python's dicts do not have."""
        raise NotImplementedError

    def record(self, made: Callable[[object, str], Value], place: str) -> Value:
        """What files have of it, at a place; `made` gives what they have of others, which may be filled later."""
        raise NotImplementedError


CARRIED = np.dtype(jnp.float8_e5m2)
"""The type of numbers that stand for values which are no tensors: it is floating, so that the way back goes through."""


class Carried:
    """A value of Lua's on its way through a network, from one user's method to others.

    In traced programs it stands for a number, with which nothing is computed. Its gradient is zero.
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
