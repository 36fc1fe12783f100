"""The command line: runs benchmarks and prints their tables."""

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax

from . import (
    changing,
    classics,
    gpu,
    inception,
    language,
    lenet,
    loading,
    lua_loops,
    mlp,
    nce,
    padding,
    recipe,
    recurrent,
    rows,
    stateful,
    steps,
    tensors,
    transfer,
)
from .measure import Timing, check_agreement, has_torch, measure
from .user_modules import USER_MODULES

BENCHMARKS: dict[str, Any] = {
    "stateful": stateful, "changing": changing, "mlp": mlp, "lenet": lenet, "inception": inception,
    "transfer": transfer, "rows": rows, "nce": nce, "language": language.LANGUAGE, "recipe": recipe,
    **recurrent.BENCHMARKS, **classics.BENCHMARKS, **USER_MODULES, **lua_loops.BENCHMARKS,
    **padding.BENCHMARKS, **steps.BENCHMARKS, **loading.BENCHMARKS,
    **tensors.BENCHMARKS,
}  # fmt: skip


def table(name: str, timings: dict[str, Timing]) -> str:
    """Best and median, and each way's best against the best of all."""
    best = min(timing.best for timing in timings.values())
    scale, unit = (1e6, "us") if best < 1e-3 else (1e3, "ms")
    lines = [f"\n{name} ({unit} per step){'':18} best   median   of the fastest"]
    for way, timing in sorted(timings.items(), key=lambda item: item[1].best):
        lines.append(f"  {way:32}{timing.best * scale:9.2f}{timing.median * scale:9.2f}{timing.best / best:12.2f} x")
    return "\n".join(lines)


def verdict(what: str, ratio: float, target: float) -> str:
    """A ratio against its target."""
    return f"  {what}: {ratio:.2f} x, target <= {target:g}: {'reached' if ratio <= target else 'missed'}"


def run(name: str, rounds: int, clock: Callable[[], float]) -> dict:
    """Runs one benchmark; prints its table and how it stands to its targets."""
    benchmark = BENCHMARKS[name]
    ways = benchmark.ways()
    check_agreement(ways)
    if hasattr(benchmark, "other_ways"):
        ways |= benchmark.other_ways()
    timings = measure(ways, rounds, clock=clock)
    print(table(name, timings))
    if not has_torch():
        print("  (PyTorch is not installed)")
    if hasattr(benchmark, "WORDS"):
        speeds = (f"{way} {benchmark.WORDS / timing.best:,.0f}" for way, timing in timings.items())
        print(f"  words per second: {', '.join(speeds)}")
    for ours, theirs, target in benchmark.TARGETS:
        if theirs in timings:
            print(verdict(f"{ours} / {theirs}", timings[ours].best / timings[theirs].best, target))
    if hasattr(benchmark, "peak_memory"):
        ours, theirs = benchmark.peak_memory().values()
        print(verdict(f"peak memory, functional {ours:.1f} MiB / by hand {theirs:.1f} MiB", ours / theirs, 1.1))
    return {way: timing._asdict() for way, timing in timings.items()}


def main() -> None:
    if sys.argv[1:2] == ["gpu"]:
        gpu.main(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, epilog="python -m benchmarks gpu --help: those for a GPU."
    )
    parser.add_argument("names", nargs="*", metavar="name", help=f"of {', '.join(BENCHMARKS)}; all by default")
    parser.add_argument("--rounds", type=int, default=15, help="how often each way is timed (15)")
    parser.add_argument("--json", type=Path, help="a file for the timings, in seconds")
    parser.add_argument("--huge-pages", action="store_true", help="with glibc's huge pages (Linux)")
    parser.add_argument(
        "--processor-time",
        action="store_true",
        help="what the process computed, not what passed: for one core of a busy machine (taskset)",
    )
    options = parser.parse_args()
    unknown = set(options.names) - set(BENCHMARKS)
    if unknown:
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
    tunables = "glibc.malloc.hugetlb=1"
    if options.huge_pages and os.environ.get("GLIBC_TUNABLES") != tunables:
        # glibc reads it when the process starts.
        os.execve(sys.executable, [sys.executable, "-m", "benchmarks", *sys.argv[1:]],
                  os.environ | {"GLIBC_TUNABLES": tunables})  # fmt: skip
    print(f"jax {jax.__version__} on {jax.devices()[0]}, Python {platform.python_version()}, {os.cpu_count()} cores")
    clock = time.process_time if options.processor_time else time.perf_counter
    found = {name: run(name, options.rounds, clock) for name in options.names or BENCHMARKS}
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":  # the processes that PyTorch starts read this file, too
    main()
