"""A recurrent model of visual attention, as rnn's examples/recurrent-visual-attention.lua."""

from functools import partial
from pathlib import Path
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
import optax

from .. import optim
from ..core import Composite, Module
from ..core.composite import Run
from ..core.types import Array, Output, Tree, Value
from ..data import TensorLoader, load_mnist
from ..layers import HardTanh, Linear, MulConstant, ReLU, Sequential, Tanh, ZeroGrad
from ..losses import ClassNLLCriterion
from ..reinforce import ReinforceNormal, VRClassReward
from ..training.validation import Top1Accuracy
from ..zoo import recurrent_attention
from .canvas import OnCanvas
from .glimpses import draw, looked_at
from .images import digits
from .rates import by_epoch
from .recipe import Count, NotNegative, Positive, Recipe, Schedule, Task

CLASSES = 10
CALM = 0.1
"""What is multiplied with a place's mean before its bound: Adam's steps are as large for noise as for a signal, and
means that they carry to the bound at once have no gradient that would bring them back."""


class Attention(Recipe, frozen=True, tag="attention"):
    """The digit on a larger canvas, of which only glimpses are seen; where to look is learned by REINFORCE.

    Source: rnn/README.md, Examples; Mnih et al., 2014.
    Differs from Torch7: Adam, where the script has gradient descent; the means of places are bounded by Tanh, where it
    has HardTanh.
    """

    dataset: Literal["digits", "mnist"] = "digits"
    datapath: str | None = None
    canvas: Positive = 20
    """Pixels of a side."""
    clutter: Count = 0
    """Pieces of other images, of 8 x 8 pixels, on the canvas."""
    patch: Positive = 8
    """Pixels of a side of the sharpest part of a glimpse."""
    depth: Positive = 2
    """Parts of a glimpse, each twice as wide as the one before."""
    steps: Positive = 4
    """Glimpses."""
    hidden_size: Positive = 128
    sensor_size: Positive = 64
    """Units for what is seen, and for where."""
    locator_size: Count = 0
    """Units of the locator's hidden layer; 0: it has none."""
    locator_stdev: float = 0.2
    """Of a place, from -1 to 1."""
    draws: Positive = 1
    """How often each image is looked at in a step of training."""
    test_draws: Count = 0
    """How often it is in evaluation, where probabilities are averaged; 0: once, at the means of places."""
    stdv: NotNegative = 0.12
    """Bound of the starting values: Torch's own make a signal through so many layers vanish."""
    batch_size: Positive = 64
    learning_rate: NotNegative = 2e-3
    schedule: Schedule = {}
    """Epoch -> the rate after it."""

    def task(self) -> Task:
        train, valid, test = digits() if self.dataset == "digits" else load_mnist(self.datapath)
        module = self.network()
        rate = by_epoch(self.learning_rate, self.schedule, self.steps_in(train, self.batch_size))
        train, valid, test = (OnCanvas(each, self.canvas, self.clutter) for each in (train, valid, test))
        valid, test = (TensorLoader(*self.fixed(each, number)) for number, each in ((1, valid), (2, test)))
        return Task(
            module, partial(module.init, stdv=self.stdv), ClassAndReward(),
            optax.inject_hyperparams(optim.adam)(learning_rate=rate), train, valid, test, self.batch_size,
            [FirstIsRight()],
        )  # fmt: skip

    def fixed(self, loader: OnCanvas, number: int) -> tuple[np.ndarray, np.ndarray]:
        """All images of validation (1) or of the test (2), where they lie whenever they are measured."""
        return loader.index(np.arange(loader.size()) + 1, seed=(self.seed, number))

    def draw(self, task: Task, params: Tree, buffers: Tree, folder: Path) -> None:
        """glimpses.png: the places looked at in eight test images, by one draw."""
        loader: Any = task.test
        images, _ = loader.index(np.arange(min(8, loader.size())) + 1)
        network: Any = task.module
        attention = network.network.modules[0]
        places = looked_at(attention, params["network"][0], buffers["network"][0], jnp.asarray(images), self.key)
        draw(folder / "glimpses.png", images[:, 0], places, self.patch)

    def network(self) -> Module:
        """Images -> [class scores, [class scores, the baseline: the reward that is to be expected]]."""
        once = recurrent_attention(
            CLASSES, steps=self.steps, patch=self.patch, depth=self.depth, hidden=self.hidden_size,
            sensor=self.sensor_size, locator=self.locator(),
        )  # fmt: skip
        return Draws(once, self.draws, self.test_draws or 1)

    def locator(self) -> Module:
        """The hidden state -> a place."""
        inner = [Linear(self.hidden_size, self.locator_size), ReLU()] if self.locator_size else []
        return Sequential(
            ZeroGrad(),  # the noise of REINFORCE is kept out of the reader, which learns from the classes
            *inner,
            Linear(self.locator_size or self.hidden_size, 2),
            MulConstant(CALM),
            Tanh(),  # bounds the mean between -1 and 1
            ReinforceNormal(self.locator_stdev, self.test_draws > 0),  # draws a place, or gives the mean
            HardTanh(),  # bounds the place
        )


class Draws(Composite):
    """A network that draws, run several times at once on each sample: outputs have all samples' rows once per draw."""

    network: Module
    training: int
    evaluation: int

    def f(self, run: Run, input: Value) -> Output:
        times = self.training if run.train else self.evaluation
        return run.network(jnp.concatenate([input] * times))


class ClassAndReward:
    """The loss of the classes, and of the baseline; `advantage` makes places that led to the right class likelier.

    With several draws for each image, what the others of the image got on average is the baseline of each.
    Source: Mnih et al., 2014; Kool et al., 2019 (the baseline).
    """

    def __init__(self) -> None:
        self.reward, self.of_classes = VRClassReward(), ClassNLLCriterion()

    def __call__(self, output: Value, target: Value) -> Array:
        scores, rated = output
        target = self.for_draws(scores, target)
        return self.of_classes(scores, target) + self.reward(rated, target)

    def advantage(self, output: Value, target: Value) -> Array:
        each = self.reward.advantage(output[1], self.for_draws(output[0], target)).reshape(-1, len(target))
        if len(each) > 1:
            each -= (each.sum(0, keepdims=True) - each) / (len(each) - 1)
        return each.reshape(-1)

    def for_draws(self, scores: Value, target: Value) -> Array:
        """The target once for each draw."""
        return jnp.tile(target, len(scores) // len(target))


class FirstIsRight(Top1Accuracy):
    """Top1Accuracy of the first entry of a table: log-probabilities, whose draws are averaged as probabilities."""

    def measure(self, output: Value, target: Value) -> tuple[Output, Array | int]:
        draws = output[0].reshape(-1, len(target), CLASSES)
        return super().measure(jax.nn.logsumexp(draws, 0), target)
