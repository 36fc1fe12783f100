"""Torch7's classic programs, written as their Lua is: zaremba's lstm, the digit classifier, linear regression."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from functorch7.legacy import manualSeed, nn, optim, torch

from .measure import Way


def _tensors(arrays: list, pt: Any) -> list:
    return [pt.tensor(np.array(array)).requires_grad_() for array in arrays]


class Program:
    """A program in both libraries: `ours` and `theirs` are made of nothing and have a `step`."""

    def __init__(self, ours: Callable[[], Any], theirs: Callable[[Any, Any], Callable[[], float]]):
        self.ours, self.theirs = ours, theirs
        self.TARGETS = [("functorch7 legacy", "PyTorch eager", 1.0)]

    def ways(self) -> dict[str, Way]:
        ours = self.ours()
        found = {"functorch7 legacy": Way(ours.step, lambda: jax.block_until_ready(ours.params.storage().array))}
        try:
            import torch as pt
        except ImportError:
            return found
        return {**found, "PyTorch eager": Way(self.theirs(self.ours(), pt))}


# zaremba's lstm: an unrolled network of clones, with the criterion inside ---------------------------------------------


class Zaremba:
    """Two LSTM layers over a vocabulary; one step of truncated back-propagation through `length` words."""

    def __init__(self, vocabulary: int = 2000, size: int = 200, batch: int = 20, length: int = 20):
        self.size, self.batch, self.length = size, batch, length
        manualSeed(1)
        core = self._network(vocabulary)
        self.params, self.grads = core.getParameters()
        self.params.uniform(-0.1, 0.1)
        self.parameters = core.parameters()[0]
        self.cores = [core.clone("weight", "bias", "gradWeight", "gradBias") for _ in range(length)]
        self.words = np.random.default_rng(0).integers(1, vocabulary + 1, (length + 1, batch))
        self.data = [torch.LongTensor(words) for words in self.words]

    def _network(self, vocabulary: int) -> Any:
        x, y, before = nn.Identity()(), nn.Identity()(), nn.Identity()()
        below, states = nn.LookupTable(vocabulary, self.size)(x), []
        for layer in range(2):
            c, h = (nn.SelectTable(2 * layer + i)(before) for i in (1, 2))
            states += self._lstm(below, c, h)
            below = states[-1]
        scores = nn.LogSoftMax()(nn.Linear(self.size, vocabulary)(below))
        return nn.gModule([x, y, before], [nn.ClassNLLCriterion()([scores, y]), nn.Identity()(states)])

    def _lstm(self, x: Any, c: Any, h: Any) -> list:
        sums = nn.CAddTable()([nn.Linear(self.size, 4 * self.size)(each) for each in (x, h)])
        gates = nn.SplitTable(2)(nn.Reshape(4, self.size)(sums))
        let_in, transform, forget, out = (nn.SelectTable(i + 1)(gates) for i in range(4))
        kept = nn.CMulTable()([nn.Sigmoid()(forget), c])
        new = nn.CAddTable()([kept, nn.CMulTable()([nn.Sigmoid()(let_in), nn.Tanh()(transform)])])
        return [new, nn.CMulTable()([nn.Sigmoid()(out), nn.Tanh()(new)])]

    def step(self) -> float:
        zeros = [torch.zeros(self.batch, self.size) for _ in range(4)]
        states, loss = [zeros], 0.0
        for t, core in enumerate(self.cores):
            error, state = core.forward([self.data[t], self.data[t + 1], states[t]])
            states.append(state)
            loss += error
        self.grads.zero()
        gradient = zeros
        for t in reversed(range(self.length)):
            given = [self.data[t], self.data[t + 1], states[t]]
            gradient = self.cores[t].backward(given, [torch.Tensor([1]), gradient])[2]
        norm = self.grads.norm()
        if norm > 5:
            self.grads.mul(5 / norm)
        self.params.add(self.grads.mul(-1))
        return float(loss) / self.length


def zaremba_in_pytorch(ours: Zaremba, pt: Any) -> Callable[[], float]:
    table, *weights = params = _tensors(ours.parameters, pt)
    words = pt.tensor(ours.words) - 1

    def step() -> float:
        states: list = [pt.zeros(ours.batch, ours.size) for _ in range(4)]
        loss: Any = 0
        for t in range(ours.length):
            below, new = table[words[t]], []
            for layer in range(2):
                c, h = states[2 * layer : 2 * layer + 2]
                w1, b1, w2, b2 = weights[4 * layer : 4 * layer + 4]
                sums = pt.nn.functional.linear(below, w1, b1) + pt.nn.functional.linear(h, w2, b2)
                let_in, transform, forget, out = sums.view(-1, 4, ours.size).unbind(1)
                c = pt.sigmoid(forget) * c + pt.sigmoid(let_in) * pt.tanh(transform)
                below = pt.sigmoid(out) * pt.tanh(c)
                new += [c, below]
            states = new
            scores = pt.nn.functional.linear(below, *weights[-2:])
            loss = loss + pt.nn.functional.nll_loss(pt.log_softmax(scores, 1), words[t + 1])
        for param in params:
            param.grad = None
        loss.backward()
        pt.nn.utils.clip_grad_norm_(params, 5)
        with pt.no_grad():
            for param in params:
                param.sub_(param.grad)
        return loss.item() / ours.length

    return step


# torch/demos: the digit classifier, with penalties on its flat parameters ---------------------------------------------


class Digits:
    """A convolutional network trained by optim.sgd, with L1 and L2 penalties computed on tensors, as the demo does."""

    RATE, L1, L2 = 0.05, 1e-4, 1e-4

    def __init__(self, batch: int = 10):
        manualSeed(1)
        self.model = nn.Sequential()
        for layer in (
            nn.SpatialConvolutionMM(1, 32, 5, 5), nn.Tanh(), nn.SpatialMaxPooling(3, 3, 3, 3),
            nn.SpatialConvolutionMM(32, 64, 5, 5), nn.Tanh(), nn.SpatialMaxPooling(2, 2, 2, 2),
            nn.Reshape(64 * 2 * 2), nn.Linear(64 * 2 * 2, 200), nn.Tanh(), nn.Linear(200, 10), nn.LogSoftMax(),
        ):  # fmt: skip
            self.model.add(layer)
        self.criterion = nn.ClassNLLCriterion()
        self.params, self.grads = self.model.getParameters()
        random = np.random.default_rng(0)
        self.images = random.normal(size=(batch, 1, 32, 32)).astype(np.float32)
        self.classes = random.integers(1, 11, batch)
        self.input, self.target = torch.Tensor(self.images), torch.Tensor(self.classes)
        self.state = {"learningRate": self.RATE, "learningRateDecay": 0}

    def objective(self, x: Any) -> tuple:
        if x is not self.params:
            self.params.copy(x)
        self.grads.zero()
        output = self.model.forward(self.input)
        loss = self.criterion.forward(output, self.target)
        self.model.backward(self.input, self.criterion.backward(output, self.target))
        loss += self.L1 * torch.norm(self.params, 1) + self.L2 * torch.norm(self.params, 2) ** 2 / 2
        self.grads.add(torch.sign(self.params).mul(self.L1) + self.params.clone().mul(self.L2))
        return loss, self.grads

    def step(self) -> float:
        _, (loss, *_) = optim.sgd(self.objective, self.params, self.state)
        return float(loss)


def digits_in_pytorch(ours: Digits, pt: Any) -> Callable[[], float]:
    nn_ = pt.nn
    layers = [
        nn_.Conv2d(1, 32, 5), nn_.Tanh(), nn_.MaxPool2d(3), nn_.Conv2d(32, 64, 5), nn_.Tanh(), nn_.MaxPool2d(2),
        nn_.Flatten(), nn_.Linear(64 * 2 * 2, 200), nn_.Tanh(), nn_.Linear(200, 10), nn_.LogSoftmax(1),
    ]  # fmt: skip
    network = nn_.Sequential(*layers)
    params = list(network.parameters())
    images, classes = pt.tensor(ours.images), pt.tensor(ours.classes) - 1
    with pt.no_grad():
        for mine, theirs in zip(params, ours.model.parameters()[0], strict=True):
            mine.copy_(pt.tensor(np.array(theirs)).view(mine.shape))

    def step() -> float:
        for param in params:
            param.grad = None
        loss = nn_.functional.nll_loss(network(images), classes)
        loss.backward()
        with pt.no_grad():
            flat = pt.nn.utils.parameters_to_vector(params)
            value = loss + ours.L1 * flat.norm(1) + ours.L2 * flat.norm(2) ** 2 / 2
            change = pt.nn.utils.parameters_to_vector(p.grad for p in params) + flat.sign() * ours.L1 + flat * ours.L2
            pt.nn.utils.vector_to_parameters(flat - ours.RATE * change, params)
        return value.item()

    return step


# torch/demos: linear regression, one example a step -------------------------------------------------------------------


class Regression:
    """Corn by fertilizer and insecticide: stochastic gradient descent over ten examples."""

    ROWS = ((40, 6, 4), (44, 10, 4), (46, 12, 5), (48, 14, 7), (52, 16, 9), (58, 18, 12), (60, 22, 14), (68, 24, 20),
            (74, 26, 21), (80, 32, 24))  # fmt: skip
    RATE = 1e-4

    def __init__(self) -> None:
        manualSeed(1)
        self.model, self.criterion = nn.Sequential().add(nn.Linear(2, 1)), nn.MSECriterion()
        self.params, self.grads = self.model.getParameters()
        self.data = torch.Tensor(self.ROWS)
        self.state = {"learningRate": self.RATE}
        self.at = 0

    def objective(self, x: Any) -> tuple:
        if x is not self.params:
            self.params.copy(x)
        self.at = self.at % len(self.ROWS) + 1
        sample = self.data[self.at]
        target, inputs = sample[[1]], sample[[2, 3]]
        self.grads.zero()
        loss = self.criterion.forward(self.model.forward(inputs), target)
        self.model.backward(inputs, self.criterion.backward(self.model.output, target))
        return loss, self.grads

    def step(self) -> float:
        return float(sum(optim.sgd(self.objective, self.params, self.state)[1][0] for _ in self.ROWS)) / len(self.ROWS)


def regression_in_pytorch(ours: Regression, pt: Any) -> Callable[[], float]:
    model, data = pt.nn.Linear(2, 1), pt.tensor(ours.ROWS, dtype=pt.float32)
    with pt.no_grad():
        for mine, theirs in zip(model.parameters(), ours.model.parameters()[0], strict=True):
            mine.copy_(pt.tensor(np.array(theirs)))
    optimizer = pt.optim.SGD(model.parameters(), lr=ours.RATE)

    def step() -> float:
        total = 0.0
        for row in data:
            optimizer.zero_grad()
            loss = pt.nn.functional.mse_loss(model(row[1:]), row[:1])
            loss.backward()
            optimizer.step()
            total += loss.item()
        return total / len(data)

    return step


BENCHMARKS = {
    "zaremba": Program(Zaremba, zaremba_in_pytorch),
    "digits": Program(Digits, digits_in_pytorch),
    "regression": Program(Regression, regression_in_pytorch),
}
