"""A long life in one process: lengths, modes and numbers change at every step, and memory stays flat.

    python -m benchmarks.soak                  # 20,000 steps
    python -m benchmarks.soak 2000 --programs 256

Every step has a batch of another length: three of four in evaluation mode, every fourth a training step. Dropout's p
and the learning rate change at each. Prints the process's memory and maps of memory as it goes, and fails if they have
grown by more than a tenth over the second half.
"""

import argparse
import time
from pathlib import Path

import numpy as np

from functorch7.legacy import cache_info, cache_limit, manualSeed, nn

PAGE = 4096


def memory() -> float:
    """The process's memory, in MiB (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE / 2**20


def run(steps: int, every: int) -> list[tuple[float, int]]:
    """Takes the steps; (memory, maps) after each `every` of them."""
    manualSeed(1)
    dropout = nn.Dropout(0.3)
    net, criterion = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), dropout, nn.Linear(8, 2)), nn.MSECriterion()
    found, start = [], time.perf_counter()
    for step in range(1, steps + 1):
        input, target = np.ones((step, 4), np.float32), np.zeros((step, 2), np.float32)
        net.training() if step % 4 == 0 else net.evaluate()
        dropout.p = 0.1 + 0.5 * step / steps
        output = net.forward(input)
        if net.train:
            criterion.forward(output, target)
            net.zeroGradParameters()
            net.backward(input, criterion.backward(output, target))
            net.updateParameters(0.1 / step)
        if step % every == 0:
            info = cache_info()
            found.append((memory(), info.maps))
            print(
                f"{step:7,} shapes  {memory():7.0f} MiB  {info.maps:6,} maps  {info.programs:5,} programs"
                f"  {time.perf_counter() - start:7.0f} s",
                flush=True,
            )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("steps", nargs="?", type=int, default=20_000)
    parser.add_argument("--programs", type=int, default=512, help="how many programs are kept (512)")
    options = parser.parse_args()
    cache_limit(programs=options.programs)
    found = run(options.steps, max(1, options.steps // 40))
    for what, values in zip(("memory", "maps"), zip(*found, strict=True), strict=True):
        half = len(values) // 2
        first, second = max(values[half // 2 : half]), max(values[half:])
        print(f"{what}: at most {first:,.0f} in the second quarter, {second:,.0f} in the second half")
        if second > 1.1 * first:
            raise SystemExit(f"{what} grows")


if __name__ == "__main__":
    main()
