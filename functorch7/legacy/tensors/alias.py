"""Draws from one distribution again and again, by the alias method: multinomialAliasSetup and multinomialAlias."""

from __future__ import annotations

import numpy as np

from ...core import Const
from ...layers.alias import DRAWS, alias_table
from .arguments import described
from .kinds import Operand, Result
from .random import given_generator


def alias_state(probs: Operand, state: list | None = None) -> list:
    """What `multinomialAlias` draws by: a class for each column, and how likely a column keeps its own.

    `probs`: a vector of weights; `state`: a table of a LongTensor and a tensor of the type of `probs`, to be filled.
    Raises ValueError for other shapes, for negative weights, and where all are 0.
    """
    weights = np.asarray(probs)
    if weights.ndim != 1 or not weights.size or weights.min() < 0 or not weights.any():
        raise ValueError(f"torch.multinomialAliasSetup: expected a vector of weights, got {described(probs)}")
    table, columns = alias_table(Const(weights)), np.arange(weights.size)
    room = DRAWS // weights.size + (columns < DRAWS % weights.size)
    state = [probs.new().long(), probs.new()] if state is None else state
    for tensor, values in zip(state, (table.alias.astype(np.int64) + 1, table.threshold / room), strict=True):
        tensor.resize(weights.size).copy(values)
    return state


def alias_drawn(output: Operand, *args: Operand) -> Result:
    """The output, a LongTensor of one dimension, filled with classes from 1 on; ([generator], state).

    Each takes two numbers of the generator: a column, and whether it keeps its own.
    """
    generator, (state,) = given_generator(args)
    aliases, shares = map(np.asarray, state)
    points = generator.uniform(2 * output.nElement()).reshape(-1, 2)
    columns = (points[:, 0] * len(aliases)).astype(np.int64)
    return output.copy(np.where(points[:, 1] <= shares[columns], columns + 1, aliases[columns]))
