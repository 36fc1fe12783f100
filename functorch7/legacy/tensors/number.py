"""A number that an accelerator computes, such as a loss or a norm: it is fetched when it is used."""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Callable
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from ...core.types import Value
from .devices import place_of
from .noted import Noted, looked_at

Given = TypeVar("Given")

MOST_STEPS = 100
"""How many sums and products of a number wait at most."""

Step = tuple[Callable, "Number | float"]
"""A function of a number and another."""


class Number:
    """A float that is fetched when it is used: in comparisons, texts, `math`, NumPy, files and arithmetic.

    Sums, products and other operations that cannot fail return such numbers, too, so those of a loop are fetched
    together. It is not an instance of float (`float(loss)` is), as a float has its value from the beginning.
    """

    __slots__ = ("_found", "_pending")

    def __new__(cls, value: Any, *steps: Any) -> Any:
        """A float, if the value is known: `statistics` makes results of the class of its arguments."""
        return super().__new__(cls) if isinstance(value, (Noted, jax.Array)) else float(value)

    def __init__(self, value: Noted | jax.Array, steps: tuple[Step, ...] = (), waiting: int = 0):
        self._found = 0.0
        # What comes after it in turn, and how many steps these are, those of others among them included.
        self._pending: tuple[Noted | jax.Array, tuple[Step, ...], int] | None = value, steps, waiting

    def __float__(self) -> float:
        arrays = self._fetched()
        if len(arrays) > 1:  # one alone comes sooner without being asked for first
            for array in arrays:
                array.copy_to_host_async()
        return self._fetch()

    def _fetch(self) -> float:
        """The number; its arrays may already be on their way."""
        pending = self._pending
        if pending is not None:
            noted, steps, _ = pending
            value = float(np.asarray(noted))
            for function, other in steps:
                value = function(value, other._fetch() if type(other) is Number else other)
            self._found, self._pending = value, None  # in this order, as another thread may ask at the same time
        return self._found

    def _fetched(self) -> list:
        """The arrays that have to be fetched."""
        if (pending := self._pending) is None:
            return []
        noted, steps, _ = pending
        return [looked_at(noted), *(array for _, other in steps if type(other) is Number for array in other._fetched())]

    def _followed_by(self, function: Callable, other: Any) -> Number | float:
        """The future result of a function of this number and another."""
        if (pending := self._pending) is None:
            return function(self._found, other)  # another that waits still takes it as its own step
        noted, steps, waiting = pending
        theirs = other._pending if type(other) is Number else None
        waiting += 1 + (0 if theirs is None else theirs[2])
        if type(other) not in (float, int, Number) or waiting > MOST_STEPS:
            return function(float(self), plain(other))
        step = function, float(other) if type(other) is int else other  # of which too large ones are an error at once
        return Number(noted, (*steps, step), waiting)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(float(self), dtype)

    def __jax_array__(self) -> jax.Array:
        return jnp.asarray(float(self))

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
        return float(self) / plain(other)

    def __format__(self, form: str) -> str:
        return format(float(self), form)

    def __getattr__(self, name: str) -> Any:
        return getattr(float(self) if hasattr(float, name) else 0.0, name)  # to ask for what no float has is no look


def plain(value: Given) -> Given:
    """An accelerator's number as a float; other values unchanged."""
    return float(value) if type(value) is Number else value  # type: ignore[return-value]


def only_element(array: Value) -> Number | float:
    """The only element of an array as a Python number; a fraction on an accelerator is fetched later."""
    if _is_there(array) and np.issubdtype(array.dtype, np.floating):
        return Number(array)
    return np.asarray(array).item()


def _is_there(value: Value) -> bool:
    return type(value) is Noted or place_of(value) is not None


def as_number(value: Value) -> Value:
    """A value of one element as a number, on an accelerator one that is fetched later; None stays None."""
    if value is None or isinstance(value, (float, Number)):
        return value
    # np.asarray first: quicker than float() of a JAX array.
    return Number(value) if _is_there(value) else float(np.asarray(value))


def _unary(function: Callable) -> Callable:
    return lambda self: function(float(self))


def _binary(function: Callable) -> Callable:
    return lambda self, other: function(float(self), plain(other))


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
