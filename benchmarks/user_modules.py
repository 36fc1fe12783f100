"""Programs whose networks have a module of the user's own: char-rnn's (OneHot) and neural-style's (its losses)."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from functorch7.legacy import manualSeed, nn, torch

from .measure import Way

RATE = 0.01


# char-rnn: a clone for every time step, states handed from step to step -----------------------------------------------


class OneHot(nn.Module):
    """char-rnn's util/OneHot.lua: rows of a unit matrix. No gradient: the input is indices."""

    def __init__(self, outputSize: int):
        super().__init__()
        self.outputSize = outputSize
        self._eye = torch.eye(outputSize)

    def updateOutput(self, input: Any) -> Any:
        self.output.resize(input.size(1), self.outputSize).zero()
        self._eye = self._eye.type("torch.FloatTensor")
        self.output.copy(self._eye.index(1, input))
        return self.output


def lstm(one_hot: Any, vocabulary: int, size: int, layers: int) -> Any:
    """char-rnn's model/LSTM.lua: [x, c1, h1, c2, h2, ...] -> [c1, h1, c2, h2, ..., log-probabilities]."""
    inputs = [nn.Identity()() for _ in range(2 * layers + 1)]
    outputs = []
    for layer in range(layers):
        c, h = inputs[2 * layer + 1 : 2 * layer + 3]
        x, width = (one_hot(inputs[0]), vocabulary) if layer == 0 else (outputs[-1], size)
        sums = nn.CAddTable()([nn.Linear(width, 4 * size)(x), nn.Linear(size, 4 * size)(h)])
        n1, n2, n3, n4 = nn.SplitTable(2)(nn.Reshape(4, size)(sums)).split(4)
        in_gate, forget_gate, out_gate = nn.Sigmoid()(n1), nn.Sigmoid()(n2), nn.Sigmoid()(n3)
        in_transform = nn.Tanh()(n4)
        next_c = nn.CAddTable()([nn.CMulTable()([forget_gate, c]), nn.CMulTable()([in_gate, in_transform])])
        outputs += [next_c, nn.CMulTable()([out_gate, nn.Tanh()(next_c)])]
    outputs.append(nn.LogSoftMax()(nn.Linear(size, vocabulary)(outputs[-1])))
    return nn.gModule(inputs, outputs)


class CharRNN:
    """char-rnn's feval, and a step along the gradient. `one_hot` makes the module that is char-rnn's own."""

    def __init__(self, one_hot: Callable[[int], Any], sizes: tuple[int, int, int, int, int]):
        self.vocabulary, self.size, self.layers, self.batch, self.length = sizes
        manualSeed(1)
        network, criterion = lstm(one_hot(self.vocabulary), *sizes[:3]), nn.ClassNLLCriterion()
        self.params, self.grads = network.getParameters()
        names = ("weight", "bias", "gradWeight", "gradBias")
        self.networks = [network.clone(*names) for _ in range(self.length)]
        self.criterions = [criterion.clone() for _ in range(self.length)]
        self.network, random = network, np.random.default_rng(0)
        numbers = random.integers(1, self.vocabulary + 1, (self.length + 1, self.batch))
        self.x, self.y = (torch.LongTensor(n) for n in (numbers[:-1], numbers[1:]))

    def step(self) -> float:
        zeros = [torch.zeros(self.batch, self.size) for _ in range(2 * self.layers)]
        self.grads.zero()
        states, predictions, loss = [zeros], [], 0.0
        for t in range(self.length):
            *state, prediction = self.networks[t].forward([self.x[t + 1], *states[t]])
            states.append(state)
            predictions.append(prediction)
            loss += self.criterions[t].forward(prediction, self.y[t + 1])
        gradients = zeros
        for t in reversed(range(self.length)):
            gradient = self.criterions[t].backward(predictions[t], self.y[t + 1])
            _, *gradients = self.networks[t].backward([self.x[t + 1], *states[t]], [*gradients, gradient])
        self.params.add(-RATE, self.grads)
        return float(loss)

    def wait(self) -> None:
        jax.block_until_ready(self.params.array)


