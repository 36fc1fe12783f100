"""Samples of inputs and targets: by index, in order, and drawn at random."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from ..checks.numbers import check_whole
from ..core.types import Indices, Value
from .nested import recursive_map, recursive_size, with_size
from .positions import Positions
from .seeds import Seed, generator, generators


class Samples(Positions):
    """What all loaders offer, built on `size` and `index`; see `DataLoader`."""

    # What a subclass writes ------------------------------------------------------------------------------------

    def index(self, indices: Indices, /, *more: Any, **options: Any) -> tuple:
        """(inputs, targets) of the samples at `indices`, in that order; what else it takes is the subclass's to say."""
        raise NotImplementedError("Not Implemented")

    def shuffle(self, seed: Seed) -> tuple[Self, np.ndarray]:
        """Permutes the samples; returns (self, the old index of each)."""
        raise NotImplementedError("Not Implemented")

    def split(self, ratio: float) -> tuple[Self, Self]:
        """Two loaders: of the first floor(ratio * size) samples, and of the others."""
        raise NotImplementedError("Not Implemented")

    def shard(self, index: int, count: int) -> Self:
        """The part that process `index` (from 0) of `count` reads; `batches` needs it for loaders of time-steps."""
        raise NotImplementedError("Not Implemented")

    # What follows from it --------------------------------------------------------------------------------------

    def isize(self, exclude_dim: int | bool = 1) -> Value:
        """The sizes of the inputs without dimension `exclude_dim`: by default 1, the samples; False keeps all."""
        return self._sizes(0, exclude_dim)

    def tsize(self, exclude_dim: int | bool = 1) -> Value:
        """The sizes of the targets, likewise."""
        return self._sizes(1, exclude_dim)

    def _sizes(self, part: int, exclude_dim: int | bool) -> Any:
        one = self.index(np.array([1]), **self.seeding(0))[part]
        return with_size(recursive_size(one, False), self.size(), exclude_dim)

    def sample(self, batch_size: int, seed: Seed, **options: object) -> tuple:
        """(inputs, targets) of samples drawn uniformly, with replacement."""
        check_whole(f"{type(self).__name__}.sample", 0, batch_size=batch_size)
        self._check_samples()
        random = generator(seed, f"{type(self).__name__}.sample")
        return self.index(self.draw(batch_size, random), **self.seeding(random), **options)

    def draw(self, batch_size: int, random: np.random.Generator) -> np.ndarray:
        """The indices of random samples."""
        return random.integers(1, self.size() + 1, batch_size)

    def sub(self, start: int, stop: int, *, seed: Seed = None, **options: object) -> tuple:
        """(inputs, targets) of samples start to stop, both included."""
        return self.index(np.arange(start, stop + 1), **self.seeding(seed), **options)

    def seeding(self, seed: Seed) -> dict[str, Seed]:
        """The seed as an option of `index`, if that draws."""
        return {"seed": seed} if self.draws else {}

    def subiter(self, batch_size: int = 32, epoch_size: int = -1, *, seed: Seed = None, **options: object) -> Iterator:
        """Yields (k, inputs, targets) in order, where k counts the samples so far, until k is epoch_size.

        epoch_size is size() if not positive. A batch never continues from the last sample to the first: it is split
        there. The next subiter continues where this one stopped, unless `reset` is called.
        """
        random = generators(seed)
        for first, last, k, following in self.windows(batch_size, epoch_size):
            batch = self.sub(first, last, seed=next(random), **options)
            self.start = following
            yield (k, *batch)

    def sampleiter(self, batch_size: int = 32, epoch_size: int = -1, *, seed: Seed, **options: object) -> Iterator:
        """Yields (k, inputs, targets) of random samples, where k counts the samples so far, until k is epoch_size."""
        for indices, seeding, k in self.drawn(batch_size, epoch_size, seed):
            yield (k, *self.index(indices, **seeding, **options))

    def drawn(self, batch_size: int, epoch_size: int, seed: Seed) -> Iterator[tuple[np.ndarray, dict, int]]:
        """What sampleiter reads: (indices, the seed as an option of index, samples so far)."""
        random = generator(seed, f"{type(self).__name__}.sampleiter")
        seeds = generators(random if self.draws else None)
        for n, k in self.counts(batch_size, epoch_size):
            yield self.draw(n, random), self.seeding(next(seeds)), k

    # Records ---------------------------------------------------------------------------------------------------

    def n_records(self) -> int:
        """The number of records for grain: samples, or whole sequences where these are independent."""
        return self.size()

    def record(self, number: int, seed: Seed = None) -> tuple[Value, Value]:
        """(input, target) of one record, counted from 1."""
        parts = self.index(np.array([number]), **self.seeding(seed))[:2]
        one = recursive_map(lambda array: array[0] if len(array) == 1 else array, parts)  # an image may give many views
        return one[0], one[1]
