"""What `python -m benchmarks gpu` times: whole training steps, and recurrent layers forward and backward."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

import functorch7 as f7

from . import inception
from .gpu_ways import Started, by_flax, by_functorch7, by_pytorch, layer_by_functorch7, layer_by_pytorch
from .measure import has_torch

Ways = Callable[[str], dict[str, Callable[[], Started]]]
"""By the dtype: the ways, not made yet."""


def images(count: int, planes: int, side: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    pictures = random.standard_normal((count, planes, side, side), dtype=np.float32)
    return pictures, random.integers(1, classes + 1, count).astype(np.int32)


def steps(
    networks: dict[str, f7.Module], theirs: Callable[[], Any], batch: tuple, flax: Any = None, criterion: Any = None
) -> Ways:
    """Training steps of our networks, of PyTorch's and, where there is one, of Flax's."""
    criterion = criterion or f7.ClassNLLCriterion()

    def ways(dtype: str) -> dict[str, Callable[[], Started]]:
        found = {name: partial(by_functorch7, module, criterion, batch, dtype) for name, module in networks.items()}
        if has_torch():
            found["PyTorch eager"] = partial(by_pytorch, theirs, batch, dtype)
            found["torch.compile"] = partial(by_pytorch, theirs, batch, dtype, compiled=True)
        return found if flax is None else {**found, "Flax": partial(by_flax, flax, batch, dtype)}

    return ways


def mlp(sizes: tuple[int, ...], batch: int, examples: int | None) -> Ways:
    count = examples or batch
    random = np.random.default_rng(0)
    x = random.standard_normal((count, sizes[0]), dtype=np.float32)
    layers = [layer for a, b in pairwise(sizes) for layer in (f7.Linear(a, b), f7.ReLU())]

    def theirs() -> Any:
        from torch.nn import Linear, ReLU, Sequential

        return Sequential(*[layer for a, b in pairwise(sizes) for layer in (Linear(a, b), ReLU())][:-1])

    y = random.integers(1, sizes[-1] + 1, count).astype(np.int32)
    return steps({"functorch7": f7.Sequential(*layers[:-1], f7.LogSoftMax())}, theirs, (x, y))


def lenet(batch: int, examples: int | None) -> Ways:
    ours = f7.Sequential(
        f7.SpatialConvolution(1, 20, 5, 5), f7.SpatialMaxPooling(2, 2, 2, 2), f7.ReLU(),
        f7.SpatialConvolution(20, 50, 5, 5), f7.SpatialMaxPooling(2, 2, 2, 2), f7.ReLU(),
        f7.Reshape(800), f7.Linear(800, 500), f7.ReLU(), f7.Linear(500, 10), f7.LogSoftMax(),
    )  # fmt: skip

    def theirs() -> Any:
        from torch.nn import Conv2d, Flatten, Linear, MaxPool2d, ReLU, Sequential

        return Sequential(
            Conv2d(1, 20, 5), MaxPool2d(2), ReLU(), Conv2d(20, 50, 5), MaxPool2d(2), ReLU(), Flatten(),
            Linear(800, 500), ReLU(), Linear(500, 10),
        )  # fmt: skip

    def flax(dtype: Any) -> Any:
        import flax.linen as linen

        class Network(linen.Module):
            @linen.compact
            def __call__(self, x: Any) -> Any:
                for planes in (20, 50):
                    x = linen.Conv(planes, (5, 5), padding="VALID", dtype=dtype)(x)
                    x = linen.relu(linen.max_pool(x, (2, 2), (2, 2)))
                x = linen.relu(linen.Dense(500, dtype=dtype)(x.reshape(len(x), -1)))
                return linen.Dense(10, dtype=dtype)(x)

        return Network()

    return steps({"functorch7": ours}, theirs, images(examples or batch, 1, 28, 10), flax)


def inceptions(batch: int, examples: int | None) -> Ways:
    ours = f7.Sequential(*inception.layers(f7))
    flax = inception.network_by_flax
    return steps({"functorch7": ours}, inception.network_by_pytorch, images(examples or batch, 3, 64, 10), flax)


VGG = (64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0)
"""VGG-11: planes of the convolutions; 0 halves the image."""


def vgg(batch: int, examples: int | None, side: int = 224) -> Ways:
    """With batch normalisation and global pooling."""
    layers: list[f7.Module] = []
    for before, planes in zip((3, *(p for p in VGG if p)), (p for p in VGG if p), strict=False):
        convolution = f7.SpatialConvolution(before, planes, 3, 3, 1, 1, 1, 1, bias=False)
        layers.append(f7.Sequential(convolution, f7.SpatialBatchNormalization(planes), f7.ReLU()))
    blocks = iter(layers)
    body = [next(blocks) if planes else f7.SpatialMaxPooling(2, 2, 2, 2) for planes in VGG]
    end = f7.SpatialAveragePooling(side // 32, side // 32), f7.Reshape(512), f7.Linear(512, 1000), f7.LogSoftMax()

    def theirs() -> Any:
        from torch.nn import AdaptiveAvgPool2d, BatchNorm2d, Conv2d, Flatten, Linear, MaxPool2d, ReLU, Sequential

        found, before = [], 3
        for planes in VGG:
            if planes:
                found += [Conv2d(before, planes, 3, padding=1, bias=False), BatchNorm2d(planes), ReLU()]
                before = planes
            else:
                found.append(MaxPool2d(2))
        return Sequential(*found, AdaptiveAvgPool2d(1), Flatten(), Linear(512, 1000))

    return steps({"functorch7": f7.Sequential(*body, *end)}, theirs, images(examples or batch, 3, side, 1000))


def deep(batch: int, examples: int | None) -> Ways:
    """24 convolutions of 32 planes on 32 x 32 pixels; recomputed in six parts of four."""

    def block(before: int) -> f7.Module:
        return f7.Sequential(f7.SpatialConvolution(before, 32, 3, 3, 1, 1, 1, 1), f7.ReLU())

    parts: list[f7.Module] = [f7.Sequential(*(block(32 if part or i else 3) for i in range(4))) for part in range(6)]
    end = f7.SpatialAveragePooling(32, 32), f7.Reshape(32), f7.Linear(32, 10), f7.LogSoftMax()

    def theirs() -> Any:
        from torch.nn import AdaptiveAvgPool2d, Conv2d, Flatten, Linear, ReLU, Sequential

        layers = [each for i in range(24) for each in (Conv2d(32 if i else 3, 32, 3, padding=1), ReLU())]
        return Sequential(*layers, AdaptiveAvgPool2d(1), Flatten(), Linear(32, 10))

    ours: dict[str, f7.Module] = {"functorch7": f7.Sequential(*parts, *end)}
    ours["functorch7, Remat"] = f7.Sequential(*(f7.Remat(part) for part in parts), *end)
    return steps(ours, theirs, images(examples or batch, 3, 32, 10))


def language(size: int, batch: int, length: int, examples: int | None, words: int = 10_000) -> Ways:
    """Two LSTM layers between a table of words and their scores."""
    text = np.random.default_rng(0).integers(1, words + 1, (length + 1, examples or batch)).astype(np.int32)
    scores = f7.Sequencer(f7.Sequential(f7.Linear(size, words), f7.LogSoftMax()))
    ours = f7.Sequential(f7.LookupTable(words, size), f7.SeqLSTM(size, size), f7.SeqLSTM(size, size), scores)

    def theirs() -> Any:
        import torch

        class Model(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.table, self.lstm = torch.nn.Embedding(words, size), torch.nn.LSTM(size, size, 2)
                self.linear = torch.nn.Linear(size, words)

            def forward(self, x: Any) -> Any:
                return self.linear(self.lstm(self.table(x))[0])

        return Model()

    criterion = f7.SequencerCriterion(f7.ClassNLLCriterion(), True)
    return steps({"functorch7": ours}, theirs, (text[:-1], text[1:]), criterion=criterion)


def layer(kind: str, sizes: tuple[int, int, int], examples: int | None) -> Ways:
    """A recurrent layer of steps x batch x features."""
    length, batch, features = sizes
    x = np.random.default_rng(0).standard_normal((length, examples or batch, features), dtype=np.float32)
    ours = {"LSTM": f7.SeqLSTM, "GRU": f7.SeqGRU}[kind](features, features)

    def ways(dtype: str) -> dict[str, Callable[[], Started]]:
        found: dict[str, Callable[[], Started]] = {"functorch7": partial(layer_by_functorch7, ours, x, dtype)}
        return {**found, "PyTorch eager": partial(layer_by_pytorch, kind, x, dtype)} if has_torch() else found

    return ways


WORKLOADS: dict[str, Callable[[int | None], Ways]] = {
    "mlp-128": partial(mlp, (784, 512, 512, 10), 128),
    "mlp-8192": partial(mlp, (4096, 4096, 4096, 4096), 8192),
    "lenet-64": partial(lenet, 64),
    "lenet-4096": partial(lenet, 4096),
    "inception-16": partial(inceptions, 16),
    "inception-512": partial(inceptions, 512),
    "vgg11-64": partial(vgg, 64),
    "deep-256": partial(deep, 256),
    "lstm-50x32x250": partial(layer, "LSTM", (50, 32, 250)),
    "lstm-100x64x256": partial(layer, "LSTM", (100, 64, 256)),
    "lstm-100x64x1024": partial(layer, "LSTM", (100, 64, 1024)),
    "gru-100x64x256": partial(layer, "GRU", (100, 64, 256)),
    "language-2x650": partial(language, 650, 20, 35),
    "language-2x1024": partial(language, 1024, 256, 35),
}
