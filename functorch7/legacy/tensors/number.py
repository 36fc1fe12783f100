"""A number that an accelerator computes, such as a loss or a norm: it is fetched when somebody uses it."""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Callable
from typing import Any, TypeAlias

import jax
import numpy as np
import numpy.typing as npt

from ...core.types import Value
from .devices import place_of
from .noted import Noted, looked_at

MOST_STEPS = 100
"""So many sums and products wait for a number at most."""


class Number:
    """A float that is fetched when it is used as one: in comparisons, texts, `math`, NumPy, files and arithmetic.

    Sums, products and what else cannot fail are such numbers, too: those of a loop are fetched together.
    It is no instance of float (`float(loss)` is), as a float's value is in its memory from the beginning.
    """

    __slots__ = ("_steps", "_value", "_waiting")

    def __init__(self, value: Noted | jax.Array | float, steps: tuple[Step, ...] = (), waiting: int = 0):
        self._value: Noted | jax.Array | float = value
        self._steps = steps  # what comes after it, in turn
        self._waiting = waiting  # how many steps there are, those of the others included

    def __float__(self) -> float:
        if type(self._value) is not float:
            for array in self._fetched():
                array.copy_to_host_async()
            value = float(np.asarray(self._value))
            for function, other in self._steps:
                value = function(value, float(other) if type(other) is Number else other)
            self._value, self._steps, self._waiting = value, (), 0
        return self._value

    def _fetched(self) -> list:
        """The arrays that it needs from the accelerator."""
        mine = [] if type(self._value) is float else [looked_at(self._value)]
        return mine + [array for _, other in self._steps if type(other) is Number for array in other._fetched()]

    def _followed_by(self, function: Callable, other: Any) -> Number | float:
        """What the function will give for this number and another."""
        waiting = self._waiting + 1 + (other._waiting if type(other) is Number else 0)
        if type(self._value) is float or type(other) not in (float, int, Number) or waiting > MOST_STEPS:
            return function(float(self), float(other) if type(other) is Number else other)
        return Number(self._value, (*self._steps, (function, other)), waiting)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(float(self), dtype)

    def __reduce__(self) -> tuple:
        return float, (float(self),)

    def __round__(self, digits: int | None = None) -> float | int:
        return round(float(self), digits)

    def __pow__(self, other: float, modulus: None = None) -> Number | float:
        if type(other) is int and other == 2:  # others may be too large, which is an error
            return self._followed_by(operator.pow, other)
        return pow(float(self), other)

    def __truediv__(self, other: float) -> Number | float:
        if type(other) in (int, float) and other:
            return self._followed_by(operator.truediv, other)
        return float(self) / (float(other) if type(other) is Number else other)

    def __format__(self, form: str) -> str:
        return format(float(self), form)

    def __getattr__(self, name: str) -> Any:
        return getattr(float(self), name)


def only_element(array: Value) -> Number | float:
    """The element of an array of one, as a number of Python's; a fraction on an accelerator is fetched later."""
    if _is_there(array) and np.issubdtype(array.dtype, np.floating):
        return Number(array)
    return np.asarray(array).item()


def _is_there(value: Value) -> bool:
    return type(value) is Noted or place_of(value) is not None


def as_number(value: Value) -> Value:
    """A value of one element as a number, on an accelerator as one that is fetched later; None stays None."""
    if _is_there(value):
        return Number(value)
    # np.asarray first: quicker than float() of a JAX array.
    return value if value is None or isinstance(value, (float, Number)) else float(np.asarray(value))


Step: TypeAlias = tuple[Callable, Number | float]
"""A function of the number so far and another."""


def _unary(function: Callable) -> Callable:
    return lambda self: function(float(self))


def _binary(function: Callable) -> Callable:
    return lambda self, other: function(float(self), float(other) if type(other) is Number else other)


def _waiting(function: Callable) -> Callable:
    return lambda self, other: self._followed_by(function, other)


def _reflected(function: Callable) -> Callable:
    return lambda self, other: function(other, float(self))


for _function in (bool, int, hash, repr, str, abs, math.trunc, math.floor, math.ceil):
    setattr(Number, f"__{_function.__name__}__", _unary(_function))
Number.__divmod__, Number.__rdivmod__ = _binary(divmod), _reflected(divmod)  # type: ignore[attr-defined]
for _name, _function in (("add", operator.add), ("sub", operator.sub), ("mul", operator.mul)):
    setattr(Number, f"__{_name}__", _waiting(_function))
    setattr(Number, f"__r{_name}__", _waiting(lambda mine, other, of=_function: of(other, mine)))
for _name in ("floordiv", "mod", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Number, f"__{_name}__", _binary(getattr(operator, _name)))
for _name in ("truediv", "floordiv", "mod", "pow"):
    setattr(Number, f"__r{_name}__", _reflected(getattr(operator, _name)))
for _name in ("neg", "pos"):
    setattr(Number, f"__{_name}__", _unary(getattr(operator, _name)))
numbers.Real.register(Number)
