"""What a measure of a network is: a method for batches, and results that add up; a plain function is one, too."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, Self

import jax
import jax.numpy as jnp
import numpy as np

from .. import core
from ..core.types import Array, Output, Value


class Result(Protocol):
    """What a method measures; results of one kind add."""

    def result(self) -> tuple:
        """(the measure, or several; the number of samples)"""
        ...

    def __add__(self, other: Self, /) -> Self: ...


@dataclass(frozen=True)
class AccuracyResult:
    """`correct` of `count` samples; results of the same kind add with `+`."""

    correct: int
    count: int

    def result(self) -> tuple[float, int]:
        """(accuracy, count)"""
        return self.correct / self.count if self.count else math.nan, self.count

    def __add__(self, other: AccuracyResult) -> AccuracyResult:
        return type(self)(self.correct + other.correct, self.count + other.count)

    def __str__(self) -> str:
        return f"Accuracy(correct: {self.correct}, count: {self.count}, accuracy: {self.result()[0]})"


@dataclass(frozen=True)
class LossResult:
    """The sum of `count` samples' losses; results of the same kind add with `+`."""

    loss: float
    count: int

    def result(self) -> tuple[float, int]:
        """(average, count)"""
        return self.loss / self.count if self.count else math.nan, self.count

    def __add__(self, other: LossResult) -> LossResult:
        return type(self)(self.loss + other.loss, self.count + other.count)

    def __str__(self) -> str:
        return f"(Loss: {self.loss}, count: {self.count}, Average Loss: {self.result()[0]})"


class ValidationMethod:
    """A measure of outputs against targets: `method(output, target)` is the result for a batch.

    Write `measure(output, target)`, the batch's (total, number of samples) in jax.numpy, and name the `kind` of result.
    Methods compare by value (frozen dataclasses), so that a compiled evaluation is found again.
    Source: BigDL, ValidationMethod.
    """

    kind: type = LossResult
    checks_values = False

    def measure(self, output: Value, target: Value) -> tuple[Output, int]:
        """The sum over a batch, and its count: what a subclass writes. Raises NotImplementedError without it."""
        raise NotImplementedError(f"{type(self).__name__} must define measure(output, target)")

    def gathered(self, parts: list[tuple[Value, Value]]) -> Result:
        """The result, from what `measure` gave for each batch: totals are added up, unless a method does otherwise."""
        totals = np.stack([np.asarray(total) for total, _ in parts])
        total = totals.sum(0, dtype=np.float64 if jnp.issubdtype(totals.dtype, jnp.inexact) else None)
        return self.kind(total if total.ndim else total.item(), sum(int(count) for _, count in parts))

    def __call__(self, output: Value, target: Value) -> Output:
        return self.gathered([self.measure(*jax.tree.map(jnp.asarray, (output, target)))])

    def __str__(self) -> str:
        return type(self).__name__


@dataclass(frozen=True)
class Measured(ValidationMethod):
    """A function (output, target) as a method: of each sample, (B), or the mean of a batch, averaged over samples.

    Raises: ValueError for a function that gives something else.
    """

    function: Callable

    kind = LossResult

    def measure(self, output: Value, target: Value) -> tuple[Output, int]:
        value, count = jnp.asarray(self.function(output, target)), samples_in(output, target)
        if value.shape not in ((), (count,)):
            raise ValueError(f"{self}: expected a number, or one for each of {count} samples, got shape {value.shape}")
        return (value.sum() if value.ndim else value * count), count

    def __str__(self) -> str:
        return getattr(self.function, "__name__", type(self.function).__name__)


def samples_in(output: Value, target: Value) -> int:
    """How many samples a batch has: the size of the first dimension of the target's first array, or the output's."""
    leaf = next(iter(jax.tree.leaves(target) or jax.tree.leaves(output)))
    return (*jnp.shape(leaf), 1)[0]


def rows_and_classes(method: ValidationMethod, output: Value, target: Value) -> tuple[Array, Array]:
    """Scores as a matrix, one row for each sample, and the samples' classes as a vector of int32."""
    rows = output[None] if getattr(output, "ndim", 0) == 1 else output
    if getattr(rows, "ndim", 0) != 2 or jnp.size(target) != len(rows):
        given = f"{core.describe(output)} and {core.describe(target)}"
        raise ValueError(f"{method}: expected scores (B, n) and one class for each sample, got {given}")
    return rows, target.reshape(-1).astype(jnp.int32)
