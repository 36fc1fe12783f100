"""Loads a large Torch7 file, and reads its bytes, side by side.

    python -m benchmarks.t7_load [--megabytes 500] [--rounds 3]

Each way runs in a process of its own; memory is the peak above what the process had before. torchfile takes part if it
can be imported.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from statistics import median

import numpy as np

from functorch7.interop import t7

LAYER = 2048

WAYS = {
    "bytes": "loaded = open(path, 'rb').read()",
    "functorch7 t7.read": "loaded = functorch7.interop.t7.read(path)",
    "functorch7 t7.read, all elements used": "loaded = functorch7.interop.t7.read(path); used(loaded)",
    "functorch7 load_t7": "loaded = functorch7.load_t7(path)",
    "functorch7 load_model": "loaded = functorch7.load_model(path)",
    "torchfile": "loaded = torchfile.load(path)",
}

PROGRAM = """
import json, resource, sys, threading, time
import functorch7, functorch7.legacy.objects.files
{more}
def used(network):
    for module in network.fields["modules"]:
        for array in module.fields.values():
            if hasattr(array, "sum"):
                array.sum()

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

path, before, peak, running = sys.argv[1], resident(), [0], [True]

def watch():
    while running[0]:
        peak[0] = max(peak[0], resident())
        time.sleep(0.002)

watcher = threading.Thread(target=watch)
watcher.start()
start = time.perf_counter()
{way}
seconds = time.perf_counter() - start
running[0] = False
watcher.join()
print(json.dumps([seconds, max(peak[0], resident()) - before]))
"""


def write_network(path: Path, megabytes: int) -> None:
    """A chain of linear layers of about this size."""
    layers = []
    for _ in range(max(1, round(megabytes * 2**20 / (4 * LAYER * LAYER)))):
        weight = np.random.default_rng(0).random((LAYER, LAYER), np.float32)
        empty = {name: np.zeros(0, np.float32) for name in ("output", "gradInput", "gradWeight", "gradBias")}
        fields = {"weight": weight, "bias": np.zeros(LAYER, np.float32), "train": True, **empty}
        layers.append(t7.T7Object("nn.Linear", 1, fields))
    t7.write(path, t7.T7Object("nn.Sequential", 1, {"modules": layers, "train": True, "_type": "torch.FloatTensor"}))


def measured(way: str, path: Path) -> tuple[float, float]:
    """Seconds, and bytes of memory."""
    program = PROGRAM.format(way=WAYS[way], more="import torchfile" if way == "torchfile" else "")
    command = [sys.executable, "-c", program, str(path)]
    return tuple(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))


def main() -> None:
    """Writes a file and loads it in every way."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    ways = [way for way in WAYS if way != "torchfile" or find_spec("torchfile")]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.t7"
        write_network(path, options.megabytes)
        size = os.path.getsize(path)
        print(f"{size / 2**20:.0f} MiB{'':32}seconds  of reading bytes   memory / file")
        runs: dict[str, list] = {way: [] for way in ways}
        measured("bytes", path)  # from now on the file is in the page cache
        for _ in range(options.rounds):
            for way in ways:
                runs[way].append(measured(way, path))
        base = median(seconds for seconds, _ in runs["bytes"])
        for way, found in runs.items():
            seconds, memory = (median(column) for column in zip(*found, strict=True))
            print(f"  {way:38}{seconds:7.3f}{seconds / base:14.2f} x{memory / size:14.2f} x")


if __name__ == "__main__":
    main()
