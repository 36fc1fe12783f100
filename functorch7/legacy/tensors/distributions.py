"""Torch's random distributions: one table from which `torch.f(...)` and `tensor.f(...)` are made."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike

from ...checks.making import words_of
from ...core.types import Value
from .arguments import given_as, is_number
from .casting import is_floating
from .generator import Generator, exactly
from .kinds import Numbers
from .quiet import quietly
from .random import given_generator, next_key

_BLOCK = 1 << 15


@dataclass(frozen=True)
class Distribution:
    """A distribution: its name, `draw(generator, count, *parameters)`, and its description in words.

    A `continuous` one only fills tensors of floating-point types, and its parameters are converted to their type.
    """

    name: str
    draw: Callable[..., np.ndarray]
    formula: str
    continuous: bool

    def numbers(
        self, args: tuple, named: Mapping[str, Value], count: int, dtype: DTypeLike | None = None
    ) -> np.ndarray:
        """Draws `count` numbers for the arguments ([generator], parameters...); `dtype` is that of a tensor to fill."""
        if named:
            raise self.wrong(args, named)
        generator, given = given_generator(args)
        if dtype is not None and self.continuous:
            if not jnp.issubdtype(dtype, jnp.floating):
                raise TypeError(f"torch.{self.name}: expected a tensor of a floating-point type, got {dtype}")
            given = tuple(float(quietly(np.asarray, each, dtype)) if is_number(each) else each for each in given)
        fewest, most = self._counts
        if not fewest <= len(given) <= most:
            raise self.wrong(given)
        if all(map(is_number, given)):
            return in_blocks(lambda size: self.draw(generator, size, *given), count, dtype)
        if self.name != "bernoulli" or math.prod(np.shape(given[0])) != count:
            raise self.wrong(given)
        return self.draw(generator, count, *given)

    def filling(self, args: tuple, named: Mapping[str, Value], dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
        """The elements for a tensor, drawn row by row."""
        count = math.prod(shape)
        if self.name == "random" and not (named or given_generator(args)[1]):
            numbers = given_generator(args)[0].bits(count) % _values_of(dtype)
        else:
            numbers = self.numbers(args, named, count, dtype)
        return numbers.astype(dtype, copy=False).reshape(shape)

    @cached_property
    def _parameters(self) -> list[inspect.Parameter]:
        return list(inspect.signature(self.draw).parameters.values())[2:]

    @cached_property
    def _counts(self) -> tuple[int, int]:
        """The least and the greatest number of parameters."""
        return sum(p.default is p.empty for p in self._parameters), len(self._parameters)

    def wrong(self, given: tuple, named: Mapping[str, Value] | None = None) -> TypeError:
        """The error for too few or too many parameters, or named ones."""
        wanted = f"({', '.join(['[generator]', *words_of(self._parameters)])}), numbers, after a tensor to fill if any"
        return TypeError(f"torch.{self.name}: expected {wanted}, got {given_as(given, named)}")


def in_blocks(draw: Callable[[int], np.ndarray], count: int, dtype: DTypeLike | None = None) -> np.ndarray:
    """draw(count), in a dtype; in blocks if it is large, to keep intermediate results in the processor's cache."""
    if count <= _BLOCK:
        drawn = draw(count)
        return drawn if dtype is None else drawn.astype(dtype)
    found = np.empty(count, dtype)
    for first in range(0, count, _BLOCK):
        part = found[first : first + _BLOCK]
        part[:] = draw(len(part))
    return found


def _check(name: str, holds: bool, wanted: str, given: Any) -> None:
    if not holds:
        raise ValueError(f"torch.{name}: expected {wanted}, got {given}")


def _uniform(generator: Generator, count: int, a: float = 0, b: float = 1) -> np.ndarray:
    return quietly(lambda: generator.uniform(count) * (b - a) + a)


def _normal(generator: Generator, count: int, mean: float = 0, stdv: float = 1) -> np.ndarray:
    _check("normal", stdv > 0, "a positive standard deviation", stdv)
    return generator.normal(count) * stdv + mean


def _log_normal(generator: Generator, count: int, mean: float = 1, stdv: float = 2) -> np.ndarray:
    _check("logNormal", stdv > 0, "a positive standard deviation", stdv)
    return exactly(_exp, generator.normal(count) * stdv + mean)


def _exp(power: float) -> float:
    try:
        return math.exp(power)
    except OverflowError:
        return math.inf


def _exponential(generator: Generator, count: int, rate: float) -> np.ndarray:
    return -1 / rate * exactly(math.log, 1 - generator.uniform(count))


def _cauchy(generator: Generator, count: int, median: float = 0, sigma: float = 1) -> np.ndarray:
    return median + sigma * exactly(math.tan, math.pi * (generator.uniform(count) - 0.5))


def _geometric(generator: Generator, count: int, p: float) -> np.ndarray:
    _check("geometric", 0 < p < 1, "a probability between 0 and 1", p)
    return (exactly(math.log, 1 - generator.uniform(count)) / math.log(p)).astype(np.int64) + 1


def _bernoulli(generator: Generator, count: int, p: Any = 0.5) -> np.ndarray:
    chances = p if is_number(p) else np.asarray(p).reshape(-1)
    _check("bernoulli", bool(np.all((chances >= 0) & (chances <= 1))), "probabilities from 0 to 1", p)
    return (generator.uniform(count) <= chances).astype(np.int64)


