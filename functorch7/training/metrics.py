"""Measures that are no mean over samples: of confusion and of ranking."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np

from ..checks.numbers import check_whole
from ..core import describe
from ..core.types import Output, Value
from .measures import ValidationMethod, rows_and_classes


@dataclass(frozen=True)
class ConfusionResult:
    """How often each class (a row) was taken for each (a column); results of the same kind add with `+`."""

    matrix: np.ndarray
    count: int
    of_class: int | None = None

    def result(self) -> tuple[float, int]:
        """(accuracy, count)"""
        return float(np.trace(self.matrix)) / self.count if self.count else math.nan, self.count

    def __add__(self, other: ConfusionResult) -> ConfusionResult:
        return type(self)(self.matrix + other.matrix, self.count + other.count, self.of_class)

    def recall(self) -> np.ndarray:
        """Of each class's samples, the part that was found; NaN where there are none."""
        return self._part(self.matrix.sum(1))

    def precision(self) -> np.ndarray:
        """Of what was taken for each class, the part that is; NaN where nothing was."""
        return self._part(self.matrix.sum(0))

    def f1(self) -> np.ndarray:
        """2 precision recall / (precision + recall) of each class; NaN where it is neither in the data nor found."""
        return 2 * self._part(self.matrix.sum(0) + self.matrix.sum(1))

    def _part(self, wholes: Any) -> np.ndarray:
        hits = np.diagonal(self.matrix).astype(np.float64)
        return np.divide(hits, wholes, out=np.full(len(hits), math.nan), where=wholes > 0)


class F1Result(ConfusionResult):
    """That of `F1`: `result` is (F1 of a class, or the mean over all classes that occur, count)."""

    def result(self) -> tuple[float, int]:
        each = self.f1()
        if self.of_class is not None:
            return float(each[self.of_class - 1]), self.count
        return float(np.nanmean(each)) if self.count else math.nan, self.count


@dataclass(frozen=True)
class ConfusionMatrix(ValidationMethod):
    """How often each of `classes` classes was taken for each; the result's score is the accuracy.

    Shape: scores (B, classes) with classes (B) or (B, 1), which count from 1.
    Raises: TypeError, ValueError for no number of classes; ValueError for other shapes, and, when results are gathered,
    for other classes.
    Source: optim.ConfusionMatrix.

    >>> import jax.numpy as jnp
    >>> scores = jnp.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]])
    >>> ConfusionMatrix(2)(scores, jnp.array([1, 2, 2])).matrix.tolist()
    [[1, 0], [1, 1]]
    """

    classes: int

    kind = ConfusionResult

    def __post_init__(self) -> None:
        check_whole(type(self).__name__, 1, classes=self.classes)

    def measure(self, output: Value, target: Value) -> tuple[Output, int]:
        rows, classes = rows_and_classes(self, output, target)
        if rows.shape[1] != self.classes:
            raise ValueError(f"{self}: expected scores of {self.classes} classes, got shape {jnp.shape(output)}")
        known, size = (classes >= 1) & (classes <= self.classes), self.classes**2
        places = (classes - 1) * self.classes + jnp.argmax(rows, 1).astype(jnp.int32)
        counts = jnp.bincount(jnp.where(known, places, size), length=size)  # beyond the length nothing is counted
        return counts.reshape(self.classes, self.classes), len(rows)

    def gathered(self, parts: list[tuple[Value, Value]]) -> ConfusionResult:
        found: Any = super().gathered(parts)
        if other := found.count - found.matrix.sum():
            raise ValueError(f"{self}: expected classes from 1 to {self.classes}, {other} of {found.count} are others")
        return found


