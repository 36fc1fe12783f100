"""Samples from a fixed distribution in constant time, for any number of values: the alias method."""

from functools import lru_cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..core import Const
from ..core.arrays import Numbers

DRAWS = 2**32


class AliasTable(NamedTuple):
    """A distribution over 0 .. n - 1 for draws of 32 random bits: column `bits % n` keeps the low ones of its levels.

    The levels `bits // n` of a column below `threshold` give the column itself, the others its `alias`.
    """

    threshold: np.ndarray
    alias: np.ndarray

    def draw(self, key: jax.Array, shape: tuple[int, ...]) -> jax.Array:
        """Samples, counted from 0; each uses one 32-bit number."""
        bits, size = jax.random.bits(key, shape, jnp.uint32), np.uint32(len(self.alias))
        column, level = lax.rem(bits, size).astype(jnp.int32), lax.div(bits, size)
        threshold, alias = jnp.asarray(self.threshold), jnp.asarray(self.alias)
        return jnp.where(level < threshold[column], column, alias[column])


def whole_shares(weights: Numbers) -> np.ndarray:
    """How many of the 2^32 draws give each value: whole numbers, less than 1 from the exact share."""
    total = np.cumsum(np.asarray(weights, np.float64))
    return np.diff(np.rint(total / total[-1] * DRAWS).astype(np.int64), prepend=0)


def alias_columns(weights: Numbers) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(threshold, alias, room) of each column (Walker, 1977): draws from the threshold to the room go to the alias.

    Columns with more room than shares are filled one after the other from those with more shares than room; one of the
    latter that has given too much takes the difference from the next (Huebschle-Schneider & Sanders, 2022).
    """
    shares = whole_shares(weights)
    size = len(shares)
    room = DRAWS // size + (np.arange(size) < DRAWS % size)
    threshold, alias = shares.copy(), np.arange(size)
    low, high = np.flatnonzero(shares <= room), np.flatnonzero(shares > room)
    if len(high):
        missing, spare = np.cumsum((room - shares)[low]), np.cumsum((shares - room)[high])
        before = missing - (room - shares)[low]
        giver = np.searchsorted(spare, before, side="right")
        alias[low] = high[np.minimum(giver, len(high) - 1)]  # after the last: full columns
        threshold[high] = room[high] - (missing[np.searchsorted(missing, spare)] - spare)
        alias[high[:-1]] = high[1:]
    return threshold, alias.astype(np.int32), room


@lru_cache(maxsize=16)
def alias_table(weights: Const) -> AliasTable:
    """The table for a distribution in proportion to the weights."""
    threshold, alias, _ = alias_columns(weights.value)
    return AliasTable(threshold.astype(np.uint32), alias)
