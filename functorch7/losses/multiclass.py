"""Losses with one score per class, and class numbers from 1."""

from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..core import check_values, expected, lookable
from ..core.arrays import Numbers
from ..core.precision import floating
from ..core.straight_through import derived_as
from ..core.types import Array, Value
from ..core.varying import varying_as
from ..layers.lookup import are_numbers
from ..layers.merging import merged
from .base import Criterion, Weighted, of_sizes, vector
from .classification import ClassNLLCriterion, are_classes, check_classes, counted_classes


class SpatialClassNLLCriterion(Weighted):
    """l = -sum w[t] x[t] / sum w[t]: ClassNLLCriterion of every pixel; a sum, undivided, unless size_average.

    Shape: log-probabilities (B, n, H, W) with classes (B, H, W) -> scalar.
    Raises: ValueError for other ranks and sizes, weights that are not (n,), and classes outside 1..n if these are
    concrete; under jit such a class gives NaN.
    Source: nn/doc/criterion.md#nn.SpatialClassNLLCriterion.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> log_p, classes = jnp.full((1, 2, 1, 3), -0.5), jnp.array([[[1, 2, 1]]])
    >>> jax.jit(f7.SpatialClassNLLCriterion())(log_p, classes).item()
    0.5
    """

    @of_sizes
    def check(self, input: Value, target: Value) -> None:
        if input.ndim == 4:
            check_classes(self, target, input.shape[1])

    def loss(self, input: jax.Array, target: jax.Array) -> jax.Array:
        if input.ndim != 4:
            raise expected(self, "a batch of images (4D)", input)
        if target.shape != (len(input), *input.shape[2:]):
            raise expected(self, f"a target of shape {(len(input), *input.shape[2:])}", target)
        pixels = merged(jnp.moveaxis(input, 1, -1), 1)
        return ClassNLLCriterion(self.weights, self.size_average).loss(pixels, target.reshape(-1))


class MultiMarginCriterion(Criterion):
    """l = sum_{i != t} w[t] max(0, margin - x[t] + x[i])^p / n: the mean of this over a batch if size_average.

    Shape: scores (n) with one class (the first of those given), or (B, n) with classes (B) -> scalar. p is 1 or 2;
    weights (n,).
    Raises: ValueError for another p, ranks, sizes, and classes outside 1..n if these are concrete; under jit
    such a class gives NaN.
    Source: nn/doc/criterion.md#nn.MultiMarginCriterion.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> jax.jit(f7.MultiMarginCriterion())(jnp.array([0.0, 2.0, 1.5, 0.0]), jnp.array([2])).item()
    0.125
    """

    tunable: ClassVar[tuple[str, ...]] = ("margin",)

    p: int = 1
    weights: Numbers | None = None
    margin: float = 1
    size_average: bool = True

    def __post_init__(self) -> None:
        self._set(weights=vector(self, self.weights))
        if self.p not in (1, 2):
            raise ValueError(f"nn.MultiMarginCriterion: only p=1 and p=2 supported, got {self.p}")

    @of_sizes
    def check(self, input: Value, target: Value) -> None:
        check_classes(self, counted_classes(self, input, target), input.shape[-1])

    def loss(self, input: jax.Array, target: jax.Array) -> jax.Array:
        if input.ndim not in (1, 2):
            raise expected(self, "a vector or matrix of scores", input)
        scores, given = merged(input, 1), counted_classes(self, input, target)
        classes = given.astype(jnp.int32) - 1
        own = jax.nn.one_hot(classes, scores.shape[1], dtype=bool)
        picked = jnp.take_along_axis(scores, classes[:, None], 1)
        violation = self.margin - picked + scores
        losses = jnp.where(own | (violation <= 0), 0, violation) ** self.p
        if self.weights is not None:
            if self.weights.value.shape != scores.shape[1:]:
                raise expected(self, f"a weight for each of the {scores.shape[1]} classes", self.weights.value)
            losses = losses * jnp.asarray(self.weights.value, scores.dtype)[classes][:, None]
        valid = are_classes(given, scores.shape[1])
        total = jnp.where(valid[:, None], losses, jnp.nan).sum() / scores.shape[1]
        return total / len(scores) if self.size_average else total


