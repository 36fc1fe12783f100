"""DataLoader: what all loaders have, made from `size` and `index`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .nested import recursive_map, recursive_size
from .positions import Positions
from .seeds import generator, generators

if TYPE_CHECKING:
    from .batches import Batches


class DataLoader(Positions):
    """A data set of inputs and targets, counted from 1. A subclass writes `size()` and `index(indices)`.

    Inputs and targets are NumPy arrays whose first dimension is the sample, or nested tables of them. Random numbers
    come from `seed`, a number or a numpy.random.Generator; each batch of an iterator has a generator of its own.
    A loader's only state is where `subiter` goes on, `get_state()`.

        class Squares(DataLoader):
            def size(self):
                return 100

            def index(self, indices):
                return indices, indices**2

    Raises: NotImplementedError for what a subclass does not have.
    Source: dataload/README.md#DataLoader.
    Differs from Torch7: every batch is a new array, where Torch overwrites the last one.
    """

    # What a subclass writes ------------------------------------------------------------------------------------

    def index(self, indices: Any, **options: Any) -> tuple:
        """(inputs, targets) with the samples at `indices`, in that order."""
        raise NotImplementedError("Not Implemented")

    def shuffle(self, seed: Any) -> tuple[DataLoader, np.ndarray]:
        """Permutes the samples; returns (self, the old index of each)."""
        raise NotImplementedError("Not Implemented")

    def split(self, ratio: float) -> tuple[DataLoader, DataLoader]:
        """Two loaders: of the first floor(ratio * size) samples, and of the others."""
        raise NotImplementedError("Not Implemented")

    def shard(self, index: int, count: int) -> DataLoader:
        """The part of process `index` (from 0) of `count`, for `batches` of loaders of time-steps."""
        raise NotImplementedError("Not Implemented")

    # What follows from it --------------------------------------------------------------------------------------

    def isize(self, exclude_dim: int | bool = 1) -> Any:
        """The sizes of the inputs, without dimension `exclude_dim`, the samples by default; False keeps all."""
        return self._sizes(0, exclude_dim)

    def tsize(self, exclude_dim: int | bool = 1) -> Any:
        """The sizes of the targets, likewise."""
        return self._sizes(1, exclude_dim)

    def _sizes(self, part: int, exclude_dim: int | bool) -> Any:
        one = self.index(np.array([1]), **self.seeding(0))[part]
        return with_size(recursive_size(one, False), self.size(), exclude_dim)

    def sample(self, batch_size: int, seed: Any, **options: Any) -> tuple:
        """(inputs, targets) of samples drawn uniformly, with replacement."""
        random = generator(seed, f"{type(self).__name__}.sample")
        return self.index(self.draw(batch_size, random), **self.seeding(random), **options)

    def draw(self, batch_size: int, random: np.random.Generator) -> np.ndarray:
        """The indices of random samples."""
        return random.integers(1, self.size() + 1, batch_size)

    def sub(self, start: int, stop: int, *, seed: Any = None, **options: Any) -> tuple:
        """(inputs, targets) of the samples start to stop, both included."""
        return self.index(np.arange(start, stop + 1), **self.seeding(seed), **options)

    def seeding(self, seed: Any) -> dict[str, Any]:
        """The seed as `index` takes it."""
        return {"seed": seed} if self.draws else {}

    def subiter(self, batch_size: int = 32, epoch_size: int = -1, *, seed: Any = None, **options: Any) -> Iterator:
        """Yields (k, inputs, targets) in order until k, the samples so far, is epoch_size (size() if not positive).

        A batch ends at the last sample, so that one that would go on with the first is split. The next subiter goes on
        where this one stopped, until `reset`.
        """
        random = generators(seed)
        for first, last, k, following in self.windows(batch_size, epoch_size):
            batch = self.sub(first, last, seed=next(random), **options)
            self.start = following
            yield (k, *batch)

    def sampleiter(self, batch_size: int = 32, epoch_size: int = -1, *, seed: Any, **options: Any) -> Iterator:
        """Yields (k, inputs, targets) of random samples until k, the samples so far, is epoch_size."""
        for indices, seeding, k in self.drawn(batch_size, epoch_size, seed):
            yield (k, *self.index(indices, **seeding, **options))

    def drawn(self, batch_size: int, epoch_size: int, seed: Any) -> Iterator[tuple[np.ndarray, dict, int]]:
        """What sampleiter reads: (indices, the seed as index takes it, samples so far)."""
        random = generator(seed, f"{type(self).__name__}.sampleiter")
        seeds = generators(random if self.draws else None)
        for n, k in self.counts(batch_size, epoch_size):
            yield self.draw(n, random), self.seeding(next(seeds)), k

    # Into JAX --------------------------------------------------------------------------------------------------

    def batches(self, batch_size: int, epochs: int | None = 1, seed: int | None = None, **options: Any) -> Batches:
        """An iterator of (inputs, targets) on the device; see `Batches`."""
        from .batches import Batches  # which imports JAX

        return Batches(self, batch_size, epochs, seed, **options)

    def n_records(self) -> int:
        """How many records grain sees: samples, or whole sequences where these are independent."""
        return self.size()

    def record(self, number: int, seed: Any = None) -> tuple[Any, Any]:
        """(input, target) of one record, counted from 1."""
        parts = self.index(np.array([number]), **self.seeding(seed))[:2]
        one = recursive_map(lambda array: array[0] if len(array) == 1 else array, parts)  # an image may give many views
        return one[0], one[1]

    def to_grain(self, seed: int | None = None) -> Any:
        """A grain.MapDataset of (input, target): records by position, from 0. `seed` is for loaders that draw.

        Raises: ImportError without grain, which the extra `grain` installs.
        """
        from .sources import map_dataset

        return map_dataset(self, seed)


def with_size(sizes: Any, size: int, exclude_dim: int | bool) -> Any:
    """Sizes as lists, the first replaced by the number of samples, without dimension `exclude_dim`."""
    if not sizes or (isinstance(sizes, list) and isinstance(sizes[0], int)):
        full = [size, *sizes[1:]]
        return full if exclude_dim is False else full[: exclude_dim - 1] + full[exclude_dim:]
    if isinstance(sizes, dict):
        return {name: with_size(each, size, exclude_dim) for name, each in sizes.items()}
    return [with_size(each, size, exclude_dim) for each in sizes]
