"""Classes of small images: LeNet, and networks of Inception and Fire blocks."""

import importlib.util
from pathlib import Path
from typing import Literal

import numpy as np
import optax

from .. import optim
from ..core import Module
from ..core.types import Value
from ..data import DataLoader, TensorLoader, load_cifar10, load_mnist
from ..interop.packages import check_installed
from ..layers import (
    Dropout,
    FireModule,
    Inception,
    Linear,
    LogSoftMax,
    ReLU,
    Reshape,
    Sequential,
    SpatialAveragePooling,
    SpatialBatchNormalization,
    SpatialConvolution,
    SpatialMaxPooling,
    Tanh,
)
from ..losses import ClassNLLCriterion
from ..training.validation import Loss, Top1Accuracy
from .distortion import Distorted
from .rates import by_epoch
from .recipe import NotNegative, Positive, Probability, Recipe, Schedule, Task

CLASSES = 10


class Images(Recipe, frozen=True, tag="images"):
    """The class of an image, by gradient descent with momentum.

    Source: dpnn/README.md#nn.Inception (Szegedy et al., 2014), #nn.FireModule (Iandola et al., 2016);
    LeCun et al., 1998.
    """

    dataset: Literal["digits", "mnist", "cifar10"] = "digits"
    """digits: the 1,797 images of 8 x 8 that come with scikit-learn."""
    datapath: str | None = None
    """The folder with the data set's files; by default where `functorch7.data` keeps them."""
    validratio: Probability = 1 / 6
    """The part of MNIST's or CIFAR-10's images for training that is kept for validation."""
    network: Literal["lenet", "inception", "fire"] = "lenet"
    width: Positive = 16
    """Planes of the first convolution; later ones have multiples of it."""
    transfer: Literal["tanh", "relu"] = "tanh"
    """LeNet's transfer function; the other networks have ReLU."""
    batch_norm: bool = False
    """Whether LeNet's convolutions are followed by batch normalisation, as those of the other networks are."""
    dropout: Probability = 0
    batch_size: Positive = 64
    learning_rate: NotNegative = 0.1
    schedule: Schedule = {}
    """Epoch -> the rate after it."""
    momentum: Probability = 0.9
    rotation: NotNegative = 0
    """Largest angle, in degrees, by which images for training are turned at random."""
    zoom: Probability = 0
    """Largest part of their size by which they grow or shrink, in each direction."""
    shift: NotNegative = 0
    """Largest way, in pixels, that they are moved, in each direction."""
    weight_decay: NotNegative = 0

    def task(self) -> Task:
        train, valid, test = self.images()
        module = self.of_size(train.isize())
        rate = by_epoch(self.learning_rate, self.schedule, self.steps_in(train, self.batch_size))
        optimizer = optax.chain(
            optim.weight_decay(self.weight_decay), optim.momentum(self.momentum), optax.scale_by_learning_rate(rate)
        )
        return Task(
            module, module.init, ClassNLLCriterion(), optimizer, self.distorted(train), valid, test, self.batch_size,
            [Top1Accuracy(), Loss()],
        )  # fmt: skip

    def of_size(self, size: list[int]) -> Module:
        """The network for images of a size (planes, height, width)."""
        if self.network == "lenet":
            transfer = {"tanh": Tanh, "relu": ReLU}[self.transfer]()
            return lenet(size, self.width, self.dropout, transfer, self.batch_norm)
        return {"inception": inception, "fire": fire}[self.network](size, self.width, self.dropout)

    def distorted(self, train: TensorLoader) -> DataLoader:
        """The images as they are, unless the settings say otherwise."""
        ways = (self.rotation, self.zoom, self.shift)
        return Distorted(train, *ways) if any(ways) else train

    def images(self) -> tuple[TensorLoader, TensorLoader, TensorLoader]:
        """(train, valid, test), with numbers from 0 to 1."""
        if self.dataset == "digits":
            return digits()
        return (load_mnist if self.dataset == "mnist" else load_cifar10)(self.datapath, self.validratio)


def digits() -> tuple[TensorLoader, TensorLoader, TensorLoader]:
    """scikit-learn's digits in its order: 1,297, then 250 and 250. Raises: ImportError without scikit-learn.

    Its file is read, as importing scikit-learn takes longer than training does.
    """
    check_installed("sklearn", "functorch7[demo]")
    folder = importlib.util.find_spec("sklearn").submodule_search_locations[0]  # type: ignore[union-attr,index]
    table = np.loadtxt(Path(folder, "datasets", "data", "digits.csv.gz"), delimiter=",", dtype=np.float32)
    images, classes = table[:, :-1].reshape(-1, 1, 8, 8) / 16, table[:, -1].astype(np.int64) + 1
    loader = TensorLoader(images, classes)
    train, rest = loader.split(1297 / 1797)
    return train, *rest.split(0.5)


def lenet(size: list[int], width: int, dropout: float, transfer: Module, batch_norm: bool) -> Module:
    """Two convolutions with poolings, and two linear layers."""
    planes, height, _ = size
    kernel = 5 if height >= 28 else 3

    def stage(planes: int, outputs: int) -> list[Module]:
        same = (kernel, kernel, 1, 1, kernel // 2, kernel // 2)
        norm = [SpatialBatchNormalization(outputs)] if batch_norm else []
        return [SpatialConvolution(planes, outputs, *same), *norm, transfer, SpatialMaxPooling(2, 2, 2, 2)]

    features = [*stage(planes, width), *stage(width, 2 * width)]
    left = 2 * width * (height // 4) ** 2
    drop = [Dropout(dropout)] if dropout else []
    return Sequential(
        *features, Reshape(left), *drop, Linear(left, 8 * width), transfer, Linear(8 * width, CLASSES), LogSoftMax()
    )


def inception(size: list[int], width: int, dropout: float) -> Module:
    """A convolution, two Inception blocks at each of two sizes, and the average over the image."""

    def block(planes: int, scale: int) -> tuple[Module, int]:
        one, three, five, pooled = (scale * width * n // 2 for n in (2, 3, 1, 1))
        config = {
            "inputSize": planes, "kernelSize": [3, 5], "outputSize": [three, five],
            "reduceSize": [three // 2, five // 2, pooled, one], "batchNorm": True,
            "pool": SpatialMaxPooling(3, 3, 1, 1, 1, 1),
        }  # fmt: skip
        return Inception(config), one + three + five + pooled

    return _blocks(size, width, dropout, block)


def fire(size: list[int], width: int, dropout: float) -> Module:
    """The same of Fire blocks."""

    def block(planes: int, scale: int) -> tuple[Module, int]:
        expanded = scale * width * 2
        return Sequential(
            FireModule(planes, expanded // 4, expanded, expanded), SpatialBatchNormalization(2 * expanded)
        ), 2 * expanded

    return _blocks(size, width, dropout, block)


def _blocks(size: list[int], width: int, dropout: float, block: Value) -> Module:
    planes, height, _ = size
    modules: list[Module] = [
        SpatialConvolution(planes, width, 3, 3, 1, 1, 1, 1), SpatialBatchNormalization(width), ReLU()
    ]  # fmt: skip
    planes = width
    for scale in (1, 2):
        for _ in range(2):
            made, planes = block(planes, scale)
            modules.append(made)
        modules.append(SpatialMaxPooling(2, 2, 2, 2))
    side = height // 4
    drop = [Dropout(dropout)] if dropout else []
    return Sequential(
        *modules, SpatialAveragePooling(side, side), Reshape(planes), *drop, Linear(planes, CLASSES), LogSoftMax()
    )
