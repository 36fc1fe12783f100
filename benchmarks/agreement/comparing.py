"""Runs a program compiled, operation by operation, and in float64, and compares what it gives."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import jax
import numpy as np

TYPES = {"float32": "torch.FloatTensor", "float64": "torch.DoubleTensor"}

TOLERANCES = {"float32": 2e-3, "float64": 1e-9, "bfloat16": 0.2}
"""How far numbers may be off, as a share of the greatest of their array; what is wrong is off by far more."""

SMALL = 1e-3
"""An array that is smaller than this share of the greatest one is held against that share."""

Run = Callable[[str], Any]


class Disagreement(NamedTuple):
    """Two ways, the array in which they differ most, and by how many times what is tolerated."""

    ways: str
    array: str
    excess: float

    def __str__(self) -> str:
        return f"{self.ways}: {self.array} is off by {self.excess:.3g} times the tolerance"


Arrays = dict[str, np.ndarray]
Way = Callable[[Run, str, Arrays], Disagreement]


def with_float64(run: Run, dtype: str, compiled: Arrays) -> Disagreement:
    """The compiled program against the compiled program in float64."""
    return furthest(f"{dtype} and float64", compiled, arrays(run("float64")), TOLERANCES[dtype])


def with_single_operations(run: Run, dtype: str, compiled: Arrays) -> Disagreement:
    """The compiled program against its operations one by one."""
    with single_operations():
        single = arrays(run(dtype))
    return furthest("compiled and by single operations", compiled, single, TOLERANCES[dtype])


def ways(dtype: str, draws: bool) -> list[Way]:
    """What a program is compared with, the quickest first. What draws random numbers draws others in float64."""
    return [with_single_operations] if draws or dtype == "float64" else [with_float64, with_single_operations]


def disagreement(run: Run, dtype: str, ways: Sequence[Way]) -> Disagreement:
    """The first one whose excess is above 1; where there is none, the greatest."""
    compiled, found = arrays(run(dtype)), []
    for way in ways:
        found.append(way(run, dtype, compiled))
        if found[-1].excess > 1:
            return found[-1]
    return max(found, key=lambda each: each.excess)


@contextmanager
def single_operations() -> Iterator[None]:
    """Inside, each operation is a program of its own, with hardly any optimisation."""
    before = jax.config.read("jax_disable_most_optimizations")
    jax.config.update("jax_disable_most_optimizations", True)
    try:
        with jax.disable_jit():
            yield
    finally:
        jax.config.update("jax_disable_most_optimizations", before)


def arrays(value: Any) -> Arrays:
    """All arrays of a tree in float64, by their paths; those of Torch's interface as well."""
    leaves = jax.tree_util.tree_leaves_with_path(value)
    return {jax.tree_util.keystr(path): np.asarray(leaf, np.float64) for path, leaf in leaves}


def furthest(ways: str, first: Arrays, second: Arrays, tolerance: float) -> Disagreement:
    """The array in which both differ most; what is not finite differs without bounds."""
    greatest = max(np.abs(array).max(initial=0) for array in second.values())

    def excess(name: str) -> float:
        one, other = first[name], second[name]
        scale = max(np.abs(other).max(initial=0), SMALL * greatest) or 1.0
        off = np.abs(one - other).max(initial=0) / scale / tolerance
        return float(off) if np.isfinite(off) else np.inf

    name = max(second, key=excess)
    return Disagreement(ways, name, excess(name))


def report(run: Run, dtype: str, draws: bool = False) -> None:
    """Prints the greatest disagreement, and ends the process with 1 if it is above what is tolerated."""
    found = disagreement(run, dtype, ways(dtype, draws))
    print(found)
    raise SystemExit(found.excess > 1)
