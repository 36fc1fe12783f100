"""The training loops of char-rnn, fb.resnet.torch and dcgan.torch in Lua (`loops/`), and the same loops in Python."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import functorch7 as f7
from functorch7.legacy import manualSeed, nn, optim, torch

from .measure import Way
from .user_modules import lstm

LOOPS = Path(__file__).parent / "loops"


class Loop:
    """A program in both languages: what makes its step, by the name that its file in `loops/` has, too."""

    TARGETS = [("Lua", "Python", 1.1)]

    def __init__(self, name: str, port: Callable[..., Callable[[], float]], *sizes: int):
        self.name, self.port, self.sizes = name, port, sizes

    def ways(self) -> dict[str, Way]:
        found = {"Python": Way(self.port(*self.sizes))}
        try:
            loaded = f7.lua.load(LOOPS / f"{self.name}.lua")
        except ImportError:
            return found
        return {"Lua": Way(getattr(loaded, self.name)(*self.sizes)), **found}


# char-rnn -------------------------------------------------------------------------------------------------------------


class Letters(nn.Module):
    """Rows of a unit matrix: char-rnn's OneHot. It has another name than functorch7's, as files are read by names."""

    def __init__(self, count: int):
        super().__init__()
        self.count, self.unit = count, torch.eye(count)

    def updateOutput(self, input: Any) -> Any:
        self.output.resize(input.size(1), self.count).zero()
        self.unit = self.unit.float()
        self.output.copy(self.unit.index(1, input.long()))
        return self.output


def clones(original: Any, count: int) -> list:
    """Copies by way of a file, whose parameters are the original's."""
    found, file = [], torch.MemoryFile("w").binary()
    file.writeObject(original)
    for _ in range(count):
        reader = torch.MemoryFile(file.storage(), "r").binary()
        found.append(reader.readObject())
        reader.close()
        if isinstance(original, nn.Module):
            for own, theirs in zip(found[-1].parameters(), original.parameters(), strict=True):
                for mine, shared in zip(own, theirs, strict=True):
                    mine.set(shared)
    file.close()
    return found


def char_rnn(vocabulary: int, size: int, layers: int, batch: int, length: int) -> Callable[[], float]:
    """An LSTM by clones over time, rmsprop by a function of the flat parameters."""
    manualSeed(1)
    model = lstm(Letters(vocabulary), vocabulary, size, layers)
    params, grads = model.getParameters()
    params.uniform(-0.08, 0.08)
    models, criterions = clones(model, length), clones(nn.ClassNLLCriterion(), length)
    text = torch.rand(batch, length + 1).mul(vocabulary).floor().add(1).byte()
    x_batch, y_batch = text.narrow(2, 1, length), text.narrow(2, 2, length)
    zeros = [torch.zeros(batch, size) for _ in range(2 * layers)]
    begin, settings = [each.clone() for each in zeros], {"learningRate": 2e-3, "alpha": 0.95}

    def feval(given: Any) -> tuple:
        nonlocal begin
        if given is not params:
            params.copy(given)
        grads.zero()
        x, y = x_batch.transpose(1, 2).contiguous(), y_batch.transpose(1, 2).contiguous()
        states, predictions, loss = [begin], [], 0.0
        for t in range(length):
            models[t].training()
            *state, prediction = models[t].forward([x[t + 1], *states[t]])
            states.append(state)
            predictions.append(prediction)
            loss = loss + criterions[t].forward(prediction, y[t + 1])
        loss = loss / length
        gradients = [each.clone().zero() for each in zeros]
        for t in reversed(range(length)):
            gradient = criterions[t].backward(predictions[t], y[t + 1])
            _, *gradients = models[t].backward([x[t + 1], *states[t]], [*gradients, gradient])
        begin = states[-1]
        grads.clamp(-5, 5)
        return loss, grads

    return lambda: float(optim.rmsprop(feval, params, settings)[1][0])


# fb.resnet.torch ------------------------------------------------------------------------------------------------------