def char_rnn_in_pytorch(ours: CharRNN) -> Way:
    """The same in PyTorch."""
    import torch as pt

    params = [pt.tensor(np.array(p)).requires_grad_() for p in ours.network.parameters()[0]]
    x, y = (pt.tensor(np.asarray(t)) - 1 for t in (ours.x, ours.y))
    size, eye = ours.size, pt.eye(ours.vocabulary)

    def step() -> float:
        states: list = [pt.zeros(ours.batch, size) for _ in range(2 * ours.layers)]
        loss: Any = 0
        for t in range(ours.length):
            below, new = eye[x[t]], []
            for layer in range(ours.layers):
                c, h = states[2 * layer : 2 * layer + 2]
                w1, b1, w2, b2 = params[4 * layer : 4 * layer + 4]
                sums = pt.nn.functional.linear(below, w1, b1) + pt.nn.functional.linear(h, w2, b2)
                n1, n2, n3, n4 = sums.reshape(-1, 4, size).unbind(1)
                c = pt.sigmoid(n2) * c + pt.sigmoid(n1) * pt.tanh(n4)
                below = pt.sigmoid(n3) * pt.tanh(c)
                new += [c, below]
            states = new
            scores = pt.nn.functional.linear(below, *params[-2:])
            loss = loss + pt.nn.functional.nll_loss(pt.log_softmax(scores, 1), y[t])
        for p in params:
            p.grad = None
        loss.backward()
        with pt.no_grad():
            for p in params:
                p.add_(p.grad, alpha=-RATE)
        return loss.item()

    return Way(step)


class CharRNNs:
    """char-rnn with its OneHot, with ours, and in PyTorch."""

    TARGETS = [("functorch7 legacy, user's OneHot", "PyTorch eager", 1.5)]

    def __init__(self, sizes: tuple[int, int, int, int, int] = (65, 128, 2, 50, 20)):
        self.sizes = sizes

    def ways(self) -> dict[str, Way]:
        users, builtin = CharRNN(OneHot, self.sizes), CharRNN(nn.OneHot, self.sizes)
        found = {
            "functorch7 legacy, user's OneHot": Way(users.step, users.wait),
            "functorch7 legacy, nn.OneHot": Way(builtin.step, builtin.wait),
        }
        try:
            return {**found, "PyTorch eager": char_rnn_in_pytorch(CharRNN(nn.OneHot, self.sizes))}
        except ImportError:
            return found


# neural-style: losses between the layers of a network of convolutions -----------------------------------------------


class ContentLoss(nn.Module):
    """neural-style's: the identity, that adds the gradient of the distance to what it has captured."""

    def __init__(self, strength: float):
        super().__init__()
        self.strength, self.mode, self.loss = strength, "capture", 0.0
        self.target, self.criterion = torch.Tensor(), nn.MSECriterion()

    def updateOutput(self, input: Any) -> Any:
        if self.mode == "loss":
            self.loss = self.criterion.forward(input, self.target) * self.strength
        else:
            self.target = input.clone()
        self.output = input
        return self.output

    def updateGradInput(self, input: Any, gradOutput: Any) -> Any:
        self.gradInput = self.criterion.backward(input, self.target).clone().mul(self.strength).add(gradOutput)
        return self.gradInput


def gram_matrix() -> Any:
    """neural-style's GramMatrix."""
    flat = lambda: nn.View(-1).setNumInputDims(2)  # noqa: E731
    both = nn.ConcatTable().add(flat()).add(flat())
    return nn.Sequential().add(both).add(nn.MM(False, True))


class StyleLoss(nn.Module):
    """neural-style's: the same, of the products of the channels."""

    def __init__(self, strength: float):
        super().__init__()
        self.strength, self.mode, self.loss = strength, "capture", 0.0
        self.target, self.gram, self.criterion = torch.Tensor(), gram_matrix(), nn.MSECriterion()

    def updateOutput(self, input: Any) -> Any:
        self.G = self.gram.forward(input).clone().div(input.nElement())
        if self.mode == "loss":
            self.loss = self.criterion.forward(self.G, self.target) * self.strength
        else:
            self.target = self.G.clone()
        self.output = input
        return self.output

    def updateGradInput(self, input: Any, gradOutput: Any) -> Any:
        products = self.criterion.backward(self.G, self.target).clone().div(input.nElement())
        self.gradInput = self.gram.backward(input, products).clone().mul(self.strength).add(gradOutput)
        return self.gradInput


