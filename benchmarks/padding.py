"""26 steps of 200 examples, 60 % padding (zeros before a sequence of random length): masked, and trimmed away."""

from typing import Any

import jax
import numpy as np

import functorch7 as f7

from .measure import Way
from .recurrent import layer


def padded(steps: int, batch: int, size: int) -> np.ndarray:
    """Sequences of 0 to 80 % of the steps."""
    random = np.random.default_rng(0)
    x = random.normal(size=(steps, batch, size)).astype(np.float32)
    lengths = random.integers(0, int(0.8 * steps) + 2, batch)
    return np.where((np.arange(steps)[:, None] < steps - lengths)[..., None], np.float32(0), x)


class Padding:
    """The benchmark of one cell."""

    TARGETS = [("functorch7 functional", "functorch7, mask_zero", 0.8)]

    def __init__(self, cell: Any, x: np.ndarray):
        self.cell, self.x = cell, x

    def ways(self) -> dict[str, Way]:
        params = f7.Sequencer(self.cell).init(jax.random.key(0)).params
        cells = {"functorch7 functional": self.cell.trim_zero(1), "functorch7, mask_zero": self.cell.mask_zero(1)}
        return {name: layer(f7.Sequencer(cell), params, self.x) for name, cell in cells.items()}


BENCHMARKS = {
    f"trimmed-{kind.__name__.lower()}": Padding(kind(200, 300), padded(26, 200, 200)) for kind in (f7.FastLSTM, f7.GRU)
}
