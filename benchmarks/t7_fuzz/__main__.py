"""Reads hostile Torch7 files: each must be read or refused with T7FormatError, quickly and in little memory.

    python -m benchmarks.t7_fuzz [FOLDER] [--mutants 100000] [--seed 0] [--keep FOLDER]

FOLDER holds whole files (tests/golden/t7). Mutants of their bytes and of their structure, and objects of every class
with absurd fields, are loaded, as objects and as functions, printed and inspected. The exit code is 1 if one of them
ends in another error, takes more than 2 s of processor time, or more memory than 10 times the file and 64 MiB; --keep
writes such files. Ctrl-C ends it early, with what was found by then.
"""

import argparse
import itertools
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

from .mutants import mutants, used
from .uses import USES


def main() -> None:
    """Loads, prints and inspects hostile files."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("tests/golden/t7"))
    parser.add_argument("--mutants", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    originals = [path.read_bytes() for path in sorted(options.folder.glob("*.t7"))]
    started, stopped = time.perf_counter(), threading.Event()
    signal.signal(signal.SIGINT, lambda *_: stopped.set())
    files = itertools.takewhile(lambda _: not stopped.is_set(), mutants(originals, options.mutants, options.seed))
    with tempfile.TemporaryDirectory() as folder:
        counts, faults = used(files, Path(folder), watch_memory=True)
    print(f"{counts.total() // len(USES)} files in {time.perf_counter() - started:.0f} s")
    for (use, kind), count in sorted(counts.items()):
        print(f"{use:14} {kind:12} {count:7}")
    for number, ((use, outcome), (what, data)) in enumerate(faults.items()):
        print(f"{outcome.kind} in {use}: {outcome.about} ({what}, {len(data)} bytes)")
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            (options.keep / f"{number}.t7").write_bytes(data)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
