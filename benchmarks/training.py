"""The ways to train a network: functional, legacy, hand-written JAX, PyTorch."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import optax

import functorch7 as f7
from functorch7.legacy import nn
from functorch7.training import init_state, make_train_step

from .measure import Way


class Legacy:
    """A stateful network and its criterion."""

    def __init__(self, layers: Callable[[Any], list], criterion: Any, batch: tuple, rate: float):
        self.model, self.criterion, self.rate = nn.Sequential(), criterion, rate
        for layer in layers(nn):
            self.model.add(layer)
        self.input, self.target = batch

    def step(self) -> float:
        """One step, with the five calls that Torch programs make."""
        model, criterion = self.model, self.criterion
        loss = criterion.forward(model.forward(self.input), self.target)
        model.zeroGradParameters()
        model.backward(self.input, criterion.backward(model.output, self.target))
        model.updateParameters(self.rate)
        return loss

    def wait(self) -> None:
        """Waits for the last update."""
        jax.block_until_ready([storage.array for storage in self.model._planned().parameters.storages])


def functional_step(model: Any, criterion: Any, batch: tuple, rate: float) -> tuple[Any, Any, Any]:
    """(compiled step, its first state, the batch as JAX's arrays) for a stateful model's network and parameters."""
    module, variables = model.functional()
    optimizer = optax.sgd(rate)
    step = make_train_step(module, criterion, optimizer)
    return step, init_state(module, optimizer, variables), jax.tree.map(jax.numpy.asarray, batch)


def functional(model: Any, criterion: Any, batch: tuple, rate: float) -> Way:
    """functorch7's own train step."""
    step, state, arrays = functional_step(model, criterion, batch, rate)
    held = [state]

    def run() -> float:
        held[0], metrics = step(held[0], arrays, None)
        return float(metrics["loss"])

    return Way(run, lambda: jax.block_until_ready(held[0].params))


def jitted_sgd(loss: Callable, rate: float) -> Callable:
    """What one writes by hand: a jitted, donating step of plain gradient descent."""

    def step(params: Any, batch: tuple) -> tuple[Any, Any]:
        value, gradients = jax.value_and_grad(loss)(params, batch)
        return jax.tree.map(lambda p, g: p - rate * g, params, gradients), value

    return jax.jit(step, donate_argnums=0)


def by_hand(loss: Callable, params: Any, batch: tuple, rate: float) -> Way:
    """Hand-written JAX."""
    step = jitted_sgd(loss, rate)
    held = [jax.tree.map(lambda p: jax.numpy.array(np.asarray(p)), params)]
    arrays = jax.tree.map(jax.numpy.asarray, batch)

    def run() -> float:
        held[0], value = step(held[0], arrays)
        return float(value)

    return Way(run, lambda: jax.block_until_ready(held[0]))


def pytorch(network: Any, loss: Callable, params: list, batch: tuple, rate: float, channels_last: bool = False) -> Way:
    """PyTorch, eager, with the update written out; images may be in its other layout."""
    import torch

    input, target = (torch.tensor(np.asarray(part)) for part in batch)
    if channels_last:
        network.to(memory_format=torch.channels_last)
        input = input.contiguous(memory_format=torch.channels_last)
    weights = [weight for weight in network.parameters() if weight.requires_grad]
    with torch.no_grad():
        for weight, value in zip(weights, params, strict=True):
            weight.copy_(torch.tensor(np.asarray(value)))

    def run() -> float:
        value = loss(network(input), target)
        for weight in weights:
            weight.grad = None
        value.backward()
        with torch.no_grad():
            for weight in weights:
                weight -= rate * weight.grad
        return value.item()

    return Way(run)


def pytorch_layouts(make: Callable, params: list, batch: tuple, rate: float) -> dict[str, Way]:
    """A classifier of images in both layouts; classes count from 1."""
    from torch.nn import CrossEntropyLoss

    given = CrossEntropyLoss(), params, (batch[0], batch[1].astype(np.int64) - 1), rate
    return {
        "PyTorch eager": pytorch(make(), *given),
        "PyTorch channels-last": pytorch(make(), *given, channels_last=True),
    }


def flax(network: Any, batch: tuple, rate: float) -> Way:
    """A Flax network with its own parameters, in NHWC."""
    held = [network.init(jax.random.key(0), batch[0])]

    def loss(params: Any, batch: tuple) -> jax.Array:
        return class_loss(network.apply(params, batch[0]), batch[1])

    step = jitted_sgd(loss, rate)

    def run() -> float:
        held[0], value = step(held[0], batch)
        return float(value)

    return Way(run, lambda: jax.block_until_ready(held[0]))


def class_loss(logits: jax.Array, target: jax.Array) -> jax.Array:
    """Mean negative log-likelihood of classes that count from 1."""
    return -jax.numpy.take_along_axis(jax.nn.log_softmax(logits), target[:, None] - 1, 1).mean()


NLL = f7.ClassNLLCriterion()
