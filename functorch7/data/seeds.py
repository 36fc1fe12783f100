"""Random numbers from seeds that are passed as arguments."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from ..checks.errors import describe

Seed: TypeAlias = int | Sequence[int] | np.random.Generator | None
"""What random numbers are drawn by: a number, several, or a generator, which goes on; None where nothing is drawn."""


def generator(seed: Seed, who: str) -> np.random.Generator:
    """NumPy's generator for a seed (a number or a generator); a missing seed is an error, never a silent default."""
    if seed is None:
        raise ValueError(f"{who}: draws random numbers; pass seed=, a number or a numpy.random.Generator")
    return opened(seed, who)


def opened(seed: Seed, who: str) -> np.random.Generator:
    """NumPy's generator for a seed. Raises: TypeError, ValueError for what NumPy takes for none."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        wanted = "a number of at least 0 or a numpy.random.Generator"
        raise type(error)(f"{who}: expected {wanted} as seed, got {describe(seed)}") from error


def generators(seed: Seed) -> Iterator[np.random.Generator | None]:
    """One independent generator after another, so that batches can be made in any order; Nones without a seed."""
    parent = None if seed is None else opened(seed, "iterators")
    while True:
        yield None if parent is None else parent.spawn(1)[0]
