"""Handwritten digits: a Torch-style convolutional network on the 1,797 images that ship with scikit-learn.

`python examples/digits.py` trains with one pure, jitted step and optax. With `--legacy` the same network is trained by
Torch7's forward, backward and updateParameters, and every loss is compared with that of the functional way.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import jax
import numpy as np
import optax
import orbax.checkpoint as ocp
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from tqdm import tqdm

import functorch7 as f7
from functorch7.training import init_state, make_train_step

SEED = 0
TRAINING_IMAGES = 1440  # the other 357 are never trained on
BATCH = 32
LEARNING_RATE = 0.2
TOLERANCE = 1e-5

Data = tuple[np.ndarray, np.ndarray]
"""Images (N, 1, 8, 8) with values from 0 to 1, and their classes (N,): digit d is class d + 1, as in Torch."""


def layers(nn: Any) -> list:
    """The network's layers, from `functorch7` or from `functorch7.legacy.nn`: they have the same names."""
    return [
        nn.SpatialConvolution(1, 16, 3, 3),
        nn.Tanh(),
        nn.SpatialConvolution(16, 32, 3, 3),
        nn.SpatialMaxPooling(2, 2),
        nn.Tanh(),
        nn.Reshape(32 * 2 * 2),
        nn.Linear(32 * 2 * 2, 64),
        nn.Tanh(),
        nn.Linear(64, 10),
        nn.LogSoftMax(),
    ]


network = f7.Sequential(*layers(f7))


@jax.jit
def log_probabilities(variables: f7.Variables, images: Any) -> jax.Array:
    """The network's output in evaluation mode."""
    output, _ = network.apply(variables.params, variables.buffers, images)
    return output


def load() -> tuple[Data, Data]:
    """The digits in a fixed random order, for training and for testing."""
    digits: Any = load_digits()
    images, classes = (digits.images[:, None] / 16).astype(np.float32), digits.target + 1
    order = np.random.default_rng(SEED).permutation(len(images))
    train, test = order[:TRAINING_IMAGES], order[TRAINING_IMAGES:]
    return (images[train], classes[train]), (images[test], classes[test])


# Two ways to train ---------------------------------------------------------------------------------------------


class Trainer(Protocol):
    """What the training loop needs of either way."""

    name: str

    def step(self, images: np.ndarray, classes: np.ndarray) -> Any:
        """Trains on one batch and gives its loss (before the update)."""
        ...

    def variables(self) -> f7.Variables:
        """The network's arrays as they are now."""
        ...


class Functional:
    """Pure functions: the state goes in, the new state comes out."""

    name = "functional"

    def __init__(self, variables: f7.Variables):
        optimizer = optax.sgd(LEARNING_RATE)
        self.train_step = make_train_step(network, f7.ClassNLLCriterion(), optimizer)
        self.state = init_state(network, optimizer, variables)

    def step(self, images: np.ndarray, classes: np.ndarray) -> jax.Array:
        self.state, metrics = self.train_step(self.state, (images, classes), None)
        return metrics["loss"]

    def variables(self) -> f7.Variables:
        return f7.Variables(self.state.params, self.state.buffers)


class Legacy:
    """Torch7's way: the model holds its arrays, and they change in place."""

    name = "legacy"

    def __init__(self, variables: f7.Variables):
        from functorch7.legacy import nn

        self.model, self.criterion = nn.Sequential(), nn.ClassNLLCriterion()
        for layer in layers(nn):
            self.model.add(layer)
        weights, _ = self.model.parameters()
        for weight, array in zip(weights, f7.state_dict(network, variables).values(), strict=True):
            weight.copy(array)

    def step(self, images: np.ndarray, classes: np.ndarray) -> Any:
        loss = self.criterion.forward(self.model.forward(images), classes)
        self.model.zeroGradParameters()
        self.model.backward(images, self.criterion.backward(self.model.output, classes))
        self.model.updateParameters(LEARNING_RATE)
        return loss

    def variables(self) -> f7.Variables:
        return self.model.functional()[1]


# The training loop ---------------------------------------------------------------------------------------------


class History(NamedTuple):
    """The loss of every step, and the test accuracy after every epoch."""

    losses: np.ndarray
    accuracies: np.ndarray


def predict(variables: f7.Variables, images: np.ndarray) -> np.ndarray:
    """The most probable class of each image."""
    return np.asarray(log_probabilities(variables, images)).argmax(1) + 1


def accuracy(variables: f7.Variables, data: Data) -> float:
    """The share of images whose most probable class is the right one."""
    images, classes = data
    return float((predict(variables, images) == classes).mean())


