"""A recurrent model of visual attention, as rnn's examples/recurrent-visual-attention.lua."""

from functools import partial
from typing import Any, Literal

import numpy as np

from .. import optim
from ..core import Module
from ..data import DataLoader, TensorLoader, load_mnist
from ..layers import HardTanh, Linear, Sequential, ZeroGrad
from ..losses import ClassNLLCriterion
from ..reinforce import ReinforceNormal, VRClassReward
from ..training.validation import Top1Accuracy
from ..zoo import recurrent_attention
from .images import digits
from .recipe import NotNegative, Positive, Recipe, Task

CLASSES = 10


class Attention(Recipe, frozen=True, tag="attention"):
    """The digit on a larger canvas, of which only glimpses are seen; where to look is learned by REINFORCE.

    Source: rnn/README.md, Examples; Mnih et al., 2014.
    Differs from Torch7: Adam, where the script has gradient descent.
    """

    dataset: Literal["digits", "mnist"] = "digits"
    datapath: str | None = None
    canvas: Positive = 20
    """Pixels of a side."""
    patch: Positive = 8
    """Pixels of a side of the sharpest part of a glimpse."""
    depth: Positive = 2
    """Parts of a glimpse, each twice as wide as the one before."""
    steps: Positive = 4
    """Glimpses."""
    hidden_size: Positive = 128
    sensor_size: Positive = 64
    """Units for what is seen, and for where."""
    locator_stdev: float = 0.2
    """Of a place, from -1 to 1."""
    stdv: NotNegative = 0.12
    """Bound of the starting values: Torch's own make a signal through so many layers vanish."""
    batch_size: Positive = 64
    learning_rate: NotNegative = 2e-3

    def task(self) -> Task:
        train, valid, test = digits() if self.dataset == "digits" else load_mnist(self.datapath)
        module = self.network()
        return Task(
            module, partial(module.init, stdv=self.stdv), ClassAndReward(), optim.adam(self.learning_rate),
            OnCanvas(train, self.canvas), OnCanvas(valid, self.canvas), OnCanvas(test, self.canvas), self.batch_size,
            [FirstIsRight()],
        )  # fmt: skip

    def network(self) -> Module:
        """Images -> [class scores, [class scores, the baseline: the reward that is to be expected]]."""
        locator = Sequential(
            ZeroGrad(),  # the noise of REINFORCE is kept out of the reader, which learns from the classes
            Linear(self.hidden_size, 2),
            HardTanh(),  # bounds the mean between -1 and 1
            ReinforceNormal(self.locator_stdev),  # draws a place; in evaluation it gives the mean
            HardTanh(),  # bounds the place
        )
        return recurrent_attention(
            CLASSES, steps=self.steps, patch=self.patch, depth=self.depth, hidden=self.hidden_size,
            sensor=self.sensor_size, locator=locator,
        )  # fmt: skip


class OnCanvas(DataLoader):
    """Images of another loader anywhere on a black canvas: (N, 1, canvas, canvas).

    Raises: ValueError for a canvas that is smaller than they are.
    """

    draws = True

    def __init__(self, loader: TensorLoader, canvas: int):
        if canvas < max(loader.isize()):
            raise ValueError(f"canvas: expected at least {max(loader.isize())}, the images' size, got {canvas}")
        self.loader, self.canvas = loader, canvas

    def size(self) -> int:
        return self.loader.size()

    def index(self, indices: Any, *, seed: Any = 0) -> tuple[np.ndarray, np.ndarray]:
        random = np.random.default_rng(seed)
        images, classes = self.loader.index(indices)
        height, width = images.shape[2:]
        wide = np.zeros((len(images), 1, self.canvas, self.canvas), np.float32)
        tops, lefts = (random.integers(self.canvas - size + 1, size=len(images)) for size in (height, width))
        for to, image, top, left in zip(wide[:, 0], images[:, 0], tops, lefts, strict=True):
            to[top : top + height, left : left + width] = image
        return wide, classes


class ClassAndReward:
    """The loss of the classes, and of the baseline; `advantage` makes places that led to the right class likelier."""

    def __init__(self) -> None:
        self.reward, self.of_classes = VRClassReward(), ClassNLLCriterion()

    def __call__(self, output: Any, target: Any) -> Any:
        scores, rated = output
        return self.of_classes(scores, target) + self.reward(rated, target)

    def advantage(self, output: Any, target: Any) -> Any:
        return self.reward.advantage(output[1], target)


class FirstIsRight(Top1Accuracy):
    """Top1Accuracy of the first entry of a table."""

    def measure(self, output: Any, target: Any) -> tuple[Any, Any]:
        return super().measure(output[0], target)
