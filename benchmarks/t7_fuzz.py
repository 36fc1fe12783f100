"""Reads damaged Torch7 files: each must be read or refused with T7FormatError, quickly and in little memory.

    python -m benchmarks.t7_fuzz FOLDER [--count 100000] [--seed 0] [--objects]

FOLDER holds undamaged files (tests/golden/t7). With --objects, networks are made of what was read.
"""

import argparse
import random
import resource
import struct
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from functorch7.interop.t7 import T7FormatError, deserialize
from functorch7.legacy import torch

EXTREMES = (-1, 0, 1, 2, 3, 4, 6, 7, 8, 9, 255, 2**31 - 1, -(2**31))


def damaged(data: bytes, random: random.Random) -> bytes:
    """A copy with one to four changes: numbers replaced, bytes changed, pieces cut out, doubled or exchanged."""
    changed = bytearray(data)
    for _ in range(random.randint(1, 4)):
        at, length = random.randrange(len(changed) + 1), random.randint(1, 40)
        kind = random.randrange(7)
        if kind == 0:
            changed[at : at + 4] = struct.pack("<i", random.choice(EXTREMES))
        elif kind == 1:
            changed[at : at + 8] = struct.pack("<q", random.choice((*EXTREMES, 2**40, 2**62, 2**63 - 1, -(2**63))))
        elif kind == 2:
            changed[at : at + 1] = bytes([random.randrange(256)])
        elif kind == 3:
            del changed[at : at + length]
        elif kind == 4:
            del changed[max(at, 1) :]
        elif kind == 5:
            changed[at:at] = changed[at : at + length]
        else:
            changed[at : at + length] = data[(start := random.randrange(len(data))) : start + length]
    return bytes(changed)


def fuzz(originals: list[bytes], count: int, seed: int, read: Callable = deserialize) -> Counter:
    """How many of `count` damaged files were read, and refused; any other error is raised as it is."""
    generator, outcomes = random.Random(seed), Counter()
    for _ in range(count):
        data = damaged(generator.choice(originals), generator)
        try:
            read(data)
        except T7FormatError as error:
            assert 0 <= error.offset <= len(data)
            outcomes["refused"] += 1
        else:
            outcomes["read"] += 1
    return outcomes


def main() -> None:
    """Damages Torch7 files and reads them."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--objects", action="store_true")
    options = parser.parse_args()
    originals = [path.read_bytes() for path in sorted(options.folder.glob("*.t7"))]
    started = time.perf_counter()
    outcomes = fuzz(originals, options.count, options.seed, torch.deserialize if options.objects else deserialize)
    seconds, peak = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{dict(outcomes)} in {seconds:.0f} s, peak memory {peak:.0f} MiB")


if __name__ == "__main__":
    main()
