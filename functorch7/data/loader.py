"""DataLoader: a data set's samples, and their ways into JAX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .batches import Batches
from .samples import Samples
from .sources import map_dataset

if TYPE_CHECKING:
    from grain import MapDataset


class DataLoader(Samples):
    """A data set of inputs and targets, counted from 1. A subclass writes `size()` and `index(indices)`.

    Inputs and targets are NumPy arrays whose first dimension is the sample, or nested tables of them; new ones at each
    call, as JAX reads them later. Random numbers come from `seed`, a number or a numpy.random.Generator; each batch of
    an iterator has a generator of its own. A loader's only state is where `subiter` goes on, `get_state()`.

        class Squares(DataLoader):
            def size(self):
                return 100

            def index(self, indices):
                return indices, indices**2

    Raises: NotImplementedError for what a subclass does not have.
    Source: dataload/README.md#DataLoader.
    Differs from Torch7: every batch is a new array, where Torch overwrites the last one.
    """

    def batches(self, batch_size: int, epochs: int | None = 1, seed: int | None = None, **options: Any) -> Batches:
        """An iterator of (inputs, targets) on the device; see `Batches`."""
        return Batches(self, batch_size, epochs, seed, **options)

    def to_grain(self, seed: int | None = None) -> MapDataset:
        """A grain.MapDataset of (input, target): records by position, from 0. `seed` is for loaders that draw.

        Raises: ImportError without grain, which the extra `grain` installs.
        """
        return map_dataset(self, seed)
