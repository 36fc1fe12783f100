"""How often values occur."""

from __future__ import annotations

import numpy as np

from ..program.lua import Table
from ..tensors.tensor import Tensor
from .plots import plot


class Histogram(list):
    """What `histc` found: for each of the `bins` its centre `val` and its count `nb`, from 1, as `h[i]`.

    `raw` has the counts, `binwidth` the width of a bin, `max` and `min` the numbers of the fullest and the emptiest.
    """

    def __init__(self, counts: np.ndarray, edges: np.ndarray):
        self.bins, self.binwidth = len(counts), float(edges[-1] - edges[0]) / len(counts)
        centers = edges[0] + (np.arange(self.bins) + 0.5) * self.binwidth
        super().__init__(Table(val=val, nb=nb) for val, nb in zip(centers.tolist(), counts.tolist(), strict=True))
        self.raw = Tensor.of(counts.astype(np.float64))
        self.max, self.min = int(counts.argmax()) + 1, int(counts.argmin()) + 1

    def __getitem__(self, i: int) -> Tensor:
        if not 1 <= i <= len(self):
            raise IndexError(f"bin {i} of {len(self)}; they count from 1")
        return super().__getitem__(i - 1)

    def centers(self) -> Tensor:
        """The bins' centres."""
        return Tensor.of(np.array([each.val for each in self]))


def histc(
    tensor: Tensor, bins: int = 72, min: float | None = None, max: float | None = None, raw: bool = False
) -> Histogram | Tensor:
    """The histogram of a tensor's values, in bins of equal width from `min` to `max`, by default its extremes.

    If these are equal, the range is 1 wide around them. With `raw`, only the counts.
    """
    values = tensor.numpy().astype(np.float64).reshape(-1)
    low, high = float(values.min() if min is None else min), float(values.max() if max is None else max)
    found = Histogram(*np.histogram(values, bins, (low, high)))
    return found.raw if raw else found


def bar(*args: Tensor) -> None:
    """Draws boxes: `bar(y)` or `bar(x, y)`."""
    plot(*args, "|")


def hist(tensor: Tensor, bins: int = 72, min: float | None = None, max: float | None = None) -> Histogram:
    """Draws the histogram from `histc` into the current figure, and returns it."""
    found = histc(tensor, bins, min, max)
    assert isinstance(found, Histogram)
    bar(found.centers(), found.raw)
    return found
