"""Attention: each place of a sequence collects values from the places of another that match its query."""

import math
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from ..core import Composite, Module, check_positive, draws, expected
from ..core.composite import Run
from ..core.precision import at_least_float32
from ..core.types import Array, Key, Tree, Value
from .linear import Linear

PROJECTIONS = ("queries", "keys", "values", "output")


class MultiHeadAttention(Composite):
    """head = SoftMax((Q K^T) / sqrt(size / heads)) V, with Q, K and V linear in the inputs; the heads are joined by a
    Linear.

    Shape: a sequence (T, size) or (B, T, size), kept: it attends to itself. Or a table [queries, keys, values], the
    last two of one length S, optionally followed by a mask: booleans (T, S) or (B, T, S), True where a query may
    look. With `causal`, no place looks at later ones. `p` is the share of the attention that is dropped in training.
    Parameters: those of its four Linear(size, size), "queries", "keys", "values" and "output".
    Raises: ValueError for heads that do not divide the size, for other ranks and sizes, and if the key is missing.
    Source: Vaswani et al., 2017; torch.nn.MultiheadAttention (batch_first=True).

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> attention = f7.MultiHeadAttention(8, heads=2)
    >>> params, buffers = attention.init(jax.random.key(0))
    >>> attention.apply(params, buffers, jnp.ones((3, 5, 8)))[0].shape
    (3, 5, 8)
    """

    tunable: ClassVar[tuple[str, ...]] = ("p",)

    size: int
    heads: int = 1
    p: float = 0.0
    causal: bool = False
    bias: bool = True

    def __post_init__(self) -> None:
        check_positive(self, size=self.size, heads=self.heads)
        if self.size % self.heads:
            raise ValueError(f"{self.torch_name()}: expected a size of {self.heads} equal heads, got {self.size}")
        if not 0 <= self.p < 1:
            raise ValueError(f"{self.torch_name()}: expected p from 0 to below 1, got {self.p}")
        super().__post_init__()

    def children(self) -> dict[str, Module]:
        return {name: Linear(self.size, self.size, bias=self.bias) for name in PROJECTIONS}

    def draws(self, train: bool) -> bool:
        return train and self.p > 0

    def f(self, run: Run, input: Tree) -> Array:
        queries, keys, values, mask = self._sequences(input)
        parts = self._split(run.queries(queries)), self._split(run.keys(keys)), self._split(run.values(values))
        found = self._attended(*parts, mask, run.key if self.draws(run.train) else None)
        return run.output(jnp.moveaxis(found, -3, -2).reshape(queries.shape))

    def _sequences(self, input: Value) -> tuple[Any, Any, Any, Any]:
        table = list(input) if isinstance(input, (list, tuple)) else [input] * 3
        ranks = {part.ndim for part in table[:3]}
        if len(table) not in (3, 4) or len(ranks) != 1 or not ranks <= {2, 3} or table[1].shape != table[2].shape:
            raise expected(self, "a sequence (T, size) or (B, T, size), or a table [queries, keys, values]", input)
        queries, keys, values, mask = table[0], table[1], table[2], table[3] if len(table) == 4 else None
        batch, pairs = queries.shape[:-2], (queries.shape[-2], keys.shape[-2])
        if keys.shape[:-2] != batch:
            raise expected(self, f"keys and values for each of {len(queries)} sequences", input)
        if mask is not None and jnp.shape(mask) not in (pairs, (*batch, *pairs)):
            raise expected(self, f"a mask of shape {pairs}" + (f" or {(*batch, *pairs)}" if batch else ""), mask)
        return queries, keys, values, mask

    def _split(self, x: Array) -> Array:
        """(..., T, size) as (..., heads, T, size / heads)."""
        return jnp.moveaxis(x.reshape(*x.shape[:-1], self.heads, self.size // self.heads), -2, -3)

    def _attended(self, queries: Array, keys: Array, values: Array, mask: Any, key: Key) -> Array:
        # Queries are scaled, not products, which float16 may be unable to hold. This also keeps XLA from computing
        # SoftMax's input in two ways, whose difference for large scores is an infinity that leads to NaN.
        queries = queries / math.sqrt(self.size // self.heads)
        wide = at_least_float32(queries.dtype)
        scores = jnp.matmul(queries, jnp.swapaxes(keys, -1, -2), preferred_element_type=wide)
        unseen = jnp.finfo(scores.dtype).min  # not -inf: a query that may look nowhere gets a mean, not NaN
        if self.causal:
            scores = jnp.where(jnp.tril(jnp.ones(scores.shape, bool)), scores, unseen)
        if mask is not None:
            seen = jnp.broadcast_to(jnp.expand_dims(mask != 0, -3), scores.shape)
            scores = jnp.where(seen, scores, unseen)
        weights = jax.nn.softmax(scores, -1).astype(values.dtype)
        if key is not None:
            kept = draws.happens(key, 1 - self.p, weights.shape)
            weights = jnp.where(kept, weights / (1 - self.p), 0)
        return weights @ values

    def printed(self) -> str:
        return f"{self.type_name()}({self.size}, heads {self.heads}{', causal' if self.causal else ''})"
