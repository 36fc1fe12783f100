"""Samples the words that follow a word."""

from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from ..core import Const, Module, check_positive, check_values, draws, expected, title
from ..core.arrays import Numbers
from ..core.types import Array, State, Tree, Value
from .alias import alias_columns


def pairs(name: str, bigrams: Value) -> Const:
    """The distributions as one record (word, next word, probability) for each pair, by words."""
    if isinstance(bigrams, Const):
        return bigrams
    if isinstance(bigrams, (list, tuple)):
        bigrams = dict(enumerate(bigrams, 1))
    if not isinstance(bigrams, dict) or not bigrams:
        raise TypeError(f"{name}: expected a table from words to tables of index and prob, got {bigrams!r}")
    records = []
    for word, following in sorted(bigrams.items()):
        if not isinstance(following, dict) or not {"index", "prob"} <= set(following):
            raise TypeError(f"{name}: expected index and prob for word {word}, got {following!r}")
        index, prob = np.asarray(following["index"]), np.asarray(following["prob"], np.float64)
        if index.ndim != 1 or index.shape != prob.shape or not index.size or word < 1:
            raise ValueError(f"{name}: expected as many index as prob for word {word}, got {following!r}")
        if not ((prob >= 0).all() and 0 < prob.sum() < np.inf):
            raise ValueError(f"{name}: expected prob from 0, with a positive sum, for word {word}, got {following!r}")
        records += zip([word] * len(index), index, prob / prob.sum(), strict=True)
    return Const(np.array(records, [("word", np.int32), ("next", np.int32), ("prob", np.float64)]))


class Bigrams(Module):
    """P(y | x) = p_xy / (sum_w p_xw): words that follow each word x of the input, drawn from its distribution, by the
    alias method.

    Shape: words (B) -> (B, nsample), integers; no gradient. `bigrams` is a table from words (numbers from 1) to tables
    of `index`, the words that may follow, and `prob`, their probabilities; these need not sum to 1.
    Buffers: starts, sizes, following, stay, other: the distributions and their alias tables.
    Raises: TypeError or ValueError for another table, for inputs of other shapes, for words without a distribution
    if these are concrete (under jit they give 0), and if the key is missing.
    Differs from Torch7: one of its versions gives places in `index`; these are the words themselves, as in its last.
    Source: dpnn, Bigrams.lua; Walker, 1977.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> following = {1: {"index": [2, 3], "prob": [0.5, 0.5]}, 2: {"index": [1], "prob": [1.0]}}
    >>> words = jax.ShapeDtypeStruct((4,), jnp.int32)
    >>> f7.output_shape(f7.Bigrams(following, 5), words)
    (4, 5)
    """

    checks_values: ClassVar[bool] = True

    bigrams: Numbers
    nsample: int

    def __post_init__(self) -> None:
        check_positive(self, nsample=self.nsample)
        self._set(bigrams=pairs(self.torch_name(), self.bigrams))

    def statistics(self) -> float:
        """The mean number of words that may follow a word."""
        words = self.bigrams.value["word"]
        return len(words) / len(np.unique(words))

    def draws(self, train: bool) -> bool:
        return True

    def init_buffers(self) -> State:
        records = self.bigrams.value
        sizes = np.bincount(records["word"])
        starts = np.cumsum(sizes) - sizes
        tables = [alias_columns(records["prob"][a : a + n]) for a, n in zip(starts, sizes, strict=True) if n]
        threshold, other, room = (np.concatenate(column) for column in zip(*tables, strict=True))
        stay = jnp.asarray(threshold / room, jnp.float32)
        return {
            "starts": jnp.asarray(starts, jnp.int32), "sizes": jnp.asarray(sizes, jnp.int32),
            "following": jnp.asarray(records["next"]), "stay": stay, "other": jnp.asarray(other),
        }  # fmt: skip

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Array, train: bool) -> tuple[Array, Tree]:
        if input.ndim != 1:
            raise expected(self, "a vector of words", input)
        starts, sizes, following, stay, other = (
            jnp.asarray(buffers[name]) for name in ("starts", "sizes", "following", "stay", "other")
        )
        words = input.astype(jnp.int32)
        size = sizes.at[words].get(mode="fill", fill_value=0, wrap_negative_indices=False)
        last = len(starts) - 1
        wanted = f"words up to {last} with bigrams"
        check_values(words, size == 0, f"{title(self)}: expected {wanted}, got {{value}} at position {{position}}")
        column_key, stay_key = jax.random.split(key)
        shape = (len(words), self.nsample)
        column = draws.whole(column_key, shape, 0, jnp.maximum(size, 1)[:, None])
        first = starts[jnp.clip(words, 0, last)][:, None]
        stays = draws.uniform(stay_key, shape, stay.dtype) < stay[first + column]
        drawn = following[first + jnp.where(stays, column, other[first + column])]
        return jnp.where(size[:, None] > 0, drawn, 0), buffers
