"""Random numbers from seeds that are passed as arguments."""

from collections.abc import Iterator
from typing import Any

import numpy as np


def generator(seed: Any, who: str) -> np.random.Generator:
    """NumPy's generator for a seed (a number or a generator); a missing seed is an error, never a silent default."""
    if seed is None:
        raise ValueError(f"{who}: draws random numbers; pass seed=, a number or a numpy.random.Generator")
    return np.random.default_rng(seed)


def generators(seed: Any) -> Iterator[np.random.Generator | None]:
    """One independent generator after another, so that batches can be made in any order; Nones without a seed."""
    parent = None if seed is None else np.random.default_rng(seed)
    while True:
        yield None if parent is None else parent.spawn(1)[0]