def convolved(into: Any, planes: int, wanted: int, kernel: int, stride: int) -> Any:
    pad = (kernel - 1) // 2
    into.add(nn.SpatialConvolution(planes, wanted, kernel, kernel, stride, stride, pad, pad))
    return into.add(nn.SpatialBatchNormalization(wanted))


def block(planes: int, wanted: int, stride: int) -> Any:
    residual = convolved(nn.Sequential(), planes, wanted, 3, stride).add(nn.ReLU(True))
    convolved(residual, wanted, wanted, 3, 1)
    shortcut = nn.Identity() if planes == wanted else convolved(nn.Sequential(), planes, wanted, 1, stride)
    both = nn.ConcatTable().add(residual).add(shortcut)
    return nn.Sequential().add(both).add(nn.CAddTable(True)).add(nn.ReLU(True))


def stage(planes: int, wanted: int, count: int, stride: int) -> Any:
    found = nn.Sequential().add(block(planes, wanted, stride))
    for _ in range(count - 1):
        found.add(block(wanted, wanted, 1))
    return found


def residual_network(depth: int) -> Any:
    count = (depth - 2) // 6
    model = convolved(nn.Sequential(), 3, 16, 3, 1).add(nn.ReLU(True))
    model.add(stage(16, 16, count, 1)).add(stage(16, 32, count, 2)).add(stage(32, 64, count, 2))
    model.add(nn.SpatialAveragePooling(8, 8, 1, 1)).add(nn.View(64).setNumInputDims(3)).add(nn.Linear(64, 10))
    for each in model.findModules("nn.SpatialConvolution")[0]:
        each.weight.normal(0, math.sqrt(2 / (each.kW * each.kH * each.nOutputPlane)))
        each.bias.zero()
    for each in model.findModules("nn.SpatialBatchNormalization")[0]:
        each.weight.fill(1)
        each.bias.zero()
    return model


def errors(output: Any, target: Any) -> tuple[float, float]:
    """How many of a hundred are wrong where one may guess once, and where one may guess five times."""
    count = output.size(1)
    _, guesses = output.float().sort(2, True)
    right = guesses.eq(target.long().view(count, 1).expandAs(output))
    once, five = (100 * (1 - right.narrow(2, 1, often).sum() / count) for often in (1, 5))
    return once, five


def resnet(depth: int, batch: int) -> Callable[[], float]:
    """sgd with momentum and weight decay."""
    manualSeed(1)
    model, criterion = residual_network(depth), nn.CrossEntropyCriterion()
    params, grads = model.getParameters()
    pictures, classes = torch.randn(batch, 3, 32, 32), torch.rand(batch).mul(10).floor().add(1)
    input, target, losses, count = torch.Tensor(), torch.Tensor(), 0.0, 0
    settings = {
        "learningRate": 0.1, "learningRateDecay": 0, "momentum": 0.9, "nesterov": True, "dampening": 0,
        "weightDecay": 1e-4,
    }  # fmt: skip

    def step() -> float:
        nonlocal losses, count
        model.training()
        input.resize(pictures.size()).copy(pictures)
        target.resize(classes.size()).copy(classes)
        output = model.forward(input).float()
        loss = criterion.forward(model.output, target)
        model.zeroGradParameters()
        criterion.backward(model.output, target)
        model.backward(input, criterion.gradInput)
        optim.sgd(lambda _: (criterion.output, grads), params, settings)
        top1, top5 = errors(output, classes)
        losses, count = losses + loss * batch + 0 * (top1 + top5), count + batch
        assert params.storage() == model.parameters()[0][0].storage()
        return float(loss)

    return step


# dcgan.torch ----------------------------------------------------------------------------------------------------------


def begin(module: Any) -> None:
    name = torch.type(module)
    if "Convolution" in name:
        module.weight.normal(0, 0.02)
        module.noBias()
    elif "BatchNormalization" in name:
        module.weight.normal(1, 0.02)
        module.bias.fill(0)


