"""SequenceLoader and MultiSequence: one long sequence, or many, as windows of time-steps."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence

import numpy as np

from ..checks.numbers import check_whole
from ..core.types import ArrayLike, Indices, Table, Value
from .loader import DataLoader
from .nested import as_indices, with_size
from .seeds import Seed
from .streams import Columns


class StepLoader(DataLoader):
    """What loaders of consecutive time-steps have in common: their samples cannot be drawn."""

    streaming = True
    batch_size: int

    def sample(self, batch_size: int = 0, seed: Seed = None, **options: object) -> tuple:
        """Not available: steps are consecutive."""
        raise NotImplementedError("Not Implemented")

    def sampleiter(
        self, batch_size: int = 0, epoch_size: int = -1, *, seed: Seed = None, **options: object
    ) -> Iterator:
        """Not available: steps are consecutive."""
        raise NotImplementedError("Not Implemented. Use subiter instead.")

    def tsize(self, exclude_dim: int | bool = 1) -> Value:
        return self.isize(exclude_dim)


class StreamLoader(StepLoader):
    """What loaders of many sequences have in common: each column of a batch is an endless stream of them."""

    columns: Columns

    def reset(self) -> None:
        """Starts every column anew, the first with the first sequence."""
        super().reset()
        self.columns = Columns(self.batch_size)

    def get_state(self) -> dict:
        return {**super().get_state(), "columns": self.columns.get_state()}

    def set_state(self, state: dict) -> None:
        super().set_state(state)
        self.columns.set_state(state["columns"])

    def _count_of_steps(self, start: int, stop: int) -> int:
        """How many steps `sub` is to give. Raises: IndexError for none."""
        if stop < start:
            raise IndexError(f"{type(self).__name__}.sub: expected at least one step, got {start} to {stop}")
        return stop - start + 1

    def _position(self, number: int) -> int:
        """The position of a sequence, from 0. Raises: TypeError, IndexError for a number that none has."""
        return int(as_indices(f"{type(self).__name__}.record", [number], self.n_records())[0]) - 1

    def _share(self, index: int, count: int) -> slice:
        """Which sequences process `index` of `count` reads: neighbours. Raises: ValueError for too few sequences."""
        n = self.n_records()
        if n < count:
            raise ValueError(f"{type(self).__name__}: {n} sequences cannot be shared by {count} processes")
        return slice(n * index // count, n * (index + 1) // count)


class SequenceLoader(StepLoader):
    """One long sequence, cut into batch_size parts of L = floor(T / batch_size) steps: data[t][b] = sequence[b L + t].

    Shape: sequence T x ...; inputs and targets of `sub` are steps x batch_size x ..., views that must not be written
    to. The targets are the inputs one step later, or the inputs themselves if `bidirectional`. The last
    T - L batch_size steps are not used.
    `subiter(n_steps)` yields n_steps time-steps at a time, of size() = L - 1 in all (L if `bidirectional`).
    Raises: ValueError if the sequence is too short; IndexError for steps outside 1 to size().
    Source: dataload/README.md#SequenceLoader.
    Differs from Torch7: steps may have any shape, as Torch's documentation says; its code takes numbers only.
    """

    def __init__(self, sequence: ArrayLike | Table, batch_size: int, bidirectional: bool = False):
        sequence = np.asarray(sequence)
        check_whole("SequenceLoader", 1, batch_size=batch_size)
        self.batch_size, self.bidirectional = batch_size, bidirectional
        length = len(sequence) // batch_size if sequence.ndim else 0
        if length < 2 - bidirectional:
            raise ValueError(f"SequenceLoader: shape {sequence.shape} is too short for {batch_size} parts")
        parts = sequence[: length * batch_size].reshape(batch_size, length, *sequence.shape[1:])
        self.data = np.ascontiguousarray(parts.swapaxes(0, 1))

    def size(self) -> int:
        return len(self.data) if self.bidirectional else len(self.data) - 1

    def isize(self, exclude_dim: int | bool = 1) -> Value:
        return with_size(list(self.data.shape), self.size(), exclude_dim)

    def index(self, indices: Indices) -> tuple:
        """(inputs, targets) at the given time-steps."""
        indices = as_indices("SequenceLoader.index", indices, self.size())
        return self.data[indices - 1], self.data[indices - self.bidirectional]

    def sub(self, start: int, stop: int, *, seed: Seed = None) -> tuple:
        if not 1 <= start <= stop <= self.size():
            raise IndexError(f"SequenceLoader.sub: expected steps from 1 to {self.size()}, got {start} to {stop}")
        later = 0 if self.bidirectional else 1
        return self.data[start - 1 : stop], self.data[start - 1 + later : stop + later]

    def shard(self, index: int, count: int) -> SequenceLoader:
        """The columns of process `index` (from 0) of `count`; batch_size / count of them."""
        if self.batch_size % count:
            raise ValueError(f"SequenceLoader: a batch of {self.batch_size} cannot be shared by {count} processes")
        width = self.batch_size // count
        part = copy.copy(self)
        part.batch_size = width
        part.data = np.ascontiguousarray(self.data[:, index * width : (index + 1) * width])
        return part


class Ragged(Sequence):
    """Sequences of different lengths, stored one after the other in one array.

    `values` (all steps) x ...; sequence i is values[offsets[i]:offsets[i + 1]].
    Raises: ValueError unless the offsets rise from 0 to the number of steps.
    """

    def __init__(self, values: np.ndarray, offsets: Indices):
        self.values, self.offsets = values, np.asarray(offsets, np.int64)
        ends = self.offsets[[0, -1]].tolist() if self.offsets.ndim == 1 and self.offsets.size else None
        if ends != [0, len(values)] or (np.diff(self.offsets) < 0).any():
            raise ValueError(f"Ragged: expected offsets that go from 0 up to {len(values)} steps, got {offsets}")

    @classmethod
    def of(cls, sequences: Sequence[ArrayLike]) -> Ragged:
        """Joins a list of arrays; raises ValueError unless they agree in all dimensions but the first."""
        arrays = [np.asarray(each) for each in sequences]
        if not arrays:
            raise ValueError("Ragged: expected at least one sequence, got none")
        single = next((each for each in arrays if not each.ndim), None)
        if single is not None:
            raise ValueError(f"Ragged: expected sequences of steps, got {single[()]!r} as one")
        if any(each.shape[1:] != arrays[0].shape[1:] for each in arrays):
            shapes = sorted({str(each.shape[1:]) for each in arrays})
            raise ValueError(f"expected sequences of steps of one shape, got steps of shapes {', '.join(shapes)}")
        return cls(np.concatenate(arrays), np.cumsum([0, *map(len, arrays)]))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> np.ndarray:
        if not 0 <= index < len(self):
            raise IndexError(f"sequence {index} of {len(self)}")
        return self.values[self.offsets[index] : self.offsets[index + 1]]


class MultiSequence(StreamLoader):
    """Independent sequences: each column of a batch is an endless stream of a mask step, a sequence, a mask step, ...

    `sequences`: a list of arrays T x ..., of any lengths T, or a `Ragged`. A sequence of T steps gives T - 1 pairs
    (x[t], x[t + 1]). A mask step has zeros as inputs and targets; where steps are numbers its target is 1, a valid
    class.
    Shape: inputs and targets of `sub` are steps x batch_size x ....
    `sub(start, stop)` returns the next stop - start + 1 steps: every column continues where it stopped. `get_state`
    returns these positions, `reset` goes back to the start. size() is ceil(sum of T / batch_size), the steps of an
    epoch. If `randseq` is set, each new sequence is drawn uniformly, and `sub` and `subiter` need a seed.
    Raises: ValueError if a sequence is empty or the shapes of their steps differ.
    Source: dataload/README.md#MultiSequence.
    """

    def __init__(self, sequences: Sequence[ArrayLike] | Ragged, batch_size: int):
        check_whole("MultiSequence", 1, batch_size=batch_size)
        self.sequences = sequences if isinstance(sequences, Ragged) else Ragged.of(sequences)
        if not len(self.sequences) or np.diff(self.sequences.offsets).min() < 1:
            raise ValueError("MultiSequence: expected sequences of at least one step, got an empty one")
        self.batch_size, self.randseq = batch_size, False
        self.reset()

    def size(self) -> int:
        return -(-len(self.sequences.values) // self.batch_size)

    def isize(self, exclude_dim: int | bool = 1) -> Value:
        """The sizes of a step; with the first dimension, that is size()."""
        return with_size(list(self.sequences.values.shape), self.size(), exclude_dim)

    def sub(self, start: int, stop: int, *, seed: Seed = None) -> tuple:
        """(inputs, targets) of the next stop - start + 1 steps of every column."""
        values, offsets = self.sequences.values, self.sequences.offsets
        inputs = np.zeros((self._count_of_steps(start, stop), self.batch_size, *values.shape[1:]), values.dtype)
        targets = np.full_like(inputs, 1 if values.ndim == 1 else 0)

        def pairs(sequence: int) -> int:
            return int(offsets[sequence + 1] - offsets[sequence]) - 1

        for p in self.columns.advance(len(inputs), len(self.sequences), pairs, seed, self.randseq):
            first, rows = offsets[p.sequence] + p.first, slice(p.row, p.row + p.count)
            inputs[rows, p.column] = values[first : first + p.count]
            targets[rows, p.column] = values[first + 1 : first + 1 + p.count]
        return inputs, targets

    def n_records(self) -> int:
        return len(self.sequences)

    def record(self, number: int, seed: Seed = None) -> tuple[np.ndarray, np.ndarray]:
        """All pairs of one sequence: (x[:-1], x[1:])."""
        steps = self.sequences[self._position(number)]
        return steps[:-1], steps[1:]

    def shard(self, index: int, count: int) -> MultiSequence:
        """The sequences of process `index` (from 0) of `count`: neighbours in the list."""
        share = self._share(index, count)
        mine = self.sequences.offsets[share.start : share.stop + 1]
        part = copy.copy(self)
        part.sequences = Ragged(self.sequences.values[mine[0] : mine[-1]], mine - mine[0])
        part.reset()
        return part
