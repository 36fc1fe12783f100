"""Training steps on a GPU, or what there is: functorch7 beside PyTorch, eager and compiled, and Flax."""

import argparse
import math
import os
import platform
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import jax

from .gpu_ways import Started
from .gpu_workloads import WORKLOADS
from .measure import measure

DTYPES = ("float32", "bfloat16")
OURS = "functorch7"


class Row(NamedTuple):
    """What was found out about a workload in one dtype: milliseconds of a step and MiB, by way."""

    name: str
    dtype: str
    milliseconds: dict[str, float]
    mebibytes: dict[str, float | None]

    @property
    def of_the_best(self) -> float:
        """Our time over that of the quickest other way; not a number where there is none."""
        others = [time for way, time in self.milliseconds.items() if not way.startswith(OURS)]
        return self.milliseconds[OURS] / min(others, default=math.nan)


def run(name: str, dtype: str, rounds: int, seconds: float, examples: int | None, compiled: bool) -> Row:
    """Takes the steps of all ways in turns; the figure is the median of the rounds."""
    made: dict[str, Callable[[], Started]] = WORKLOADS[name](examples)(dtype)
    started = {way: make() for way, make in made.items() if compiled or way != "torch.compile"}
    timings = measure({way: each.way for way, each in started.items()}, rounds, seconds)
    milliseconds = {way: timing.median * 1e3 for way, timing in timings.items()}
    return Row(name, dtype, milliseconds, {way: each.mebibytes() for way, each in started.items()})


def table(rows: list[Row]) -> str:
    """In Markdown: milliseconds of a step, in brackets the MiB that it needs, as far as is known."""
    ways = list(dict.fromkeys(way for row in rows for way in row.milliseconds))

    def cell(row: Row, way: str) -> str:
        if way not in row.milliseconds:
            return ""
        memory = row.mebibytes[way]
        return f"{row.milliseconds[way]:.4g}" + ("" if memory is None else f" ({memory:,.0f})")

    lines = [f"| {' | '.join(['workload', 'dtype', *ways, 'of the best other'])} |"]
    lines.append(f"| --- | --- | {' | '.join(['---:'] * (len(ways) + 1))} |")
    for row in rows:
        ratio = "" if math.isnan(row.of_the_best) else f"{row.of_the_best:.2f}"
        lines.append(f"| {' | '.join([row.name, row.dtype, *(cell(row, way) for way in ways), ratio])} |")
    return "\n".join(lines)


def machine() -> str:
    """What it was measured on, and with what."""
    device = jax.devices()[0]
    text = f"{device.device_kind} ({device.platform}), JAX {jax.__version__}, Python {platform.python_version()}, "
    try:
        import torch
    except ImportError:
        return f"{text}{os.cpu_count()} cores, no PyTorch"
    where = torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU"
    return f"{text}{os.cpu_count()} cores, PyTorch {torch.__version__} on {where}"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks gpu", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"of {', '.join(WORKLOADS)}; all by default")
    parser.add_argument("--dtypes", nargs="+", choices=DTYPES, default=DTYPES, help="float32 and bfloat16 by default")
    parser.add_argument("--rounds", type=int, default=5, help="how often each way is timed (5)")
    parser.add_argument("--seconds", type=float, default=0.2, help="how long each time (0.2)")
    parser.add_argument("--examples", type=int, help="how many examples a batch has, in place of the workload's own")
    parser.add_argument("--no-compile", action="store_true", help="without torch.compile, which needs a C++ compiler")
    parser.add_argument("--output", type=Path, help="a file for the table")
    options = parser.parse_args(arguments)
    unknown = set(options.names) - set(WORKLOADS)
    if unknown:
        parser.error(f"no workload {', '.join(sorted(unknown))}; there are {', '.join(WORKLOADS)}")
    rows = []
    for name in options.names or WORKLOADS:
        for dtype in options.dtypes:
            rows.append(run(name, dtype, options.rounds, options.seconds, options.examples, not options.no_compile))
            print(rows[-1], flush=True)
    text = f"{machine()}:\n\n{table(rows)}\n"
    print(text)
    if options.output:
        options.output.write_text(text)
