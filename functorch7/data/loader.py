"""DataLoader: the samples of a data set, and how they get into JAX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .batches import Batches
from .samples import Samples
from .sources import map_dataset

if TYPE_CHECKING:
    from grain import MapDataset


class DataLoader(Samples):
    """A data set of inputs and targets, counted from 1. A subclass writes `size()` and `index(indices)`.

    Inputs and targets are NumPy arrays whose first dimension is the sample, or nested tables of them. Every call must
    return new arrays, since JAX may read them later. Random numbers come from `seed`, a number or a
    numpy.random.Generator; each batch of an iterator has its own generator. The only state of a loader is the position
    of `subiter`, `get_state()`.

        class Squares(DataLoader):
            def size(self):
                return 100

            def index(self, indices):
                return indices, indices**2

    Raises: NotImplementedError for methods that the subclass does not define.
    Source: dataload/README.md#DataLoader.
    Differs from Torch7: every batch is a new array; Torch overwrites the previous one.
    """

    def batches(self, batch_size: int, epochs: int | None = 1, seed: int | None = None, **options: Any) -> Batches:
        """An iterator of (inputs, targets) on the device; see `Batches`."""
        return Batches(self, batch_size, epochs, seed, **options)

    def to_grain(self, seed: int | None = None) -> MapDataset:
        """A grain.MapDataset of (input, target) by position from 0. Loaders that draw need a `seed`.

        Raises: ImportError without grain, which the extra `grain` installs.
        """
        return map_dataset(self, seed)