@dataclass(frozen=True)
class F1(ConfusionMatrix):
    """2 precision recall / (precision + recall), of one class (from 1), or the mean over all that occur.

    Shape: scores (B, classes) with classes (B) or (B, 1), which count from 1.
    Raises: as ConfusionMatrix; TypeError, ValueError for an `of_class` that is none of the classes.
    Source: sklearn.metrics.f1_score(average="macro").

    >>> import jax.numpy as jnp
    >>> scores = jnp.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]])
    >>> F1(2, of_class=2)(scores, jnp.array([1, 2, 2])).result()
    (0.6666666666666666, 3)
    """

    of_class: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.of_class is None:
            return
        check_whole("F1", 1, of_class=self.of_class)
        if self.of_class > self.classes:
            raise ValueError(f"F1: expected of_class from 1 to {self.classes}, got {self.of_class}")

    def gathered(self, parts: list[tuple[Value, Value]]) -> F1Result:
        found = super().gathered(parts)
        return F1Result(found.matrix, found.count, self.of_class)


PAIRS = ({1, 2}, {0, 1}, {-1, 1})
"""The classes that AUC tells apart; the larger is positive."""


@dataclass(frozen=True)
class AUCResult:
    """Scores and targets; results add with `+`. Which class is positive is known when all targets are there."""

    scores: np.ndarray
    targets: np.ndarray

    def result(self) -> tuple[float, int]:
        """(the area under the ROC curve, count): how often a positive has more than a negative; ties count half.

        NaN without one of both, and where a score is NaN. Raises: ValueError for other classes than `AUC` takes.
        """
        classes = set(np.unique(self.targets).tolist())
        if not any(classes <= pair for pair in PAIRS):
            found = ", ".join(f"{each:g}" for each in sorted(classes))
            raise ValueError(f"AUC: expected targets of two classes, 1 and 2, 0 and 1, or -1 and 1, got {found}")
        positive = self.targets == (2 if self.targets.max(initial=0) > 1 else 1)
        order, count = np.sort(self.scores), len(self.scores)
        ranks = (np.searchsorted(order, self.scores) + np.searchsorted(order, self.scores, "right") + 1) / 2
        positives = int(positive.sum())
        pairs = positives * (count - positives)
        if not pairs or np.isnan(self.scores).any():
            return math.nan, count
        return float((ranks[positive].sum() - positives * (positives + 1) / 2) / pairs), count

    def __add__(self, other: AUCResult) -> AUCResult:
        both = zip((self.scores, self.targets), (other.scores, other.targets), strict=True)
        return AUCResult(*map(np.concatenate, both))


@dataclass(frozen=True)
class AUC(ValidationMethod):
    """The area under the ROC curve of two classes: exact, from the scores of all samples.

    Shape: the scores of class 2 (or 1 against 0), (B) or (B, 1), or those of both classes, (B, 2), whose difference
    counts; targets (B) or (B, 1), of which the larger class is positive: 1 and 2, 0 and 1, or -1 and 1.
    Raises: ValueError for other shapes, and, when the result is asked for, for other classes.
    Source: sklearn.metrics.roc_auc_score.

    >>> import jax.numpy as jnp
    >>> AUC()(jnp.array([0.1, 0.4, 0.35, 0.8]), jnp.array([1, 1, 2, 2])).result()
    (0.75, 4)
    """

    kind = AUCResult

    def measure(self, output: Value, target: Value) -> tuple[Output, int]:
        sizes = getattr(output, "shape", ())
        if sizes[1:] not in ((), (1,), (2,)) or not sizes or jnp.size(target) != len(output):
            raise ValueError(
                f"{self}: expected scores (B), (B, 1) or (B, 2) and as many targets, got {describe(output)} and "
                f"{describe(target)}"
            )
        scores = output[:, 1] - output[:, 0] if sizes[1:] == (2,) else output.reshape(-1)
        dtype = jnp.float64 if scores.dtype == jnp.float64 else jnp.float32
        return jnp.stack([scores.astype(dtype), target.reshape(-1).astype(dtype)]), len(scores)

    def gathered(self, parts: list[tuple[Value, Value]]) -> AUCResult:
        return AUCResult(*np.concatenate([np.asarray(part) for part, _ in parts], 1))
