"""Repeated draws from one distribution by the alias method: multinomialAliasSetup and multinomialAlias."""

from __future__ import annotations

import numpy as np

from ...core import Const
from ...layers.alias import DRAWS, alias_table
from .arguments import described
from .generator import Generator
from .kinds import Numbers


def weights_of(who: str, probs: Numbers) -> np.ndarray:
    """A vector of weights. Raises ValueError for other shapes, for negative weights, and if all are 0."""
    weights = np.asarray(probs)
    if weights.ndim != 1 or not weights.size or weights.min() < 0 or not weights.any():
        raise ValueError(f"{who}: expected a vector of weights, got {described(probs)}")
    return weights


def alias_classes(probs: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """The tables of `multinomialAlias` for a vector of weights: a class for each column, and the probability that a
    column keeps its own class.

    Raises ValueError as `weights_of` does.
    """
    weights = weights_of("torch.multinomialAliasSetup", probs)
    table, columns = alias_table(Const(weights)), np.arange(weights.size)
    room = DRAWS // weights.size + (columns < DRAWS % weights.size)
    return table.alias.astype(np.int64) + 1, table.threshold / room


def drawn_classes(generator: Generator, state: list, count: int) -> np.ndarray:
    """Draws `count` classes from 1 on, with the state of `multinomialAliasSetup`.

    Each takes two numbers of the generator: a column, and whether it keeps its own.
    """
    aliases, shares = map(np.asarray, state)
    points = generator.uniform(2 * count).reshape(-1, 2)
    columns = (points[:, 0] * len(aliases)).astype(np.int64)
    return np.where(points[:, 1] <= shares[columns], columns + 1, aliases[columns])
