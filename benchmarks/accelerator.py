"""How well training steps use the device, whatever it is: `make bench-accelerator` writes a report."""

import argparse
import os
import platform
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

import functorch7 as f7
from functorch7.legacy import manualSeed, nn
from functorch7.summary import operations
from functorch7.training import init_state, make_train_step

from . import inception, language, lenet
from .measure import Timing, mebibytes

PEAKS = {
    # TeraFLOP/s by data sheet, dense, in (float32 as JAX multiplies by default there, bfloat16)
    "NVIDIA A100": (156, 312),  # float32 by TF32
    "NVIDIA H100 PCIe": (378, 756),
    "NVIDIA H100 80GB HBM3": (495, 989),
    "NVIDIA H200": (495, 989),
    "TPU v4": (275, 275),  # float32 by bfloat16
    "TPU v5 lite": (197, 197),
    "TPU v5": (459, 459),
    "TPU v6 lite": (918, 918),
}
DTYPES = {"float32": None, "bfloat16": jnp.bfloat16}


class Workload(NamedTuple):
    """A training step: layers of `legacy`, what they learn, and one batch."""

    layers: Callable[[], list]
    criterion: Any
    batch: tuple
    examples: str = "images"

    @property
    def count(self) -> int:
        """How many examples (words, for a language model) a step has."""
        return self.batch[1].size


class Result(NamedTuple):
    """What was found out about one workload in one dtype."""

    seconds: Timing
    flops: int
    counted_by_xla: float | None
    mebibytes: float
    count: int


def workloads(times: int) -> dict[str, Workload]:
    """Those of the other benchmarks, with so many times their examples."""
    text = language.Model(language.LANGUAGE.steps, language.LANGUAGE.batch * times, language.LANGUAGE.size, 10_000)
    by_word = f7.SequencerCriterion(f7.ClassNLLCriterion(), True)
    return {
        "lenet": Workload(partial(lenet.layers, nn), f7.ClassNLLCriterion(), lenet.example(64 * times)[1]),
        "inception": Workload(partial(inception.layers, nn), f7.ClassNLLCriterion(), inception.example(16 * times)),
        "language": Workload(partial(language.sequence, text.words, text.size), by_word, text.example(), "words"),
    }


def timing(call: Callable[[], Any], rounds: int, seconds: float = 0.2) -> Timing:
    """Seconds per call, of calls that are started one after the other and waited for at the end of each round."""
    jax.block_until_ready(call())
    started = time.perf_counter()
    jax.block_until_ready(call())
    calls = max(1, int(seconds / (time.perf_counter() - started)))
    found = []
    for _ in range(rounds):
        started = time.perf_counter()
        for _ in range(calls):
            last = call()
        jax.block_until_ready(last)
        found.append((time.perf_counter() - started) / calls)
    return Timing(min(found), statistics.median(found))


def product_speed(dtype: str, size: int, rounds: int) -> float:
    """FLOP/s of a product of two square matrices."""
    matrix = jax.random.normal(jax.random.key(0), (size, size), dtype)
    product = jax.jit(lambda a, b: a @ b)
    return 2 * size**3 / timing(lambda: product(matrix, matrix), rounds).best


def run(workload: Workload, dtype: str, rounds: int) -> Result:
    """Compiles a step and takes it again and again."""
    manualSeed(1)
    model = nn.Sequential()
    for layer in workload.layers():
        model.add(layer)
    module, variables = model.functional()
    optimizer = optax.sgd(0.01)
    step = make_train_step(module, workload.criterion, optimizer, compute_dtype=DTYPES[dtype])
    held = [init_state(module, optimizer, variables)]
    batch = jax.tree.map(jnp.asarray, workload.batch)
    flops = operations(step, held[0], batch, None)
    compiled = step.lower(held[0], batch, None).compile()

    def call() -> Any:
        held[0], metrics = compiled(held[0], batch, None)
        return metrics

    counted_by_xla = (compiled.cost_analysis() or {}).get("flops")
    return Result(timing(call, rounds), flops, counted_by_xla, mebibytes(compiled), workload.count)


def known_peak(kind: str, dtype: str) -> float | None:
    """FLOP/s by data sheet, for devices that `PEAKS` has."""
    names = [name for name in PEAKS if kind.startswith(name)]
    return PEAKS[max(names, key=len)][list(DTYPES).index(dtype)] * 1e12 if names else None


def share(speed: float, peak: float | None) -> str:
    """A speed in percent of a peak."""
    return "unknown" if peak is None else f"{100 * speed / peak:.1f} %"


def report(chosen: dict[str, Workload], rounds: int, size: int) -> str:
    """The report, in Markdown."""
    device = jax.devices()[0]
    lines = [
        "# Training steps on this device", "",
        f"{device.device_kind} ({device.platform}), one of {jax.device_count()}; JAX {jax.__version__}, "
        f"Python {platform.python_version()}, {os.cpu_count()} cores.", "",
        f"| | by data sheet, TFLOP/s | product of {size} x {size} matrices, TFLOP/s |", "| --- | ---: | ---: |",
    ]  # fmt: skip
    products = {dtype: product_speed(dtype, size, rounds) for dtype in DTYPES}
    for dtype, speed in products.items():
        peak = known_peak(device.device_kind, dtype)
        lines.append(f"| {dtype} | {'unknown' if peak is None else f'{peak / 1e12:g}'} | {speed / 1e12:.3g} |")
    lines += [
        "", "| step | dtype | ms, best | median | examples/s | GFLOP | by XLA's count | TFLOP/s | of the data sheet | "
        "of the product | memory, MiB |", "| --- | --- | " + " | ".join(["---:"] * 9) + " |",
    ]  # fmt: skip
    for name, workload in chosen.items():
        for dtype in DTYPES:
            found = run(workload, dtype, rounds)
            best, speed = found.seconds.best, found.flops / found.seconds.best
            by_xla = "unknown" if found.counted_by_xla is None else f"{found.counted_by_xla / 1e9:.3g}"
            lines.append(
                f"| {name} | {dtype} | {best * 1e3:.3g} | {found.seconds.median * 1e3:.3g} | "
                f"{found.count / best:,.0f} {workload.examples} | {found.flops / 1e9:.3g} | {by_xla} | "
                f"{speed / 1e12:.3g} | {share(speed, known_peak(device.device_kind, dtype))} | "
                f"{share(speed, products[dtype])} | {found.mebibytes:.0f} |"
            )
    lines += [
        "", "GFLOP are counted as `f7.summary` does, over the whole step, loops as often as they run (XLA's count has "
        "them once). Utilisation is their number per second over the peak: that of the data sheet, where it is known, "
        "and that of a large product in the same run.", "",
    ]  # fmt: skip
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accelerator", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help="of lenet, inception, language; all by default")
    parser.add_argument("--rounds", type=int, default=5, help="how often each step is timed (5)")
    parser.add_argument("--times", type=int, default=1, help="so many times the examples of a batch (1)")
    parser.add_argument("--product", type=int, help="the size of the product's matrices (8192; on CPU 2048)")
    parser.add_argument("--output", type=Path, help="a file for the report")
    options = parser.parse_args()
    known = workloads(options.times)
    unknown = set(options.names) - set(known)
    if unknown:
        parser.error(f"no workload {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    size = options.product or (2048 if jax.default_backend() == "cpu" else 8192)
    text = report({name: known[name] for name in options.names or known}, options.rounds, size)
    print(text)
    if options.output:
        options.output.write_text(text)


if __name__ == "__main__":
    main()
