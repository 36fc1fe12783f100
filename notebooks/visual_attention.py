"""A recurrent model for visual attention: where to look next is learned from being right or wrong.

The rnn package's examples/recurrent-visual-attention.lua (Mnih et al., 2014). A digit lies somewhere on a larger
canvas. The network sees it through glimpses only: at each step a locator says where to look, and a recurrent network
reads what is there; after the last step a classifier names the digit. A glimpse has no gradient with respect to its
place, so the place is drawn around the locator's answer, and made more likely if it led to the right class (REINFORCE).

The digits are scikit-learn's, or, with --mnist, those of a directory with MNIST's four IDX files, gzipped or not. Run
`python notebooks/visual_attention.py --plot path.png`.
"""

import argparse
import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
import optax

import functorch7 as f7
from functorch7.optim import adam

STEPS = 4  # glimpses
HIDDEN_SIZE = 128
SENSOR_SIZE = 64  # hidden units for what is seen, and for where
LOCATOR_STDEV = 0.2  # of a place, from -1 to 1
BATCH_SIZE = 64
LEARNING_RATE = 2e-3
STDV = 0.12  # of the starting values: Torch's own make a signal through so many layers vanish


class Digits(NamedTuple):
    """Images (N, H, W) from 0 to 1, their digits (N,), and the sizes of the task that they are used in."""

    training: tuple[np.ndarray, np.ndarray]
    test: tuple[np.ndarray, np.ndarray]
    canvas: int  # pixels
    patch: int  # pixels of the sharpest part of a glimpse
    depth: int  # parts of a glimpse, each twice as wide as the one before


def small_digits() -> Digits:
    """The 1797 images of 8 x 8 pixels that come with scikit-learn; a fifth of them are for the test."""
    from sklearn.datasets import load_digits

    found: Any = load_digits()
    images, digits = found.images.astype(np.float32) / 16, found.target
    return Digits((images[:1437], digits[:1437]), (images[1437:], digits[1437:]), canvas=20, patch=8, depth=2)


def mnist(directory: Path) -> Digits:
    """MNIST, for the paper's task: 28 x 28 pixels on a canvas of 60 x 60, three parts of 12 x 12."""
    parts = [(f"{name}-images-idx3-ubyte", f"{name}-labels-idx1-ubyte") for name in ("train", "t10k")]
    training, test = [(idx(directory / x).astype(np.float32) / 255, idx(directory / y)) for x, y in parts]
    return Digits(training, test, canvas=60, patch=12, depth=3)


def idx(path: Path) -> np.ndarray:
    """The array of bytes in an IDX file, which may be gzipped: 0, 0, 8, the rank, the sizes, the elements."""
    zipped = path.with_name(f"{path.name}.gz")
    data = gzip.decompress(zipped.read_bytes()) if zipped.exists() else path.read_bytes()
    if data[:3] != b"\x00\x00\x08":
        raise ValueError(f"{path}: expected an IDX file of bytes, got one that starts with {data[:4]!r}")
    sizes = np.frombuffer(data, ">i4", data[3], 4)
    found = np.frombuffer(data, np.uint8, offset=4 + 4 * data[3])
    if found.size != sizes.prod():
        raise ValueError(f"{path}: expected {sizes.prod()} elements ({sizes}), got {found.size}; is it complete?")
    return found.reshape(sizes)


def placed(images: np.ndarray, canvas: int, rng: np.random.Generator) -> np.ndarray:
    """Each image anywhere on a black canvas: (N, 1, canvas, canvas)."""
    height, width = images.shape[1:]
    wide = np.zeros((len(images), 1, canvas, canvas), np.float32)
    tops, lefts = (rng.integers(canvas - size + 1, size=len(images)) for size in (height, width))
    for to, image, top, left in zip(wide[:, 0], images, tops, lefts, strict=True):
        to[top : top + height, left : left + width] = image
    return wide