def generator(noise: int, width: int) -> Any:
    """Pictures of 64 x 64, out of noise."""
    made = nn.Sequential().add(nn.SpatialFullConvolution(noise, width * 8, 4, 4))
    for wanted in (width * 4, width * 2, width):
        made.add(nn.SpatialBatchNormalization(wanted * 2)).add(nn.ReLU(True))
        made.add(nn.SpatialFullConvolution(wanted * 2, wanted, 4, 4, 2, 2, 1, 1))
    made.add(nn.SpatialBatchNormalization(width)).add(nn.ReLU(True))
    made.add(nn.SpatialFullConvolution(width, 3, 4, 4, 2, 2, 1, 1)).add(nn.Tanh())
    return made.apply(begin)


def discriminator(width: int) -> Any:
    """Whether such pictures are real."""
    made = nn.Sequential().add(nn.SpatialConvolution(3, width, 4, 4, 2, 2, 1, 1)).add(nn.LeakyReLU(0.2, True))
    for wanted in (width * 2, width * 4, width * 8):
        made.add(nn.SpatialConvolution(wanted // 2, wanted, 4, 4, 2, 2, 1, 1))
        made.add(nn.SpatialBatchNormalization(wanted)).add(nn.LeakyReLU(0.2, True))
    made.add(nn.SpatialConvolution(width * 8, 1, 4, 4)).add(nn.Sigmoid()).add(nn.View(1).setNumInputDims(3))
    return made.apply(begin)


class Adversaries:
    """Two networks against each other, each by adam, with a function of its own: a call is a step of both."""

    def __init__(self, size: int, width: int, batch: int):
        manualSeed(1)
        self.maker, self.judge, self.criterion = generator(size, width), discriminator(width), nn.BCECriterion()
        self.judge_params, self.judge_grads = self.judge.getParameters()
        self.maker_params, self.maker_grads = self.maker.getParameters()
        self.pictures = torch.rand(batch, 3, 64, 64).mul(2).add(-1)
        self.input, self.noise = torch.Tensor(batch, 3, 64, 64), torch.Tensor(batch, size, 1, 1)
        self.label = torch.Tensor(batch)
        self.judge_settings, self.maker_settings = ({"learningRate": 2e-4, "beta1": 0.5} for _ in range(2))
        self.count, self.judge_loss, self.maker_loss = 0, 0.0, 0.0

    def __call__(self) -> float:
        optim.adam(self.judge_feval, self.judge_params, self.judge_settings)
        optim.adam(self.maker_feval, self.maker_params, self.maker_settings)
        return float(self.judge_loss + self.maker_loss)

    def judge_feval(self, _: Any) -> tuple:
        self.judge_grads.zero()
        self.input.copy(self.pictures)
        loss_of_real = self.judged(1)
        self.count += 1
        manualSeed(self.count)  # so that all ways draw the same
        self.noise.normal(0, 1)
        self.input.copy(self.maker.forward(self.noise))
        self.judge_loss = loss_of_real + self.judged(0)
        return self.judge_loss, self.judge_grads

    def judged(self, real: int) -> float:
        self.label.fill(real)
        output = self.judge.forward(self.input)
        loss = self.criterion.forward(output, self.label)
        self.judge.backward(self.input, self.criterion.backward(output, self.label))
        return loss

    def maker_feval(self, _: Any) -> tuple:
        self.maker_grads.zero()
        self.label.fill(1)
        output = self.judge.output
        self.maker_loss = self.criterion.forward(output, self.label)
        slope = self.criterion.backward(output, self.label)
        self.maker.backward(self.noise, self.judge.updateGradInput(self.input, slope))
        return self.maker_loss, self.maker_grads


BENCHMARKS = {
    "lua-char-rnn": Loop("char_rnn", char_rnn, 65, 128, 2, 50, 20),
    "lua-resnet": Loop("resnet", resnet, 20, 8),
    "lua-dcgan": Loop("dcgan", Adversaries, 100, 16, 8),
}
