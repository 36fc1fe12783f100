"""Where an iterator is in a data set, and what it reads next."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Self

from ..checks.numbers import check_whole, whole


class Positions:
    """The iteration that loaders of both interfaces share."""

    start = 1  # the sample at which `subiter` continues
    draws = False  # whether `index` draws random numbers, and so takes a `seed`
    streaming = False  # whether batches are windows of time-steps, which are not shuffled
    in_processes = False  # whether AsyncIterator should run it in processes: for Python code that holds the GIL

    def size(self) -> int:
        """The number of samples."""
        raise NotImplementedError("Not Implemented")

    def windows(self, batch_size: int, epoch_size: int) -> Iterator[tuple[int, int, int, int]]:
        """What subiter reads: (first, last, samples so far, first of the next)."""
        size, epoch_size = self._checked_sizes(batch_size, epoch_size)
        first, k = self.start, 0
        if not 1 <= first <= size:
            raise ValueError(f"{type(self).__name__}: expected to go on at one of {size} samples, got {first}")
        while k < epoch_size:
            last = min(first + min(batch_size, epoch_size - k) - 1, size)
            k += last - first + 1
            following = 1 if last == size else last + 1
            yield first, last, k, following
            first = following

    def counts(self, batch_size: int, epoch_size: int) -> Iterator[tuple[int, int]]:
        """What sampleiter draws: (samples of the batch, samples so far)."""
        _, epoch_size = self._checked_sizes(batch_size, epoch_size)
        for k in range(0, epoch_size, batch_size):
            n = min(batch_size, epoch_size - k)
            yield n, k + n

    def _delivered(self, results: Iterator) -> Iterator:
        """Turns results of workers, (k, first of the next, batch), into what iterators yield."""
        for k, following, batch in results:
            self.start = following
            yield (k, *batch)

    def _checked_sizes(self, batch_size: int, epoch_size: int) -> tuple[int, int]:
        """(the number of samples, that of an epoch: the same unless epoch_size is positive)."""
        check_whole(type(self).__name__, 1, batch_size=batch_size)
        asked, size = whole(type(self).__name__, "epoch_size", epoch_size), self._check_samples()
        return size, asked if asked > 0 else size

    def _check_samples(self) -> int:
        """The number of samples. Raises: ValueError if there is none."""
        size = self.size()
        if size < 1:
            raise ValueError(f"{type(self).__name__}: has no samples")
        return size

    def reset(self) -> None:
        """Lets the next subiter begin with the first sample."""
        self.start = 1

    def get_state(self) -> dict:
        """Where subiter continues, as a plain dict that can be saved."""
        return {"start": self.start}

    def set_state(self, state: dict) -> None:
        """Lets subiter continue where it was at `get_state`. Raises: TypeError for a state of other loaders."""
        names = self.get_state().keys()
        if not isinstance(state, dict) or state.keys() != names:
            raise TypeError(
                f"{type(self).__name__}: expected a state as get_state gives it, a dict of {', '.join(names)}, got "
                f"{state!r}"
            )
        self.start = state["start"]

    def clone(self, *share_names: str) -> Self:
        """A deep copy that shares the attributes of the given names with this object."""
        shared = [getattr(self, name) for name in share_names]
        return copy.deepcopy(self, {id(each): each for each in shared})
