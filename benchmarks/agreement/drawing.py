"""Draws cases: of the kinds of networks that programs are made of, small and large, in both interfaces."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .case import Case
from .cells import STATES
from .pieces import ENDS, PIECES, Misfit, Shape, step

WIDTHS = {"odd": (1, 3, 10, 16, 32, 50), "real": (100, 128, 200, 256, 300, 400)}
"""Sizes of layers: compilers treat small and large ones differently."""

BATCHES = {"odd": (2, 4, 10), "real": (20, 32, 64)}
CHANNELS = (1, 3, 8, 16, 32)
KINDS = {"vector": 4, "pair": 3, "memory": 4, "words": 1, "word steps": 1, "steps": 2, "rows": 1, "image": 2}
"""The kinds of input, with how often each is drawn."""

EXITS = {"image": "view", "rows": "Mean", "pair": "sum", "words": "LookupTable", "word steps": "LookupTable"}
"""The piece that leads from a kind towards an output."""

ALIKE = 8
"""So many cases in a row take their sizes from the same few: what single operations compile to is compiled once."""


def draw(seed: int, number: int) -> Case:
    """One case, always the same for these numbers."""
    sizes, draws = Choices(seed, number // ALIKE), Choices(seed, number, 1)
    scale = "real" if sizes.chance(0.75) else "odd"
    widths, channels = sizes.some(WIDTHS[scale], 3), sizes.some(CHANNELS, 2)
    batch, length = sizes.one(BATCHES[scale]), sizes.one((2, 5, 10))
    kind = draws.one([kind for kind, times in KINDS.items() for _ in range(times)])
    image, functional = kind == "image", draws.chance(0.4)
    shape = Shape(kind, draws.one(channels if image else widths), 3 * length if image else length)
    return Case(
        kind=kind,
        features=shape.features,
        length=shape.length,
        batch=min(batch, 20) if image else batch,
        layers=tuple(_layers(draws, shape, channels if image else widths)),
        outputs=draws.one(widths),
        classes=draws.chance(0.7),
        interface="functional" if functional else "legacy",
        flat=draws.chance(0.75),
        dtype=draws.one(["float32"] * 8 + ["float64"] + ["bfloat16"] * functional),
        seed=number,
    )


class Choices:
    """Random choices, the same for the same numbers."""

    def __init__(self, *seed: int):
        self.random = np.random.default_rng(seed)

    def one(self, among: Sequence) -> Any:
        return among[int(self.random.integers(len(among)))]

    def some(self, among: Sequence, count: int) -> list:
        return [among[i] for i in self.random.choice(len(among), count, replace=False)]

    def chance(self, share: float) -> bool:
        return bool(self.random.random() < share)


def _layers(draws: Choices, shape: Shape, widths: list[int]) -> Iterator[tuple[str, int]]:
    """Up to four layers, and what it takes from these to something that can be an output."""
    if shape.kind == "memory":
        for _ in range(draws.one((1, 1, 2))):
            width = draws.one(widths)
            yield draws.one(list(STATES)), width
        shape = Shape("vector", width)
    count = draws.one((0, 1, 2, 3) if shape.kind == "vector" else (1, 2, 3, 4))
    while count > 0 or shape.kind not in ENDS:
        name, width = draws.one(list(PIECES[shape.kind])) if count > 0 else EXITS[shape.kind], draws.one(widths)
        count -= 1
        try:
            _, shape = step(shape, name, width)
        except Misfit:
            continue
        yield name, width
