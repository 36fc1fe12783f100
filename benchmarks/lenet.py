"""LeNet on 28 x 28 images, a batch of 64: convolutions, poolings, two linear layers."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from functorch7.legacy import manualSeed, nn

from .measure import Way, has_torch, mebibytes
from .training import NLL, Legacy, by_hand, class_loss, flax, functional, functional_step, jitted_sgd, pytorch_layouts

RATE = 0.05


def layers(m):
    return [
        m.SpatialConvolution(1, 20, 5, 5),
        m.SpatialMaxPooling(2, 2, 2, 2),
        m.SpatialConvolution(20, 50, 5, 5),
        m.SpatialMaxPooling(2, 2, 2, 2),
        m.Reshape(800),
        m.Linear(800, 500),
        m.ReLU(),
        m.Linear(500, 10),
        m.LogSoftMax(),
    ]


def _block(x, weight, bias):
    x = lax.conv_general_dilated(x, weight, (1, 1), "VALID") + bias[:, None, None]
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")


def loss(params, batch):
    x, target = batch
    w1, b1, w2, b2, w3, b3, w4, b4 = params
    x = _block(_block(x, w1, b1), w2, b2).reshape(len(x), -1)
    return class_loss(jax.nn.relu(x @ w3.T + b3) @ w4.T + b4, target)


def example(batch_size: int) -> tuple[Legacy, tuple, list]:
    """(stateful network, batch, its parameters)."""
    manualSeed(1)
    random = np.random.default_rng(0)
    images = random.normal(size=(batch_size, 1, 28, 28)).astype(np.float32)
    batch = (images, random.integers(1, 11, batch_size).astype(np.int32))
    legacy = Legacy(layers, nn.ClassNLLCriterion(), batch, RATE)
    return legacy, batch, [np.asarray(p) for p in legacy.model.parameters()[0]]


def ways(batch_size: int = 64) -> dict[str, Way]:
    legacy, batch, params = example(batch_size)
    found = {
        "functorch7 legacy": Way(legacy.step, legacy.wait),
        "functorch7 functional": functional(legacy.model, NLL, batch, RATE),
        "JAX by hand": by_hand(loss, params, batch, RATE),
    }
    return {**found, **(pytorch_layouts(network_by_pytorch, params, batch, RATE) if has_torch() else {})}


def network_by_pytorch() -> Any:
    from torch.nn import Conv2d, Flatten, Linear, MaxPool2d, ReLU, Sequential

    return Sequential(
        Conv2d(1, 20, 5), MaxPool2d(2), Conv2d(20, 50, 5), MaxPool2d(2), Flatten(),
        Linear(800, 500), ReLU(), Linear(500, 10),
    )  # fmt: skip


def other_ways(batch_size: int = 64) -> dict[str, Way]:
    """Those with parameters of their own, so that their losses differ."""
    import flax.linen as linen

    class Network(linen.Module):
        @linen.compact
        def __call__(self, x):
            for planes in (20, 50):
                x = linen.max_pool(linen.Conv(planes, (5, 5), padding="VALID")(x), (2, 2), (2, 2))
            return linen.Dense(10)(linen.relu(linen.Dense(500)(x.reshape(len(x), -1))))

    _, (x, target), _ = example(batch_size)
    return {"Flax": flax(Network(), (jnp.asarray(x.transpose(0, 2, 3, 1)), jnp.asarray(target)), RATE)}


def peak_memory(batch_size: int = 64) -> dict[str, float]:
    """The most memory that a compiled step holds at once, in MiB, by XLA's own account."""
    legacy, batch, params = example(batch_size)
    step, state, arrays = functional_step(legacy.model, NLL, batch, RATE)
    params = [jnp.asarray(p) for p in params]
    return {
        "functorch7 functional": mebibytes(step.lower(state, arrays, None).compile()),
        "JAX by hand": mebibytes(jitted_sgd(loss, RATE).lower(params, arrays).compile()),
    }


TARGETS = [
    ("functorch7 functional", "JAX by hand", 1.05),
    ("functorch7 functional", "Flax", 1 / 1.4),
    ("functorch7 functional", "PyTorch eager", 1.1),
    ("functorch7 functional", "PyTorch channels-last", 1.1),
    ("functorch7 legacy", "functorch7 functional", 1.15),
]
