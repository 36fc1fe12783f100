"""How well training steps use the device, whatever it is: `make bench-accelerator` writes a report."""

import argparse
import os
import platform
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

import functorch7 as f7
from functorch7.legacy import manualSeed, nn
from functorch7.training import init_state, make_train_step
from functorch7.viz import flops as flops_of

from . import inception, language, lenet
from .measure import Timing, Way, measure, mebibytes

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
    product_speed: float
    counted_by_xla: float | None
    mebibytes: float


def workloads(times: int) -> dict[str, Workload]:
    """Those of the other benchmarks, with so many times their examples."""
    text = language.Model(language.LANGUAGE.steps, language.LANGUAGE.batch * times, language.LANGUAGE.size, 10_000)
    by_word = f7.SequencerCriterion(f7.ClassNLLCriterion(), True)
    return {
        "lenet": Workload(partial(lenet.layers, nn), f7.ClassNLLCriterion(), lenet.example(64 * times)[1]),
        "inception": Workload(partial(inception.layers, nn), f7.ClassNLLCriterion(), inception.example(16 * times)),
        "language": Workload(partial(language.sequence, text.words, text.size), by_word, text.example(), "words"),
    }


def started(call: Callable[[], Any]) -> Way:
    """A way whose steps are started one after the other; only `wait` waits for them."""
    last: list[Any] = []

    def start() -> None:
        last[:] = [call()]

    return Way(start, lambda: jax.block_until_ready(last))


def product(dtype: str, size: int) -> Way:
    """A product of two square matrices, 2 size^3 FLOP."""
    matrix = jax.random.normal(jax.random.key(0), (size, size), dtype)
    compiled = jax.jit(lambda a, b: a @ b)
    return started(lambda: compiled(matrix, matrix))


def run(workload: Workload, dtype: str, rounds: int, size: int) -> Result:
    """Compiles a step and takes it again and again, in turns with a product."""
    manualSeed(1)
    model = nn.Sequential()
    for layer in workload.layers():
        model.add(layer)
    module, variables = model.functional()
    optimizer = optax.sgd(0.01)
    step: Any = make_train_step(module, workload.criterion, optimizer, compute_dtype=DTYPES[dtype])
    held = [init_state(module, optimizer, variables)]
    batch = jax.tree.map(jnp.asarray, workload.batch)
    flops = flops_of(step, held[0], batch, None)
    compiled = step.lower(held[0], batch, None).compile()

    def call() -> Any:
        held[0], metrics = compiled(held[0], batch, None)
        return metrics

    counted_by_xla = (compiled.cost_analysis() or {}).get("flops")
    step_time, product_time = measure({"step": started(call), "product": product(dtype, size)}, rounds).values()
    return Result(step_time, flops, 2 * size**3 / product_time.best, counted_by_xla, mebibytes(compiled))


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
    peaks = {dtype: known_peak(device.device_kind, dtype) for dtype in DTYPES}
    sheet = ", ".join(f"{dtype} {'unknown' if peak is None else f'{peak / 1e12:g}'}" for dtype, peak in peaks.items())
    columns = (
        "step", "dtype", "ms, best", "median", "examples/s", "GFLOP", "by XLA's count", "TFLOP/s", "of the data sheet",
        "of a product", "memory, MiB",
    )  # fmt: skip
    lines = [
        "# Training steps on this device", "",
        f"{device.device_kind} ({device.platform}), one of {jax.device_count()}; JAX {jax.__version__}, "
        f"Python {platform.python_version()}, {os.cpu_count()} cores. Peak by data sheet, TFLOP/s: {sheet}.", "",
        f"| {' | '.join(columns)} |", f"| --- | --- | {' | '.join(['---:'] * 9)} |",
    ]  # fmt: skip
    for name, workload in chosen.items():
        for dtype in DTYPES:
            found = run(workload, dtype, rounds, size)
            best, speed = found.seconds.best, found.flops / found.seconds.best
            by_xla = "unknown" if found.counted_by_xla is None else f"{found.counted_by_xla / 1e9:.3g}"
            cells = (
                name, dtype, f"{best * 1e3:.4g}", f"{found.seconds.median * 1e3:.4g}",
                f"{workload.count / best:,.0f} {workload.examples}", f"{found.flops / 1e9:.3g}", by_xla,
                f"{speed / 1e12:.3g}", share(speed, peaks[dtype]), share(speed, found.product_speed),
                f"{found.mebibytes:.0f}",
            )  # fmt: skip
            lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "", "GFLOP are counted as `f7.summary` does, over the whole step, loops as often as they run (XLA's count has "
        "them once). Utilisation is their number per second over the peak: that of the data sheet, where it is known, "
        f"and that of a product of {size} x {size} matrices, taken in turns with the step.", "",
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