def batches(data: Digits, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Random training images at random places, with their classes: digit d is class d + 1."""
    rng, (images, digits) = np.random.default_rng(seed), data.training
    while True:
        chosen = rng.integers(len(images), size=BATCH_SIZE)
        yield placed(images[chosen], data.canvas, rng), digits[chosen].astype(np.int32) + 1


# The network ---------------------------------------------------------------------------------------------------------


def attention(data: Digits) -> f7.RecurrentAttention:
    """Images -> the hidden state after each glimpse."""
    where = f7.Sequential(f7.SelectTable(2), f7.Linear(2, SENSOR_SIZE), f7.ReLU())
    what = f7.Sequential(
        f7.SpatialGlimpse(data.patch, data.depth, 2),
        f7.Collapse(3),
        f7.Linear(data.patch**2 * data.depth, SENSOR_SIZE),
        f7.ReLU(),
    )
    glimpse = f7.Sequential(
        f7.ConcatTable(where, what),
        f7.JoinTable(1, 1),
        f7.Linear(2 * SENSOR_SIZE, HIDDEN_SIZE),
        f7.ReLU(),
        f7.Linear(HIDDEN_SIZE, HIDDEN_SIZE),
    )
    reader = f7.Recurrent(HIDDEN_SIZE, glimpse, f7.Linear(HIDDEN_SIZE, HIDDEN_SIZE), f7.ReLU())
    locator = f7.Sequential(
        f7.ZeroGrad(),  # the noise of REINFORCE is kept out of the reader, which learns from the classes
        f7.Linear(HIDDEN_SIZE, 2),
        f7.HardTanh(),  # bounds the mean between -1 and 1
        f7.ReinforceNormal(LOCATOR_STDEV),  # draws a place; in evaluation it gives the mean
        f7.HardTanh(),  # bounds the place
    )
    return f7.RecurrentAttention(reader, locator, STEPS, HIDDEN_SIZE)


def agent(data: Digits) -> f7.Sequential:
    """Images -> [class scores, [class scores, the baseline: the reward that is to be expected]]."""
    baseline = f7.Sequential(f7.Constant(f7.Const([1.0]), 1), f7.Add(1))
    rated = f7.ConcatTable(f7.Identity(), baseline)
    classifier = (f7.SelectTable(-1), f7.Linear(HIDDEN_SIZE, 10), f7.LogSoftMax())
    return f7.Sequential(attention(data), *classifier, f7.ConcatTable(f7.Identity(), rated))


nll, reward = f7.ClassNLLCriterion(), f7.VRClassReward()


def train(data: Digits, iterations: int, seed: int) -> tuple[f7.Sequential, f7.Variables]:
    """The agent and its arrays after some updates by Adam; prints how it goes."""
    network = agent(data)
    params, buffers = network.init(jax.random.key(seed), STDV)
    optimizer = adam(LEARNING_RATE)

    def loss(params: Any, images: Any, classes: Any, key: Any) -> tuple[Any, Any]:
        (scores, rated), new = network.apply(params, buffers, images, key=key, train=True)
        learned = nll(scores, classes) + reward(rated, classes)  # by back-propagation: the classes and the baseline
        # By REINFORCE: -sum over examples and steps of (reward - baseline) * log p(place).
        learned += f7.reinforce_loss(new, reward.advantage(rated, classes))
        return learned, reward.reward(rated, classes).mean()

    @jax.jit
    def step(params: Any, state: Any, images: Any, classes: Any, key: Any) -> tuple[Any, Any, Any]:
        gradient, right = jax.grad(loss, has_aux=True)(params, images, classes, key)
        updates, state = optimizer.update(gradient, state, params)
        return optax.apply_updates(params, updates), state, right

    state, rewards, every = optimizer.init(params), [], max(1, iterations // 10)
    keys = jax.random.split(jax.random.key(seed + 1), iterations)
    for number, (key, batch) in enumerate(zip(keys, batches(data, seed), strict=False), 1):
        params, state, right = step(params, state, *batch, key)
        rewards.append(right)
        if number % every == 0:
            print(f"iteration {number:5}  right {np.mean(rewards[-every:]):.3f}")
    return network, f7.Variables(params, buffers)


def accuracy(network: f7.Sequential, variables: f7.Variables, data: Digits) -> float:
    """The share of test images, at random places, whose digit is found; places are not drawn but the locator's."""
    images, digits = data.test
    images = placed(images, data.canvas, np.random.default_rng(0))
    scores = jax.jit(lambda x: network.apply(*variables, x)[0][0])
    found = [np.asarray(scores(images[i : i + 500])).argmax(1) for i in range(0, len(images), 500)]
    return float((np.concatenate(found) == digits).mean())


def draw(path: Path, variables: f7.Variables, data: Digits) -> None:
    """Test images, and where the network looked: the sharpest part of each glimpse, and the path of their centres."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    images = placed(data.test[0][:8], data.canvas, np.random.default_rng(0))
    looking = attention(data).replace(forward_actions=True)
    seen, _ = looking.apply(variables.params[0], variables.buffers[0], images)
    pad = (data.patch - 1) // 2
    room = data.canvas + 2 * pad - data.patch
    corners = np.floor((np.stack([place for _, place in seen], 1) + 1) / 2 * room) - pad  # (image, step, (y, x))
    figure = Figure(figsize=(8, 4.2), layout="constrained")
    for axes, image, path_of, digit in zip(
        figure.subplots(2, 4).flat, images[:, 0], corners, data.test[1][:8], strict=True
    ):
        axes.imshow(image, cmap="gray")
        for number, (y, x) in enumerate(path_of):
            colour = f"C{number}"
            axes.add_patch(Rectangle((x - 0.5, y - 0.5), data.patch, data.patch, fill=False, edgecolor=colour))
        centres = path_of + (data.patch - 1) / 2
        axes.plot(centres[:, 1], centres[:, 0], "w.-", linewidth=0.8)
        axes.set(xticks=[], yticks=[], xlim=(-0.5, data.canvas - 0.5), ylim=(data.canvas - 0.5, -0.5))
        axes.set_title(f"a {digit}", fontsize=9)
    figure.suptitle(f"{STEPS} glimpses: " + ", ".join(("blue", "orange", "green", "red")[:STEPS]), fontsize=10)
    figure.savefig(path, dpi=120)
    print(f"wrote {path}")


def main(arguments: list[str] | None = None) -> float:
    """Trains, and gives the share of test images that are recognised."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=4000, help="how many updates (default 4000)")
    parser.add_argument("--seed", type=int, default=0, help="of places, starting values and samples (default 0)")
    parser.add_argument("--mnist", type=Path, metavar="DIR", help="read MNIST's IDX files from this directory")
    parser.add_argument("--plot", type=Path, metavar="PATH", help="draw the glimpses into this file (needs matplotlib)")
    options = parser.parse_args(arguments)
    if options.iterations < 1:
        parser.error(f"--iterations: expected at least 1, got {options.iterations}")

    data = mnist(options.mnist) if options.mnist else small_digits()
    network, variables = train(data, options.iterations, options.seed)
    if options.plot:
        draw(options.plot, variables, data)
    right = accuracy(network, variables, data)
    print(f"test images recognised: {right:.3f}")
    return right


if __name__ == "__main__":
    main()
