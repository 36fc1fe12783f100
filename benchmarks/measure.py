"""Timing of several ways to do the same thing, in turns, so that noise falls on all of them alike."""

import statistics
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np


class Way(NamedTuple):
    """One way to take a training step."""

    step: Callable[[], Any]
    """Takes a step and returns its loss, as a Python number; or starts one and returns nothing."""
    wait: Callable[[], None] = lambda: None
    """Waits until all that the steps so far have started is done."""


class Timing(NamedTuple):
    """Seconds per step."""

    best: float
    median: float


def check_agreement(ways: dict[str, Way], steps: int = 3, tolerance: float = 1e-4) -> None:
    """Raises AssertionError unless all ways give the same losses; also compiles everything."""
    losses = {name: [way.step() for _ in range(steps)] for name, way in ways.items()}
    reference = next(iter(losses.values()))
    for name, values in losses.items():
        np.testing.assert_allclose(values, reference, rtol=tolerance, err_msg=name)


def timed(way: Way, steps: int, clock: Callable[[], float]) -> float:
    """Seconds per step of a run of steps."""
    way.wait()
    start = clock()
    for _ in range(steps):
        way.step()
    way.wait()
    return (clock() - start) / steps


def measure(
    ways: dict[str, Way], rounds: int, seconds: float = 0.2, clock: Callable[[], float] = time.perf_counter
) -> dict[str, Timing]:
    """Times all ways in turns; each turn takes about `seconds`."""
    steps = {name: max(1, int(seconds / timed(way, 3, clock))) for name, way in ways.items()}
    found: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            found[name].append(timed(way, steps[name], clock))
    return {name: Timing(min(values), statistics.median(values)) for name, values in found.items()}


def has_torch() -> bool:
    """Whether PyTorch is installed."""
    return find_spec("torch") is not None


def mebibytes(compiled: Any) -> float:
    """The most memory that a compiled program holds at once, in MiB, by XLA's own account."""
    memory = compiled.memory_analysis()
    held = memory.argument_size_in_bytes + memory.output_size_in_bytes - memory.alias_size_in_bytes
    return (held + memory.temp_size_in_bytes) / 2**20
