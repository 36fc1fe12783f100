"""Loaders of data: batches from memory, random crops of JPEG files, and a training loop that is fed."""

import itertools
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jax
import numpy as np
import optax

import functorch7 as f7
from functorch7.data import AsyncIterator, ImageClass, TensorLoader
from functorch7.data.images import load_image, random_crop
from functorch7.training import init_state, make_train_step

from .measure import Way

N_WORKERS = 2


def counting(batches: Iterator, n: int = 1) -> Way:
    """A step takes the next n batches and gives the number of their samples."""
    return Way(lambda: float(sum(len(targets) for _, targets in itertools.islice(batches, n))))


class Memory:
    """Batches of 128 from arrays of the size of MNIST's training set."""

    TARGETS = [
        ("functorch7, index", "NumPy, indexing alone", 1 / 0.9),
        ("functorch7, batches", "NumPy, indexing and device_put", 1 / 0.9),
    ]

    def __init__(self, n_samples: int = 60000, batch_size: int = 128):
        self.n_samples, self.batch_size = n_samples, batch_size

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """Images of bytes, and classes."""
        random = np.random.default_rng(0)
        images = random.integers(0, 256, (self.n_samples, 1, 28, 28), dtype=np.uint8)
        return images, random.integers(1, 11, self.n_samples)

    def indices(self) -> Iterator[np.ndarray]:
        """Random indices from 0, without end."""
        order = np.random.default_rng(1).permutation(self.n_samples)
        whole = len(order) // self.batch_size * self.batch_size
        return itertools.cycle(order[:whole].reshape(-1, self.batch_size))

    def ways(self) -> dict[str, Way]:
        images, classes = self.arrays()
        loader = TensorLoader(images, classes)
        alone = ((images[i], classes[i]) for i in self.indices())
        placed = (jax.device_put((images[i], classes[i])) for i in self.indices())
        return {
            "functorch7, index": counting(loader.index(i + 1) for i in self.indices()),
            "NumPy, indexing alone": counting(alone),
            "functorch7, batches": counting(loader.batches(self.batch_size, None, 0, drop_last=True)),
            "NumPy, indexing and device_put": counting(placed),
        }


def jpeg_folder(folder: Path, n_images: int, side: int) -> Path:
    """A folder of two classes with JPEG files of smooth colours and a little noise."""
    from PIL import Image

    random = np.random.default_rng(0)
    for i in range(n_images):
        coarse = random.integers(0, 256, (8, 8, 3), dtype=np.uint8)
        smooth = np.asarray(Image.fromarray(coarse).resize((side, side)), np.int16)
        pixels = np.clip(smooth + random.integers(-12, 13, smooth.shape), 0, 255).astype(np.uint8)
        path = folder / f"class{i % 2}" / f"{i:04}.jpg"
        path.parent.mkdir(exist_ok=True)
        Image.fromarray(pixels).save(path, quality=90)
    return folder


class Images:
    """Random crops of 224 x 224 from JPEG files of 256 x 256, 32 at a time, by two workers, decoded by Pillow.

    A step is an epoch, as workers are some batches ahead.
    """

    TARGETS = [
        ("functorch7, sampleiter", "PyTorch's DataLoader", 1.0),
        ("functorch7, batches", "PyTorch's DataLoader", 1.0),
    ]

    def __init__(self, n_images: int = 512, side: int = 256, crop: int = 224, batch_size: int = 32):
        self.n_images, self.side, self.crop, self.batch_size = n_images, side, crop, batch_size

    @cache  # noqa: B019 (one per process)
    def loader(self) -> ImageClass:
        self._folder = tempfile.TemporaryDirectory()
        folder = jpeg_folder(Path(self._folder.name), self.n_images, self.side)
        return ImageClass(folder, (3, self.side, self.side), (3, self.crop, self.crop), "sample_train")

    def ways(self) -> dict[str, Way]:
        workers = AsyncIterator(self.loader(), N_WORKERS)
        n = self.n_images // self.batch_size
        endless = workers.sampleiter(self.batch_size, 2**40, seed=0)
        found = {
            "functorch7, sampleiter": counting(((inputs, targets) for _, inputs, targets, _ in endless), n),
            "functorch7, batches": counting(workers.batches(self.batch_size, None, 0, drop_last=True), n),
        }
        try:
            return {**found, "PyTorch's DataLoader": counting(self.pytorch(), n)}
        except ImportError:
            return found

    def pytorch(self) -> Iterator:
        """The same files and the same functions, run by PyTorch's worker processes."""
        from torch.utils.data import DataLoader

        loader = DataLoader(
            Files(self.loader()),  # type: ignore[arg-type]
            self.batch_size,
            shuffle=True,
            drop_last=True,
            num_workers=N_WORKERS,
            persistent_workers=True,
            multiprocessing_context="forkserver",  # a fork would copy JAX's threads
        )
        return itertools.chain.from_iterable(itertools.repeat(loader))


class Files:
    """An ImageClass as PyTorch's data set: a length, and (input, target) at a position from 0."""

    def __init__(self, loader: ImageClass):
        self.paths, self.targets = [path.decode() for path in loader.image_path], loader.image_class
        self.side, self.size, self.random = min(loader.load_size[1:]), loader.sample_size, np.random.default_rng(0)

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, position: int) -> tuple[Any, int]:
        from torch import from_numpy

        pixels = random_crop(load_image(self.paths[position], 3, self.side), self.size, self.random)
        return from_numpy(np.ascontiguousarray(pixels)), self.targets[position]


class Fed:
    """A training step of a convolutional network, fed by a loader of MNIST's size, against one that is always ready."""

    TARGETS = [("fed by functorch7, batches", "one batch on the device", 1 / 0.9)]

    def __init__(self, memory: Memory):
        self.memory = memory

    def ways(self) -> dict[str, Way]:
        loader = TensorLoader(*self.memory.arrays())
        batches = loader.batches(self.memory.batch_size, None, 0, drop_last=True)
        one = next(loader.batches(self.memory.batch_size))
        return trained({"fed by functorch7, batches": lambda: next(batches), "one batch on the device": lambda: one})


def trained(sources: dict[str, Callable[[], tuple]]) -> dict[str, Way]:
    """A step trains on a source's batch; steps do not wait for one another. It gives the number of samples."""
    network = f7.Sequential(
        f7.SpatialConvolution(1, 16, 5, 5), f7.ReLU(), f7.SpatialMaxPooling(2, 2, 2, 2), f7.View(16 * 12 * 12),
        f7.Linear(16 * 12 * 12, 10), f7.LogSoftMax(),
    )  # fmt: skip
    optimizer = optax.sgd(0.01)
    step = make_train_step(network, f7.ClassNLLCriterion(), optimizer)

    def way(batch: Callable[[], tuple]) -> Way:
        held = [init_state(network, optimizer, jax.random.key(0))]

        def run() -> float:
            inputs, targets = batch()
            held[0], _ = step(held[0], (as_floats(inputs), targets), None)
            return float(len(targets))

        return Way(run, lambda: jax.block_until_ready(held[0].params))

    return {name: way(batch) for name, batch in sources.items()}


@jax.jit
def as_floats(pixels: jax.Array) -> jax.Array:
    """Pixels from 0 to 1."""
    return pixels.astype(np.float32) / 255


BENCHMARKS = {"load-memory": Memory(), "load-jpeg": Images(), "load-training": Fed(Memory())}