def _random(generator: Generator, count: int, first: int | None = None, last: int | None = None) -> np.ndarray:
    drawn = generator.bits(count)
    if first is None:
        return drawn
    low, high = (1, int(first)) if last is None else (int(first), int(last))
    _check("random", high >= low, "an upper bound that is not below the lower one", (low, high))
    return drawn % (high + 1 - low) + low


DISTRIBUTIONS = {
    each.name: each
    for each in (
        Distribution("uniform", _uniform, "uniform on [a, b), [0, 1) by default", True),
        Distribution("normal", _normal, "normal, of mean 0 and standard deviation 1 by default", True),
        Distribution("logNormal", _log_normal, "exp of a normal number, of mean 1 and deviation 2 by default", True),
        Distribution("exponential", _exponential, "of density rate * exp(-rate * x)", True),
        Distribution("cauchy", _cauchy, "of density sigma / (pi (sigma^2 + (x - median)^2)), 0 and 1 by default", True),
        Distribution("geometric", _geometric, "whole, n with probability (1 - p) p^(n - 1)", False),
        Distribution("bernoulli", _bernoulli, "1 with probability p, 0.5 by default, else 0", False),
        Distribution("random", _random, "whole, from first to last, or from 1 to a single bound", False),
    )
}
"""Torch's distributions by name."""


def drawn(draw: Callable[[int], np.ndarray], shape: tuple[int, ...], dtype: DTypeLike | None) -> np.ndarray:
    """An array of numbers from a generator's method. Raises TypeError for types of whole numbers."""
    if not is_floating(dtype):
        raise TypeError(f"expected a floating-point type, got {dtype}")
    return in_blocks(draw, math.prod(shape), dtype).reshape(shape)


def _values_of(dtype: np.dtype) -> int:
    """How many numbers from 0 on a tensor's `random()` draws from: those that its type represents exactly."""
    if jnp.issubdtype(dtype, jnp.floating):
        return (1 << (jnp.finfo(dtype).nmant + 1)) + 1
    return int(np.iinfo(dtype).max) + 1 if dtype.itemsize < 8 else 1 << 32


@dataclass(frozen=True)
class Draws:
    """A source of initial values (`layers.initializers.Source`): a generator's numbers, in a dtype."""

    generator: Generator
    dtype: np.dtype

    def uniform(self, shape: tuple[int, ...], low: Numbers, high: Numbers) -> np.ndarray:
        """Numbers in [low, high), with the bounds rounded to the dtype; arrays have a bound for each row."""
        low, high = (np.asarray(each, self.dtype).astype(np.float64) for each in (low, high))
        if low.ndim:
            return (self.generator.uniform(math.prod(shape)).reshape(shape) * (high - low) + low).astype(self.dtype)
        return self._drawn(lambda count: self.generator.uniform(count) * (high - low) + low, shape)

    def normal(self, shape: tuple[int, ...], mean: float, stdv: float) -> np.ndarray:
        """Normally distributed numbers."""
        mean, stdv = (float(np.asarray(each, self.dtype)) for each in (mean, stdv))
        return self._drawn(lambda count: self.generator.normal(count) * stdv + mean, shape)

    def key(self) -> jax.Array:
        """A key, for users' layers that draw with one."""
        return next_key()

    def _drawn(self, draw: Callable[[int], np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
        return drawn(draw, shape, self.dtype)


# Classes --------------------------------------------------------------------------------------------------------------


def permutation(args: tuple) -> np.ndarray:
    """The numbers 1 to n in random order, for the arguments ([generator], n)."""
    generator, given = given_generator(args)
    if len(given) != 1 or not is_number(given[0]):
        got = given_as(given)
        raise TypeError(f"torch.randperm: expected ([generator], number), after a result if any, got {got}")
    if given[0] < 1:
        raise ValueError(f"torch.randperm: expected a positive number, got {given[0]}")
    return generator.permutation(int(given[0])) + 1


def multinomial(generator: Generator, weights: np.ndarray, count: int, replacement: bool = False) -> np.ndarray:
    """Classes from 1 on, `count` for each row of weights; each at most once without replacement."""
    rows, count = np.atleast_2d(weights).astype(np.float64), int(count)
    if weights.ndim not in (1, 2) or count < 1 or (not replacement and count > rows.shape[1]):
        raise ValueError(
            f"torch.multinomial: expected a vector or matrix of weights, and to draw from 1 "
            f"{'' if replacement else 'up to as many as there are '}numbers, got shape {weights.shape} and {count}"
        )
    sums = rows.cumsum(1)
    _check("multinomial", bool((sums[:, -1] > 0).all()), "weights with a positive sum", weights)
    sums /= sums[:, -1:].copy()
    found = np.empty((len(rows), count), np.int64)
    for row, drawn, points in zip(sums, found, generator.uniform(found.size).reshape(found.shape), strict=True):
        if replacement:
            row[-1] = 1
            drawn[:] = np.searchsorted(row, points)
            continue
        for place, point in enumerate(points):
            row[-1] = 1
            drawn[place] = at = np.searchsorted(row, point)
            share = row[at] - (row[at - 1] if at else 0)
            row[at:] -= share
            with np.errstate(divide="ignore", invalid="ignore"):  # after the last class nothing is left
                row /= 1 - share
    return found.reshape((*weights.shape[:-1], count)) + 1