class Style:
    """A picture moved along the gradients of the losses; the network is VGG-19's beginning, with fewer channels."""

    CONTENT, STYLE = 5.0, 100.0

    def __init__(self, channels: tuple[int, ...], pixels: int):
        manualSeed(1)
        self.network, self.losses, planes = nn.Sequential(), [], 3
        for i, width in enumerate(channels):
            self.network.add(nn.SpatialConvolution(planes, width, 3, 3, 1, 1, 1, 1)).add(nn.ReLU(True))
            self.losses.append(StyleLoss(self.STYLE))
            self.network.add(self.losses[-1])
            if i == len(channels) - 1:
                self.losses.append(ContentLoss(self.CONTENT))
                self.network.add(self.losses[-1])
            elif i % 2:
                self.network.add(nn.SpatialMaxPooling(2, 2, 2, 2))
            planes = width
        random = np.random.default_rng(0)
        self.captured, start = random.normal(size=(2, 3, pixels, pixels)).astype(np.float32)
        output = self.network.forward(torch.Tensor(self.captured))
        for loss in self.losses:
            loss.mode = "loss"
        self.picture, self.start = torch.Tensor(start), start
        self.nothing = torch.zeros(*output.shape)

    def step(self) -> float:
        self.network.forward(self.picture)
        gradient = self.network.updateGradInput(self.picture, self.nothing)
        self.picture.add(-RATE, gradient)
        return float(sum(loss.loss for loss in self.losses))

    def wait(self) -> None:
        jax.block_until_ready(self.picture.array)


def style_in_pytorch(ours: Style) -> Way:
    """The same in PyTorch."""
    import torch as pt
    from torch.nn import functional as F

    params = [pt.tensor(np.array(p)) for p in ours.network.parameters()[0]]
    layers = len(params) // 2

    def outputs(picture: Any) -> list:
        found, x = [], picture[None]
        for i in range(layers):
            x = F.relu(F.conv2d(x, params[2 * i], params[2 * i + 1], padding=1))
            found.append(x)
            x = F.max_pool2d(x, 2) if i % 2 and i < layers - 1 else x
        return found

    def gram(x: Any) -> Any:
        flat = x.flatten(1).reshape(x.shape[1], -1)
        return flat @ flat.T / x.numel()

    with pt.no_grad():
        captured = outputs(pt.tensor(ours.captured))
        grams, content = [gram(x) for x in captured], captured[-1]
    picture = pt.tensor(ours.start).requires_grad_()

    def step() -> float:
        found = outputs(picture)
        loss = sum(Style.STYLE * F.mse_loss(gram(x), g) for x, g in zip(found, grams, strict=True))
        loss = loss + Style.CONTENT * F.mse_loss(found[-1], content)
        (gradient,) = pt.autograd.grad(loss, picture)
        with pt.no_grad():
            picture.sub_(gradient, alpha=RATE)
        return loss.item()

    return Way(step)


class Styles:
    """neural-style here and in PyTorch."""

    TARGETS = [("functorch7 legacy, user's losses", "PyTorch eager", 1.5)]

    def __init__(self, channels: tuple[int, ...] = (32, 32, 64, 64, 128), pixels: int = 128):
        self.channels, self.pixels = channels, pixels

    def ways(self) -> dict[str, Way]:
        ours = Style(self.channels, self.pixels)
        found = {"functorch7 legacy, user's losses": Way(ours.step, ours.wait)}
        try:
            return {**found, "PyTorch eager": style_in_pytorch(Style(self.channels, self.pixels))}
        except ImportError:
            return found


USER_MODULES = {"char-rnn": CharRNNs(), "neural-style": Styles()}
