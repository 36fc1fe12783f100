"""A number that an accelerator computes: a loss, which is fetched when somebody uses it."""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ...core.types import Value
from .noted import Noted


class Number:
    """A float that is fetched when it is used as one: in arithmetic, comparisons, texts, `math`, NumPy and files.

    It is no instance of float (`float(loss)` is), as a float's value is in its memory from the beginning.
    """

    __slots__ = ("_value",)

    def __init__(self, value: Noted):
        self._value: Noted | float = value

    def __float__(self) -> float:
        if type(self._value) is not float:
            self._value = float(np.asarray(self._value))
        return self._value

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(float(self), dtype)

    def __reduce__(self) -> tuple:
        return float, (float(self),)

    def __round__(self, digits: int | None = None) -> float | int:
        return round(float(self), digits)

    def __pow__(self, other: float, modulus: None = None) -> float:
        return pow(float(self), other)

    def __format__(self, form: str) -> str:
        return format(float(self), form)

    def __getattr__(self, name: str) -> Any:
        return getattr(float(self), name)


def as_number(value: Value) -> Value:
    """A value of one element as a number, on an accelerator as one that is fetched later; None stays None."""
    if type(value) is Noted:
        return Number(value)
    # np.asarray first: quicker than float() of a JAX array.
    return value if value is None or isinstance(value, (float, Number)) else float(np.asarray(value))


def _unary(function: Callable) -> Callable:
    return lambda self: function(float(self))


def _binary(function: Callable) -> Callable:
    return lambda self, other: function(float(self), float(other) if type(other) is Number else other)


def _reflected(function: Callable) -> Callable:
    return lambda self, other: function(other, float(self))


for _function in (bool, int, hash, repr, str, abs, math.trunc, math.floor, math.ceil):
    setattr(Number, f"__{_function.__name__}__", _unary(_function))
Number.__divmod__, Number.__rdivmod__ = _binary(divmod), _reflected(divmod)  # type: ignore[attr-defined]
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Number, f"__{_name}__", _binary(getattr(operator, _name)))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    setattr(Number, f"__r{_name}__", _reflected(getattr(operator, _name)))
for _name in ("neg", "pos"):
    setattr(Number, f"__{_name}__", _unary(getattr(operator, _name)))
numbers.Real.register(Number)
