"""Progress on the terminal, for what takes long."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm

PATIENCE = 0.5
"""Seconds after which a bar appears."""


@contextmanager
def progress(title: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """A function that is told how many bytes are done, of `total` if that is known; shown on stderr, if a terminal."""
    with tqdm(
        total=total, desc=title, unit="B", unit_scale=True, unit_divisor=1000, delay=PATIENCE, disable=None, leave=False
    ) as bar:

        def done(count: int) -> None:
            if not bar.disable:
                bar.update(count - bar.n)

        yield done
