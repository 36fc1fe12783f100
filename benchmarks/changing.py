"""A teacher and a student, while something changes at every step: a buffer's size, the student's mode, a number."""

from collections.abc import Callable

import jax
import numpy as np

from functorch7.legacy import manualSeed, nn, torch

from .measure import Way

RATE, WIDTH, DEPTH, BATCH = 0.01, 128, 4, 64


def network():
    net = nn.Sequential()
    for _ in range(DEPTH):
        net.add(nn.Linear(WIDTH, WIDTH)).add(nn.Tanh())
    return net.add(nn.MulConstant(1.0))


class Pair:
    """A student that learns what a teacher gives; `before` is called at every step."""

    def __init__(self, before: Callable[["Pair"], None]):
        manualSeed(1)
        self.teacher, self.student = network().evaluate(), network()
        self.watching = self.student.clone("weight", "bias").evaluate()
        self.criterion, self.before, self.count = nn.MSECriterion(), before, 0
        self.buffer = torch.Tensor(5)
        self.input = np.random.default_rng(0).normal(size=(BATCH, WIDTH)).astype(np.float32)

    def step(self) -> float:
        """One iteration."""
        self.count += 1
        self.before(self)
        target, output = self.teacher.forward(self.input), self.student.forward(self.input)
        loss = self.criterion.forward(output, target)
        self.student.zeroGradParameters()
        self.student.backward(self.input, self.criterion.backward(output, target))
        self.student.updateParameters(RATE)
        return loss

    def wait(self) -> None:
        """Waits for the last update."""
        jax.block_until_ready([storage.array for storage in self.student._planned().parameters.storages])


def resized(pair: Pair) -> None:
    pair.buffer.resize(5 + pair.count % 2)


def watched(pair: Pair) -> None:
    pair.watching.forward(pair.input)


def evaluated(pair: Pair) -> None:
    pair.student.evaluate().forward(pair.input)
    pair.student.training()


def another_number(pair: Pair) -> None:
    pair.teacher.get(2 * DEPTH + 1).constant_scalar = pair.student.get(2 * DEPTH + 1).constant_scalar = (
        1.0 + 1e-9 * pair.count
    )


def made(pair: Pair) -> None:
    nn.Identity()


CHANGES = {
    "undisturbed": lambda pair: None,
    "an unrelated resize": resized,
    "an unrelated nn.Identity()": made,
    "another number": another_number,
    "a second network evaluates": watched,
    "evaluate, forward, training": evaluated,
}


def ways() -> dict[str, Way]:
    pairs = {name: Pair(before) for name, before in CHANGES.items()}
    return {name: Way(pair.step, pair.wait) for name, pair in pairs.items()}


TARGETS = [
    ("an unrelated resize", "undisturbed", 1.1),
    ("evaluate, forward, training", "a second network evaluates", 1.1),
]
