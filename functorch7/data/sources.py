"""Loaders as data sets of grain, which has samplers, workers and checkpoints for many machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..core.types import Value
from ..interop.packages import package
from .samples import Samples
from .seeds import opened

if TYPE_CHECKING:
    from grain import MapDataset


class Source:
    """A loader as grain's random-access source: len(), and the record [index], from 0.

    Loaders that draw need a `seed`. A record's numbers follow from it and the index alone, and so are the same in every
    epoch, since a source is not told which one it is; with `to_grain` every epoch draws anew.
    """

    def __init__(self, loader: Samples, seed: int | None = None):
        if seed is not None:
            opened(seed, "Source")
        self.loader, self.seed = loader, seed

    def __len__(self) -> int:
        return self.loader.n_records()

    def __getitem__(self, index: int) -> tuple[Value, Value]:
        return self.loader.record(index + 1, None if self.seed is None else np.random.default_rng((self.seed, index)))

    def drawn(self, position: int, random: np.random.Generator) -> tuple[Value, Value]:
        """The record at a position of a loader that draws."""
        return self.loader.record(position + 1, random)

    def __repr__(self) -> str:
        return f"Source({type(self.loader).__name__} of {len(self)} records)"


def map_dataset(loader: Samples, seed: int | None) -> MapDataset:
    """grain's MapDataset of a loader's records; with a seed, every epoch draws new random numbers."""
    grain = package("grain", "functorch7[grain]", "to_grain")
    source = Source(loader)
    if seed is None:
        return grain.MapDataset.source(source)  # type: ignore[arg-type]
    return grain.MapDataset.range(len(source)).seed(seed).random_map(source.drawn)
