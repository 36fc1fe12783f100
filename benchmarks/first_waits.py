"""How long programs of the stateful interface take until their first iteration is over.

    python -m benchmarks.first_waits                        # all of them
    python -m benchmarks.first_waits xor --against ../base  # beside another checkout's functorch7

Each program runs in two processes, one after the other: the first finds the folder of compiled programs empty, the
second as the first has left it. Processor seconds, without imports: until the program is made, and for its first
iteration.
"""

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parent.parent
NAMES = ("xor", "regression", "digits", "zaremba", "char-rnn", "neural-style")


def program(name: str) -> Callable[[], Any]:
    """What makes a program and gives what makes its step."""
    from . import classics, stateful, user_modules

    sizes, channels = user_modules.CharRNNs().sizes, user_modules.Styles()
    return {
        "xor": stateful.xor,
        "regression": classics.Regression,
        "digits": classics.Digits,
        "zaremba": classics.Zaremba,
        "char-rnn": lambda: user_modules.CharRNN(user_modules.OneHot, sizes),
        "neural-style": lambda: user_modules.Style(channels.channels, channels.pixels),
    }[name]


def take(name: str) -> None:
    """Prints how long it takes to make a program, and to take its first step."""
    make, moments = program(name), [time.process_time()]
    made = make()
    moments.append(time.process_time())
    made.step()
    moments.append(time.process_time())
    print(*(after - before for before, after in itertools.pairwise(moments)))


def waits(name: str, checkout: Path, folder: str) -> list[float]:
    """What a process finds that has this folder of compiled programs."""
    with tempfile.TemporaryDirectory() as beside:
        (Path(beside) / "functorch7").symlink_to(checkout.resolve() / "functorch7")
        flags = {
            "PYTHONPATH": f"{beside}{os.pathsep}{SOURCE}", "JAX_COMPILATION_CACHE_DIR": folder,
            "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0", "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
        }  # fmt: skip
        command = [sys.executable, "-m", "benchmarks.first_waits", "--take", name]
        done = subprocess.run(
            command, env=os.environ | flags, cwd=beside, stdout=subprocess.PIPE, text=True, check=True
        )
    return [float(number) for number in done.stdout.split()[-2:]]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.first_waits", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("names", nargs="*", default=NAMES, metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--against", type=Path, help="a checkout whose functorch7 runs the same programs")
    parser.add_argument("--take", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.take:
        return take(*options.names)
    for name in options.names:
        for checkout in filter(None, (SOURCE, options.against)):
            with tempfile.TemporaryDirectory() as folder:
                for process in ("first", "second"):
                    try:
                        made, stepped = waits(name, checkout, folder)
                    except subprocess.CalledProcessError:
                        print(f"{name:12} {checkout.name:8} does not run there", flush=True)
                        break
                    found = f"made {made:6.2f} s, first step {stepped:6.2f} s"
                    print(f"{name:12} {checkout.name:8} {process:6}  {found}", flush=True)


if __name__ == "__main__":
    main()
