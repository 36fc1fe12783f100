"""Random numbers from seeds that are passed as arguments."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from ..checks.errors import describe

Seed: TypeAlias = int | Sequence[int] | np.random.Generator | None
"""A source of random numbers: a number, several, or a generator, which advances; None where nothing is drawn."""


def generator(seed: Seed, who: str) -> np.random.Generator:
    """NumPy's generator for a seed. Raises: ValueError without one: there is no silent default."""
    if seed is None:
        raise ValueError(f"{who}: draws random numbers; pass seed=, a number or a numpy.random.Generator")
    return opened(seed, who)


def opened(seed: Seed, who: str) -> np.random.Generator:
    """NumPy's generator for a seed. Raises: TypeError, ValueError for what NumPy does not accept."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        wanted = "a number of at least 0 or a numpy.random.Generator"
        raise type(error)(f"{who}: expected {wanted} as seed, got {describe(seed)}") from error


def generators(seed: Seed) -> Iterator[np.random.Generator | None]:
    """Yields independent generators, so that batches can be made in any order; None each time without a seed."""
    parent = None if seed is None else opened(seed, "iterators")
    while True:
        yield None if parent is None else parent.spawn(1)[0]
