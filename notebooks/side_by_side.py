"""What the scripts of this folder have in common: options, progress, the picture, and equal starting values.

Each script trains in two ways, which are generators of losses without end, as the loops of the Lua programs have none.
"""

import argparse
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import functorch7 as f7

Way = Callable[[int], Iterator[Any]]
"""From a seed to the loss of every iteration, before its update."""


def run(
    description: str | None, functional: Way, legacy: Way, iterations: int, arguments: list[str] | None
) -> np.ndarray:
    """Reads the command line, trains, prints how it goes, and gives the losses."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=iterations, help=f"how many updates (default {iterations})")
    parser.add_argument("--seed", type=int, default=0, help="of the data and the starting values (default 0)")
    parser.add_argument("--legacy", action="store_true", help="train as in Torch7, by forward and backward")
    parser.add_argument("--plot", type=Path, metavar="PATH", help="draw the losses into this file (needs matplotlib)")
    options = parser.parse_args(arguments)
    if options.iterations < 1:
        parser.error(f"--iterations: expected at least 1, got {options.iterations}")

    way, every, losses = legacy if options.legacy else functional, max(1, options.iterations // 10), []
    for iteration, loss in enumerate(islice(way(options.seed), options.iterations), 1):
        losses.append(float(loss))
        if iteration % every == 0:
            print(f"iteration {iteration:5}  loss {np.mean(losses[-every:]):.4f}")
    if options.plot:
        draw(options.plot, losses, title=way.__name__)
    return np.array(losses)


def draw(path: Path, losses: list[float], title: str) -> None:
    """The learning curve, if matplotlib is there."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print(f"no matplotlib, so {path} is not drawn")
        return
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot(np.arange(1, len(losses) + 1), losses)
    axes.set(title=title, xlabel="iteration", ylabel="loss", yscale="log")
    figure.savefig(path, dpi=120)
    print(f"wrote {path}")


def start_from(module: Any, network: f7.Module, variables: f7.Variables) -> None:
    """Copies a described network's parameters into the same network of Torch7's interface."""
    for parameter, array in zip(module.parameters()[0], f7.state_dict(network, variables).values(), strict=True):
        parameter.copy(array)
