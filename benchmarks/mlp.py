"""A multi-layer perceptron, 784-512-512-10, a batch of 128."""

import jax
import numpy as np

from functorch7.legacy import manualSeed, nn

from .measure import Way
from .training import NLL, Legacy, by_hand, class_loss, functional, pytorch

RATE = 0.1


def layers(m):
    return [m.Linear(784, 512), m.ReLU(), m.Linear(512, 512), m.ReLU(), m.Linear(512, 10), m.LogSoftMax()]


def loss(params, batch):
    x, target = batch
    w1, b1, w2, b2, w3, b3 = params
    x = jax.nn.relu(x @ w1.T + b1)
    x = jax.nn.relu(x @ w2.T + b2)
    return class_loss(x @ w3.T + b3, target)


def ways(batch_size: int = 128) -> dict[str, Way]:
    manualSeed(1)
    random = np.random.default_rng(0)
    batch = (
        random.normal(size=(batch_size, 784)).astype(np.float32),
        random.integers(1, 11, batch_size).astype(np.int32),
    )
    legacy = Legacy(layers, nn.ClassNLLCriterion(), batch, RATE)
    params = [np.asarray(p) for p in legacy.model.parameters()[0]]
    found = {
        "functorch7 legacy": Way(legacy.step, legacy.wait),
        "functorch7 functional": functional(legacy.model, NLL, batch, RATE),
        "JAX by hand": by_hand(loss, params, batch, RATE),
    }
    try:
        from torch.nn import CrossEntropyLoss, Linear, ReLU, Sequential
    except ImportError:
        return found
    network = Sequential(Linear(784, 512), ReLU(), Linear(512, 512), ReLU(), Linear(512, 10))
    from_zero = (batch[0], batch[1].astype(np.int64) - 1)
    return {**found, "PyTorch eager": pytorch(network, CrossEntropyLoss(), params, from_zero, RATE)}


TARGETS = [("functorch7 functional", "JAX by hand", 1.05)]
