"""Loaders as data sets of grain, whose samplers, workers and checkpoints go beyond one machine."""

from __future__ import annotations

from typing import Any

import numpy as np

from .loader import DataLoader
from .nested import recursive_map


class Source:
    """A loader as grain's random-access source: len(), and the sample [position], from 0."""

    def __init__(self, loader: DataLoader):
        self.loader = loader

    def __len__(self) -> int:
        return self.loader.size()

    def __getitem__(self, position: int) -> tuple[Any, Any]:
        return self.drawn(position, None)

    def drawn(self, position: int, random: np.random.Generator | None) -> tuple[Any, Any]:
        """(input, target) of one sample, for which the loader may draw."""
        parts = self.loader.index(np.array([position + 1]), **self.loader.seeding(random))[:2]
        one = recursive_map(lambda array: array[0] if len(array) == 1 else array, parts)
        return one[0], one[1]

    def __repr__(self) -> str:
        return f"Source({type(self.loader).__name__} of {len(self)} samples)"


def map_dataset(loader: DataLoader, seed: int | None) -> Any:
    """grain's MapDataset of a loader's samples, with fresh random numbers in every epoch if there is a seed."""
    try:
        import grain
    except ImportError as error:
        raise ImportError("to_grain needs grain: pip install 'functorch7[grain]'") from error
    source = Source(loader)
    if seed is None:
        return grain.MapDataset.source(source)  # type: ignore[arg-type]
    return grain.MapDataset.range(len(source)).seed(seed).random_map(source.drawn)
