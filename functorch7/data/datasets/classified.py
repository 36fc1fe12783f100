"""What MNIST and CIFAR-10 have in common: images in memory, with classes, and a test set of its own."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from ..preprocess import rescale
from ..tensors import TensorLoader


class Split(NamedTuple):
    """Images N x C x H x W and labels N from 0, as they were in files."""

    images: np.ndarray
    labels: np.ndarray


class ClassifiedTensors(TensorLoader):
    """A TensorLoader with `classes`, the names of the targets 1, 2, ...."""

    def __init__(self, inputs: np.ndarray, targets: np.ndarray, classes: list):
        super().__init__(inputs, targets)
        self.classes = classes


def classified(
    title: str, train: Split, test: Split, classes: list, validratio: float, scale: Sequence[float] | Literal[False]
) -> tuple[ClassifiedTensors, ClassifiedTensors, ClassifiedTensors]:
    """(train, valid, test): inputs float32, rescaled by their file's range unless scale is False; targets from 1."""
    loaders = []
    for images, labels in (train, test):
        outside = labels[(labels < 0) | (labels >= len(classes))]
        if outside.size:
            raise ValueError(f"{title}: expected labels from 0 to {len(classes) - 1}, got {outside[0]}")
        inputs = rescale(images, *scale) if scale else images
        loaders.append(TensorLoader(inputs.astype(np.float32, copy=False), labels.astype(np.int64) + 1))
    train_part, valid_part = loaders[0].split(1 - validratio)
    first, second, third = (
        ClassifiedTensors(part.inputs, part.targets, classes) for part in (train_part, valid_part, loaders[1])
    )
    return first, second, third


def existing(folder: Path, names: Sequence[str]) -> Path | None:
    """The first of the files that is in the folder."""
    return next((folder / name for name in names if (folder / name).is_file()), None)
