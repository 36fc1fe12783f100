"""XOR, a network of 2-20-1 units, one example a step: what is left is the cost of calling."""

import jax
import jax.numpy as jnp
import numpy as np

import functorch7 as f7
from functorch7.legacy import manualSeed, nn

from .measure import Way
from .training import Legacy, by_hand, functional, pytorch

RATE = 0.01


def layers(m):
    return [m.Linear(2, 20), m.Tanh(), m.Linear(20, 1)]


def output(params, input):
    w1, b1, w2, b2 = params
    return jnp.tanh(w1 @ input + b1) @ w2.T + b2


def loss(params, batch):
    return jnp.square(output(params, batch[0]) - batch[1]).mean()


def four_calls(params, batch) -> Way:
    """The floor of the stateful pattern: forward, loss, backward and update, each compiled by hand."""
    forward = jax.jit(lambda params, input: jax.vjp(output, params, input))
    criterion = jax.jit(lambda y, target: jax.value_and_grad(lambda y: jnp.square(y - target).mean())(y))
    backward = jax.jit(lambda pull, gradient: pull(gradient))
    update = jax.jit(lambda params, gradients: [p - RATE * g for p, g in zip(params, gradients, strict=True)])
    held = [[jnp.array(np.asarray(p)) for p in params]]
    input, target = batch

    def step() -> float:
        y, pull = forward(held[0], input)
        value, gradient = criterion(y, target)
        gradients, _ = backward(pull, gradient)
        held[0] = update(held[0], gradients)
        return float(np.asarray(value))

    return Way(step, lambda: jax.block_until_ready(held[0]))


def xor() -> Legacy:
    """The stateful program."""
    manualSeed(1)
    batch = (np.random.default_rng(0).normal(size=2).astype(np.float32), np.ones(1, np.float32))
    return Legacy(layers, nn.MSECriterion(), batch, RATE)


def ways() -> dict[str, Way]:
    legacy = xor()
    batch = (legacy.input, legacy.target)
    params = [np.asarray(p) for p in legacy.model.parameters()[0]]
    found = {
        "functorch7 legacy": Way(legacy.step, legacy.wait),
        "functorch7 functional": functional(legacy.model, f7.MSECriterion(), batch, RATE),
        "JAX by hand, one call": by_hand(loss, params, batch, RATE),
        "JAX by hand, four calls": four_calls(params, batch),
    }
    try:
        from torch.nn import Linear, MSELoss, Sequential, Tanh
    except ImportError:
        return found
    network = Sequential(Linear(2, 20), Tanh(), Linear(20, 1))
    return {**found, "PyTorch eager": pytorch(network, MSELoss(), params, batch, RATE)}


TARGETS = [("functorch7 legacy", "PyTorch eager", 0.8)]