def train(trainer: Trainer, data: Data, test: Data, epochs: int) -> History:
    """Trains on the same batches in the same order, whoever the trainer is."""
    rng = np.random.default_rng(SEED)
    images, classes = data
    losses, accuracies = [], []
    with tqdm(total=epochs * len(images) // BATCH, desc=trainer.name, unit="step") as progress:
        for epoch in range(1, epochs + 1):
            started = []
            for rows in rng.permutation(len(images)).reshape(-1, BATCH):
                started.append(trainer.step(images[rows], classes[rows]))
                progress.update()
            # Looking at a loss waits for it, so it is done once per epoch.
            losses += [float(loss) for loss in started]
            accuracies.append(accuracy(trainer.variables(), test))
            mean = np.mean(losses[-len(started) :])
            progress.write(f"epoch {epoch:2}  training loss {mean:.4f}  test accuracy {accuracies[-1]:.2%}")
    return History(np.array(losses), np.array(accuracies))


# What is written -----------------------------------------------------------------------------------------------


def draw_learning_curve(path: Path, history: History) -> None:
    """The loss of every step and its mean per epoch, and the test accuracy."""
    figure = Figure(figsize=(8, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    per_epoch = history.losses.reshape(len(history.accuracies), -1)
    steps = np.arange(1, history.losses.size + 1)
    epochs = np.arange(1, len(per_epoch) + 1)
    left.plot(steps / per_epoch.shape[1], history.losses, alpha=0.3, label="each step")
    left.plot(epochs, per_epoch.mean(1), marker="o", label="mean of the epoch")
    left.set(xlabel="epoch", ylabel="training loss", yscale="log")
    left.legend()
    right.plot(epochs, 100 * history.accuracies, marker="o")
    right.set(xlabel="epoch", ylabel="test accuracy, %")
    figure.savefig(path, dpi=120)


def draw_predictions(path: Path, variables: f7.Variables, test: Data, rows: int = 5, columns: int = 10) -> None:
    """Some test images with what the network says: its mistakes first, in red, with the right answer."""
    images, classes = test
    predicted = predict(variables, images)
    shown = np.argsort(predicted == classes, kind="stable")[: rows * columns]
    figure = Figure(figsize=(columns, 1.3 * rows), layout="constrained")
    for axes, i in zip(figure.subplots(rows, columns).flat, shown, strict=True):
        axes.imshow(images[i, 0], cmap="gray_r")
        axes.set_axis_off()
        digit, truth = predicted[i] - 1, classes[i] - 1
        axes.set_title(*((f"{digit}",) if digit == truth else (f"{digit}, not {truth}", {"color": "red"})))
    figure.savefig(path, dpi=120)


def save(path: Path, variables: f7.Variables) -> None:
    """Writes the arrays by name ("0.weight", "0.bias", ...) as an orbax checkpoint."""
    with ocp.StandardCheckpointer() as checkpointer:
        checkpointer.save(path.resolve(), f7.state_dict(network, variables), force=True)


def restore(path: Path) -> f7.Variables:
    """Reads what `save` wrote."""
    blank = network.init(jax.random.key(SEED))
    with ocp.StandardCheckpointer() as checkpointer:
        state = checkpointer.restore(path.resolve(), f7.state_dict(network, blank))
    return f7.load_state_dict(network, blank, state)


def main(arguments: list[str] | None = None) -> None:
    """Trains, draws, saves, and checks; ends with an error if a check fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--legacy", action="store_true", help="train through forward, backward and updateParameters")
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--out", type=Path, default=Path("demo-output"), help="folder for pictures and checkpoint")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)

    data, test = load()
    print(f"{len(data[0])} images to train on, {len(test[0])} to test with\n{network}")
    variables = network.init(jax.random.key(SEED))
    trainer = Legacy(variables) if options.legacy else Functional(variables)
    start = time.perf_counter()
    history = train(trainer, data, test, options.epochs)
    print(f"trained in {time.perf_counter() - start:.1f} s; test accuracy {history.accuracies[-1]:.2%}")

    draw_learning_curve(options.out / "learning-curve.png", history)
    draw_predictions(options.out / "predictions.png", trainer.variables(), test)
    save(options.out / "checkpoint", trainer.variables())
    restored = accuracy(restore(options.out / "checkpoint"), test)
    print(f"wrote learning-curve.png, predictions.png and checkpoint/ to {options.out}/")
    print(f"test accuracy of the reloaded checkpoint {restored:.2%}")
    if restored != history.accuracies[-1]:
        sys.exit("The reloaded checkpoint differs from the trained network.")

    if options.legacy:
        print("the same batches with the functional step:")
        expected = train(Functional(variables), data, test, options.epochs).losses
        difference = np.max(np.abs(history.losses - expected) / expected)
        print(f"largest relative difference of a loss, legacy against functional: {difference:.1e}")
        if not difference <= TOLERANCE:
            sys.exit(f"The two ways differ by more than {TOLERANCE:g}.")


if __name__ == "__main__":
    main()
