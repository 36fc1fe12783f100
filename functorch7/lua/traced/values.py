"""Lua's values for instructions executed here: nil, booleans, numbers (floats), strings, and these."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import NamedTuple

import jax

from ...legacy.engine.fields import Untraceable
from ...legacy.tensors.tensor import Tensor
from ..kinds import Crossing


class Table:
    """A table that the function has made; one that it was given is only read."""

    def __init__(self, items: dict, is_given: bool = False):
        self.items, self.is_given = items, is_given

    def length(self) -> float:
        """The number of items from 1 on. Raises Untraceable if Lua might return something else."""
        count = sum(type(key) is float for key in self.items)
        if not all(float(i) in self.items for i in range(1, count + 1)):
            raise Untraceable("it takes the length of a table with holes")
        return float(count)

    def keys(self) -> list:
        """Its keys in the order of pairs. Raises Untraceable if that is Lua's own order."""
        found = list(self.items)
        in_turn = all(type(key) is float and key == i for i, key in enumerate(found, 1))
        if len(found) > 1 and not in_turn:
            raise Untraceable("it goes through a table in Lua's own order")
        return found


class Builtin(NamedTuple):
    """One of Lua's own functions that only compute."""

    name: str


class Method(NamedTuple):
    """A Python function, or the method of an `owner`, which Lua passes as the first argument."""

    function: Callable
    owner: Crossing = None


def is_traced(value: object) -> bool:
    """Whether a value is a number that is unknown before the program runs."""
    return isinstance(value, jax.Array)


def is_true(value: object) -> bool:
    """Whether Lua takes a value for true."""
    return value is not None and value is not False


def number(value: object) -> float:
    """A known number. Raises Untraceable for others."""
    if is_traced(value):
        raise Untraceable("it asks for values")
    if type(value) is not float:
        raise Untraceable(f"it computes with a {type(value).__name__}")
    return value


def are_equal(one: object, other: object) -> bool:
    """Whether Lua finds two values equal."""
    if is_traced(one) or is_traced(other):
        numbers = (float, jax.Array)
        if isinstance(one, numbers) and isinstance(other, numbers):
            raise Untraceable("it asks for values")
        return False
    plain = (bool, float, str, type(None))
    if isinstance(one, plain) and isinstance(other, plain):
        return type(one) is type(other) and one == other
    return one is other


def is_less(one: Crossing, other: Crossing, or_equal: bool = False) -> bool:
    """Whether Lua finds one number or string less than another."""
    if not (type(one) is str and type(other) is str):
        one, other = number(one), number(other)
    return one <= other if or_equal else one < other


def arithmetic(access: Crossing, what: Callable, one: Crossing, other: Crossing, is_negation: bool = False) -> Crossing:
    """The result of an operator on numbers or tensors."""
    if type(one) is float and type(other) is float:
        return -other if is_negation else _of_floats(what, one, other)
    if isinstance(one, Tensor) or isinstance(other, Tensor):
        if is_negation:
            return access.negated(other)
        return access.operator(what, one, other)
    if not all(type(each) is float or is_traced(each) for each in (one, other)):
        raise Untraceable(f"it computes with a {type(one).__name__} and a {type(other).__name__}")
    if is_negation:
        return -other
    return what(one, other)


def _of_floats(what: Callable, one: float, other: float) -> float:
    if what is operator.truediv and other == 0:
        raise Untraceable("it divides by zero")
    return what(one, other)


def concatenated(values: list) -> str:
    """The result of `..`."""
    return "".join(map(text_of, values))


def text_of(value: object) -> str:
    """A string or number as Lua writes it."""
    if type(value) is str:
        return value
    found = number(value)
    if found != found or found in (float("inf"), float("-inf")):
        raise Untraceable("it writes a number that is none")
    return f"{found:.14g}"
