"""A long life in one process: networks, lengths, modes and numbers change, and memory stays flat.

    python -m benchmarks.soak                  # 20,000 steps of one network
    python -m benchmarks.soak 2000 --programs 256
    python -m benchmarks.soak --minutes 30     # a new network every 20 steps: layers of rows, of images, of sequences

Every step has a batch of another length: seven of eight in evaluation mode, every eighth a training step. Dropout's p
changes at each; in training the learning rate, the momentum, the scale of gradients and the regularizers, too.

Prints the most memory and maps of memory that the process had since the last line: both rise and fall with the programs
that are kept, so that single moments say little; a thousand steps and more may lie between two peaks. Fails if the most
in the second half is more than a tenth above that in the first.
"""

import argparse
import itertools
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from functorch7.legacy import cache_info, cache_limit, manualSeed, nn, optim


class Subject(NamedTuple):
    """A network that ends in 2 numbers a row, the Dropout in it, and the shape of an example."""

    net: nn.Module
    dropout: nn.Dropout
    example: tuple[int, ...]


def rows(width: int) -> Subject:
    dropout = nn.Dropout(0.3)
    return Subject(nn.Sequential(nn.Linear(4, width), nn.Tanh(), dropout, nn.Linear(width, 2)), dropout, (4,))


def images(width: int) -> Subject:
    dropout = nn.Dropout(0.3)
    seen = (nn.SpatialConvolution(1, width, 3, 3), nn.ReLU(), nn.SpatialMaxPooling(2, 2))
    return Subject(nn.Sequential(*seen, nn.View(width), dropout, nn.Linear(width, 2)), dropout, (1, 4, 4))


def sequences(width: int) -> Subject:
    """Of 3 steps, which come second; the last one counts."""
    dropout = nn.Dropout(0.3)
    read = (nn.Transpose((1, 2)), nn.SeqLSTM(2, width), nn.Select(1, -1))
    return Subject(nn.Sequential(*read, dropout, nn.Linear(width, 2)), dropout, (3, 2))


def changing() -> Iterator[Subject]:
    """A new network for every 20 steps, of another kind and width."""
    for number in itertools.count():
        subject = (rows, images, sequences)[number % 3](1 + number % 64)
        yield from itertools.repeat(subject, 20)


def take(subject: Subject, length: int, number: int, progress: float) -> None:
    """One step with a batch of this length; every eighth trains."""
    net, dropout, example = subject
    input, target = np.ones((length, *example), np.float32), np.zeros((length, 2), np.float32)
    net.training() if number % 8 == 0 else net.evaluate()
    dropout.p = 0.1 + 0.5 * progress
    output = net.forward(input)
    if net.train:
        net.setScaleW(2 - progress).get(net.size()).wRegularizer = optim.L2Regularizer(0.1 + progress)
        criterion, weights, gradients = nn.MSECriterion(), *net.parameters()
        loss = criterion.forward(output, target)
        net.zeroGradParameters()
        net.backward(input, criterion.backward(output, target))
        settings = {"learningRate": 0.1 / number, "momentum": 0.9 * progress}
        for weight, gradient in zip(weights, gradients, strict=True):
            optim.sgd(lambda _, result=(loss, gradient): result, weight, settings, {})


def run(subjects: Iterable[Subject], steps: int | None, seconds: float, longest: int) -> list[tuple[float, int]]:
    """Takes steps until there are so many, or so long. Batches have 1 to `longest`.

    Returns the most memory and maps that the process had, in each fortieth of them.
    """
    found, start, highest = [], time.perf_counter(), (0.0, 0)
    for number, subject in enumerate(itertools.islice(subjects, steps), 1):
        passed = time.perf_counter() - start
        progress = number / steps if steps else min(1, passed / seconds)
        take(subject, 1 + (number - 1) % longest, number, progress)
        info = cache_info()
        highest = max(highest[0], info.memory / 2**20), max(highest[1], info.maps)
        if progress * 40 >= len(found) + 1:
            found.append(highest)
            print(
                f"{number:7,} steps  {highest[0]:7.0f} MiB  {highest[1]:6,} maps  {info.programs:5,} programs"
                f"  {passed:7.0f} s",
                flush=True,
            )
            highest = (0.0, 0)
        if passed >= seconds:
            break
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("steps", nargs="?", type=int, default=20_000)
    parser.add_argument("--minutes", type=float, help="change the network too, for so long")
    parser.add_argument("--programs", type=int, default=512, help="how many programs are kept (512)")
    options = parser.parse_args()
    cache_limit(programs=options.programs)
    manualSeed(1)
    if options.minutes is None:
        found = run(itertools.repeat(rows(8)), options.steps, float("inf"), options.steps)
    else:
        found = run(changing(), None, 60 * options.minutes, 1000)
    for what, values in zip(("memory", "maps"), zip(*found, strict=True), strict=True):
        half = len(values) // 2
        first, second = max(values[:half]), max(values[half:])
        print(f"{what}: at most {first:,.0f} in the first half, {second:,.0f} in the second")
        if second > 1.1 * first:
            raise SystemExit(f"{what} grows")


if __name__ == "__main__":
    main()
