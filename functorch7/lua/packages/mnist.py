"""mnist: handwritten digits, from the files that `dataload` reads, or downloads."""

from __future__ import annotations

from functools import cache

import numpy as np

from ...data.datasets import load_mnist
from ...legacy.tensors.named import Named
from ...legacy.tensors.tensor import Tensor


class Dataset(Named):
    """`data`, a ByteTensor N x 28 x 28; `label`, N digits from 0 to 9; `size`; [i] is {x = image, y = digit}."""

    _package = "mnist"

    def __init__(self, images: np.ndarray, digits: np.ndarray) -> None:
        self.data, self.label, self.size = Tensor.of(images), Tensor.of(digits), len(images)

    def __getitem__(self, index: int) -> dict[str, object]:
        return {"x": self.data[index], "y": self.label[index]}


def traindataset() -> Dataset:
    """The 60,000 digits for training. Raises OSError that says which files are wanted, and where."""
    return _dataset(0, 1)


def testdataset() -> Dataset:
    """The 10,000 digits for tests. Raises OSError that says which files are wanted, and where."""
    return _dataset(2)


def _dataset(*parts: int) -> Dataset:
    images, targets = zip(*(_arrays()[part] for part in parts), strict=True)
    return Dataset(np.concatenate(images), np.concatenate(targets))


@cache
def _arrays() -> list[tuple[np.ndarray, np.ndarray]]:
    """The images and digits for training, validation and tests."""
    loaders = load_mnist(scale=False)
    return [
        (np.asarray(each.inputs).astype(np.uint8)[:, 0], (np.asarray(each.targets) - 1).astype(np.uint8))
        for each in loaders
    ]


__all__ = ["testdataset", "traindataset"]
