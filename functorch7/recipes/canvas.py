"""Images somewhere on a larger canvas."""

import numpy as np

from ..core.types import Indices
from ..data import DataLoader, TensorLoader
from ..data.seeds import Seed, generator


class OnCanvas(DataLoader):
    """Images of another loader anywhere on a black canvas: (N, 1, canvas, canvas).

    With `clutter`, so many pieces of `piece` x `piece` pixels, cut anywhere out of images of the loader drawn at
    random, lie anywhere on it, too; where things overlap, the brightest is seen.
    Raises: ValueError for a canvas that is smaller than the images, and for pieces that are larger.
    Source: Mnih et al., 2014, 4.1.
    """

    draws = True

    def __init__(self, loader: TensorLoader, canvas: int, clutter: int = 0, piece: int = 8):
        if canvas < max(loader.isize()):
            raise ValueError(f"canvas: expected at least {max(loader.isize())}, the images' size, got {canvas}")
        if clutter and piece > min(loader.isize()[1:]):
            raise ValueError(f"piece: expected at most {min(loader.isize()[1:])}, the images' size, got {piece}")
        self.loader, self.canvas, self.clutter, self.piece = loader, canvas, clutter, piece

    def size(self) -> int:
        return self.loader.size()

    def index(self, indices: Indices, *, seed: Seed = None) -> tuple[np.ndarray, np.ndarray]:
        random = generator(seed, "OnCanvas.index")
        images, classes = self.loader.index(indices)
        wide = np.zeros((len(images), 1, self.canvas, self.canvas), np.float32)
        place(wide, images, random)
        for _ in range(self.clutter):
            others, _ = self.loader.index(random.integers(self.size(), size=len(images)) + 1)
            place(wide, cut(others, self.piece, random), random)
        return wide, classes


def place(wide: np.ndarray, images: np.ndarray, random: np.random.Generator) -> None:
    """Puts each image anywhere on its canvas (N, 1, height, width)."""
    height, width = images.shape[2:]
    tops, lefts = corners(wide, images.shape, random)
    for to, image, top, left in zip(wide, images, tops, lefts, strict=True):
        part = to[:, top : top + height, left : left + width]
        np.maximum(part, image, out=part)


def cut(images: np.ndarray, size: int, random: np.random.Generator) -> np.ndarray:
    """A piece (1, size, size) from anywhere in each image."""
    tops, lefts = corners(images, (size, size), random)
    pieces = zip(images, tops, lefts, strict=True)
    return np.stack([image[:, top : top + size, left : left + size] for image, top, left in pieces])


def corners(wide: np.ndarray, shape: tuple[int, ...], random: np.random.Generator) -> list[np.ndarray]:
    """Where something of a shape (..., height, width) may begin in each canvas: tops and lefts."""
    return [
        random.integers(room - size + 1, size=len(wide)) for room, size in zip(wide.shape[2:], shape[-2:], strict=True)
    ]
