"""Three inception blocks on 64 x 64 images, a batch of 16: convolutions of 1, 3, 5 and 7, and poolings."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from functorch7.layers.convolving import convolve
from functorch7.legacy import manualSeed, nn

from .measure import Way, has_torch
from .training import NLL, Legacy, by_hand, class_loss, flax, functional, pytorch_layouts

RATE = 0.01
BLOCKS = [
    # input, 1x1, 3x3 reduce, 3x3, 5x5 reduce, 5x5, pool: GoogLeNet's 3a (for 64 planes), 3b and 4a
    (64, 64, 96, 128, 16, 32, 32),
    (256, 128, 128, 192, 32, 96, 64),
    (480, 192, 96, 208, 16, 48, 64),
]


def layers(m: Any) -> list:
    stem = [m.SpatialConvolution(3, 64, 7, 7, 2, 2, 3, 3), m.ReLU(), m.SpatialMaxPooling(3, 3, 2, 2, 1, 1)]
    blocks = [
        m.Inception({
            "inputSize": size, "kernelSize": [3, 5], "outputSize": [k3, k5], "reduceSize": [r3, r5, pool, one],
            "pool": m.SpatialMaxPooling(3, 3, 1, 1, 1, 1),
        })
        for size, one, r3, k3, r5, k5, pool in BLOCKS
    ]  # fmt: skip
    planes = sum(BLOCKS[-1][i] for i in (1, 3, 5, 6))
    return [*stem, *blocks, m.SpatialAveragePooling(16, 16), m.Reshape(planes), m.Linear(planes, 10), m.LogSoftMax()]


def _max_pool(x: Any, stride: int) -> Any:
    """As the layers do: shifted images compared one by one, the gradient scattered to the winners."""
    from functorch7.layers.pooling import SpatialMaxPooling

    return SpatialMaxPooling(3, 3, stride, stride, 1, 1).f(x)


def loss_by_hand(params: list, batch: tuple) -> Any:
    """The network with the layers' formulations, written out."""
    x, target = batch
    left = iter(params)

    def convolution(x: Any, stride: int = 1, pad: int = 0) -> Any:
        weight, bias = next(left), next(left)
        y = convolve(x, weight, (stride, stride), (pad, pad))
        return jax.nn.relu(y + bias[None, :, None, None])

    x = _max_pool(convolution(x, 2, 3), 2)
    for _ in BLOCKS:
        three = convolution(convolution(x), pad=1)
        five = convolution(convolution(x), pad=2)
        pooled = convolution(_max_pool(x, 1))
        x = jnp.concatenate([three, five, pooled, convolution(x)], 1)
    weight, bias = left
    return class_loss(x.mean((2, 3)) @ weight.T + bias, target)


def network_by_flax(dtype: Any = None) -> Any:
    """The same network as one writes it in Flax: NHWC, its own convolutions and poolings; it computes in `dtype`."""
    import flax.linen as linen

    class Inception(linen.Module):
        sizes: tuple

        @linen.compact
        def __call__(self, x: Any) -> Any:
            _, one, r3, k3, r5, k5, pool = self.sizes

            def convolution(x: Any, planes: int, kernel: int) -> Any:
                return linen.relu(linen.Conv(planes, (kernel, kernel), dtype=dtype)(x))

            pooled = linen.max_pool(x, (3, 3), (1, 1), "SAME")
            return jnp.concatenate([
                convolution(convolution(x, r3, 1), k3, 3), convolution(convolution(x, r5, 1), k5, 5),
                convolution(pooled, pool, 1), convolution(x, one, 1),
            ], -1)  # fmt: skip

    class Network(linen.Module):
        @linen.compact
        def __call__(self, x: Any) -> Any:
            x = linen.relu(linen.Conv(64, (7, 7), (2, 2), padding=3, dtype=dtype)(x))
            x = linen.max_pool(jnp.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0))), (3, 3), (2, 2))
            for sizes in BLOCKS:
                x = Inception(sizes)(x)
            return linen.Dense(10, dtype=dtype)(x.mean((1, 2)))

    return Network()


def network_by_pytorch() -> Any:
    import torch
    from torch.nn import Conv2d, Flatten, Linear, MaxPool2d, Module, ReLU, Sequential

    class Inception(Module):
        def __init__(self, size: int, one: int, r3: int, k3: int, r5: int, k5: int, pool: int):
            super().__init__()
            self.three = Sequential(Conv2d(size, r3, 1), ReLU(), Conv2d(r3, k3, 3, padding=1), ReLU())
            self.five = Sequential(Conv2d(size, r5, 1), ReLU(), Conv2d(r5, k5, 5, padding=2), ReLU())
            self.pool = Sequential(MaxPool2d(3, 1, 1), Conv2d(size, pool, 1), ReLU())
            self.one = Sequential(Conv2d(size, one, 1), ReLU())

        def forward(self, x: Any) -> Any:
            return torch.cat([self.three(x), self.five(x), self.pool(x), self.one(x)], 1)

    planes = sum(BLOCKS[-1][i] for i in (1, 3, 5, 6))
    return Sequential(
        Conv2d(3, 64, 7, 2, 3), ReLU(), MaxPool2d(3, 2, 1), *(Inception(*sizes) for sizes in BLOCKS),
        torch.nn.AvgPool2d(16), Flatten(), Linear(planes, 10),
    )  # fmt: skip


def example(batch_size: int) -> tuple:
    random = np.random.default_rng(0)
    images = random.normal(size=(batch_size, 3, 64, 64)).astype(np.float32)
    return images, random.integers(1, 11, batch_size).astype(np.int32)


def ways(batch_size: int = 16) -> dict[str, Way]:
    manualSeed(1)
    batch = example(batch_size)
    legacy = Legacy(layers, nn.ClassNLLCriterion(), batch, RATE)
    params = [np.asarray(p) for p in legacy.model.parameters()[0]]
    found = {
        "functorch7 legacy": Way(legacy.step, legacy.wait),
        "functorch7 functional": functional(legacy.model, NLL, batch, RATE),
        "JAX by hand": by_hand(loss_by_hand, params, batch, RATE),
    }
    return {**found, **(pytorch_layouts(network_by_pytorch, params, batch, RATE) if has_torch() else {})}


def other_ways(batch_size: int = 16) -> dict[str, Way]:
    """Those with parameters of their own, so that their losses differ."""
    x, target = example(batch_size)
    batch = (jnp.asarray(x.transpose(0, 2, 3, 1)), jnp.asarray(target))
    return {"Flax": flax(network_by_flax(), batch, RATE)}


TARGETS = [
    ("functorch7 functional", "JAX by hand", 1.05),
    ("functorch7 functional", "Flax", 1 / 1.4),
    ("functorch7 functional", "PyTorch eager", 1.25),
    ("functorch7 functional", "PyTorch channels-last", 1.1),
    ("functorch7 legacy", "functorch7 functional", 1.15),
]