class MultiLabelMarginCriterion(Criterion):
    """l = sum_{j, i} max(0, 1 - x[j] + x[i]) / n, over targets j and other classes i: the mean of this over a batch if
    size_average.

    Shape: scores (n) or (B, n), and as many class numbers, of which those before the first 0 are the targets -> scalar.
    Raises: ValueError for other ranks, shapes that differ, and classes outside 0..n if these are concrete; under
    jit such a class gives NaN.
    Source: nn/doc/criterion.md#nn.MultiLabelMarginCriterion.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> jax.jit(f7.MultiLabelMarginCriterion())(jnp.array([0.0, 2.0, 1.5, 0.0]), jnp.array([2, 0, 0, 0])).item()
    0.125
    """

    size_average: bool = True

    @of_sizes
    def check(self, input: Value, target: Value) -> None:
        targets, classes = lookable(target), input.shape[-1]
        wrong = ~are_numbers(targets, 0, classes)
        check_values(targets, wrong, f"{self}: target out of range, expected 0 to {classes}, got {{value:g}}")

    def loss(self, input: jax.Array, target: jax.Array) -> jax.Array:
        if input.ndim not in (1, 2) or input.shape != target.shape:
            raise expected(self, "scores and targets of one shape, a vector or a matrix", [input, target])
        scores, classes = (merged(a, 1) for a in (input, target.astype(jnp.int32)))
        listed = jnp.cumprod((classes != 0).astype(jnp.int32), 1) != 0
        at = jnp.where(listed, classes - 1, 0)
        violated, pull = _violations(lax.stop_gradient(scores), at, listed)
        total = derived_as(violated, (pull * scores).sum()) / scores.shape[1]
        wrong = ~are_numbers(target, 0, scores.shape[1])
        total = jnp.where(wrong.any(), jnp.nan, total)
        return total / len(scores) if self.size_average else total


def _violations(scores: Array, at: Array, listed: Array) -> tuple[Array, Array]:
    """How much the margins of the `listed` classes among `at` are violated, and the derivative by the scores.

    Targets are processed one after the other: few of all pairs of classes contain a target, and all pairs would need
    much memory.
    """
    rows = jnp.arange(len(scores))
    own = jnp.zeros(scores.shape, bool).at[rows[:, None], at].max(listed)

    def step(k: Array, found: tuple[Array, Array]) -> tuple[Array, Array]:
        violated, pull = found
        target, is_one = at[:, k], listed[:, k]
        violation = 1 - scores[rows, target][:, None] + scores
        active = is_one[:, None] & ~own & (violation > 0)
        ones = active.astype(pull.dtype)
        pulled = (pull + ones).at[rows, target].add(-ones.sum(1))
        return violated + jnp.where(active, violation, 0).sum(), pulled

    nothing = varying_as((jnp.zeros((), scores.dtype), jnp.zeros_like(scores)), (scores, at))
    return lax.fori_loop(0, listed.sum(1).max(initial=0), step, nothing)


class ClassSimplexCriterion(Criterion):
    """sum_i (x_i - v_ti)^2, divided by the number of elements if size_average: MSECriterion between the input and the
    vertex v_t of its class in a regular simplex.

    Shape: (n_classes) with one class, or (B, n_classes) with classes (B) -> scalar; the mean over all elements if
    size_average. The vertices are unit vectors in n_classes - 1 dimensions, with a last element 0.
    Raises: ValueError for n_classes below 2, other shapes, and classes outside 1..n if these are concrete; under
    jit such a class gives NaN.
    Source: nn/doc/criterion.md#nn.ClassSimplexCriterion.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> scores = jnp.array([[1.0, 0.0], [1.0, 0.0]])
    >>> f"{jax.jit(f7.ClassSimplexCriterion(2))(scores, jnp.array([1, 2])).item():.3f}"  # the vertices are 1 and -1
    '1.000'
    """

    n_classes: int
    size_average: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.n_classes, bool) or int(self.n_classes) != self.n_classes or self.n_classes < 2:
            raise ValueError(
                f"{self.torch_name()}: required positive integer argument nClasses > 1, got {self.n_classes}"
            )
        self._set(n_classes=int(self.n_classes))

    @property
    def simplex(self) -> np.ndarray:
        """The vertices, one per row."""
        dims = self.n_classes - 1
        vertices = np.zeros((self.n_classes, self.n_classes))
        for k in range(dims):
            vertices[k, k] = np.sqrt(1 - (vertices[k, :k] ** 2).sum())
            vertices[k + 1 :, k] = (vertices[k, k] ** 2 - 1 - 1 / dims) / vertices[k, k]
        return vertices

    @of_sizes
    def check(self, input: Value, target: Value) -> None:
        check_classes(self, target, self.n_classes)

    def loss(self, input: jax.Array, target: jax.Array) -> jax.Array:
        if input.ndim not in (1, 2) or input.shape[-1] != self.n_classes or target.ndim > 1:
            raise expected(self, f"{self.n_classes} numbers per example, and 1D classes", [input, target])
        rows = merged(input, 1)
        if target.size != len(rows):
            raise expected(self, f"{len(rows)} classes as target", target)
        vertices = jnp.asarray(self.simplex, input.dtype)[target.reshape(-1).astype(jnp.int32) - 1]
        valid = are_classes(target.reshape(-1), self.n_classes)
        squares = jnp.where(valid[:, None], jnp.square(rows - vertices), jnp.nan)
        return squares.mean() if self.size_average else squares.sum()

    def predictions(self, input: Value) -> Array:
        """Each class's score: (B, n_classes) for (B, n_classes), or (1, n_classes) for one example."""
        input = jnp.asarray(input)
        input = input.astype(floating(input.dtype))
        return input.reshape(-1, self.n_classes) @ jnp.asarray(self.simplex, input.dtype).T

    def top_prediction(self, input: Value) -> Array:
        """The class with the largest score, from 1: (B)."""
        return jnp.argmax(self.predictions(input), 1) + 1
