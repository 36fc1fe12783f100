"""Batches whose columns are endless streams of sequences, each after a mask step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from .seeds import Seed, generator


class Piece(NamedTuple):
    """`count` steps of a sequence from `first` on, and their place in a batch; all counted from 0."""

    column: int
    row: int
    sequence: int
    first: int
    count: int


class Columns:
    """The sequence that each column of a batch is in, and its step.

    `advance` fills one column after the other; each takes the next unused sequences, as many as it needs.
    """

    def __init__(self, batch_size: int):
        self.sequence: list[int | None] = [None] * batch_size  # None where a mask step comes next
        self.step = [0] * batch_size
        self.following = 0

    def advance(
        self, n_steps: int, n_sequences: int, length: Callable[[int], int], seed: Seed = None, randomly: bool = False
    ) -> Iterator[Piece]:
        """The pieces of the next n_steps steps; steps that no piece covers are mask steps."""
        random = generator(seed, "randseq") if randomly else None
        for column in range(len(self.sequence)):
            row = 0
            while row < n_steps:
                sequence = self.sequence[column]
                if sequence is None:
                    row += 1
                    sequence = self._next(n_sequences, random)
                    self.sequence[column], self.step[column] = sequence, 0
                step, size = self.step[column], length(sequence)
                count = min(size - step, n_steps - row)
                if count:
                    yield Piece(column, row, sequence, step, count)
                row += count
                self.step[column] += count
                if self.step[column] == size:
                    self.sequence[column] = None

    def _next(self, n_sequences: int, random: np.random.Generator | None) -> int:
        if random is not None:
            return int(random.integers(n_sequences))
        found = self.following
        self.following = (found + 1) % n_sequences
        return found

    def get_state(self) -> dict:
        """The position of every column, as a plain dict."""
        return {"sequence": list(self.sequence), "step": list(self.step), "following": self.following}

    def set_state(self, state: dict) -> None:
        """Continues from a saved state. Raises: TypeError for what is none, ValueError for one of other columns."""
        if not isinstance(state, dict) or state.keys() != self.get_state().keys():
            raise TypeError(f"expected the state of columns, a dict of {', '.join(self.get_state())}, got {state!r}")
        if len(state["sequence"]) != len(self.sequence):
            raise ValueError(f"expected the state of {len(self.sequence)} columns, got {len(state['sequence'])}")
        self.sequence, self.step = list(state["sequence"]), list(state["step"])
        self.following = state["following"]
