"""Torch7's own test suites, unmodified, run as Lua on functorch7.

    python -m benchmarks.suites FOLDER [SUITE ...] [--only TEST ...] [--limit SECONDS]

FOLDER holds checkouts of torch/nn, torch/nngraph, torch/optim, torch/torch7, Element-Research/rnn and
Element-Research/dpnn under these last names, and what their tests require: Yonaba/Moses 1.6, lunarmodules/Penlight,
and deepmind/torch-totem as totem. Each suite runs in a process of its own; what does not pass follows, and a row for
each suite.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false")

ROOT = Path(__file__).parents[1]
WHOLE = {
    "nn": ("nn/test.lua", "nn.test(nil, 1)"),
    "rnn": ("rnn/test/test.lua", "rnn.test()"),
    "dpnn": ("dpnn/test/test.lua", "dpnn.test()"),
    "torch": ("torch7/test/test.lua", "torch.test()"),
}
"""Suites that are one file: it, and what runs them."""
SCRIPTS = {"nngraph": "nngraph/test/test_*.lua", "optim": "optim/test/test_*.lua"}
"""Suites each of whose files is a program: it passes if it ends without an error, and so do the tests that it runs."""
PRELUDE = "require 'nn' require 'nngraph' require 'optim' require 'dpnn' require 'rnn' math.randomseed(1) "
PRELUDE += "torch.setdefaulttensortype('torch.DoubleTensor')"  # with which Torch7 starts
OWN_TESTER = {"nngraph": "require 'totem' totem.Tester, totem.TestSuite = torch.Tester, torch.TestSuite"}
"""What lets a suite with a tester of another package use torch's, whose outcomes are recorded."""


class TooLong(Exception):
    """A test took longer than it may."""


def run_suite(folder: Path, name: str, limit: int, only: list[str]) -> None:
    """Runs one suite here, and prints a line of JSON for each test."""
    import functorch7.lua
    from functorch7.legacy.program.tester import Tester

    def said(test: str, outcome: str, asserts: int, seconds: float, why: str) -> None:
        print(json.dumps([test, outcome, asserts, round(seconds, 1), why]), file=sys.__stdout__, flush=True)

    def too_long(*_: Any) -> None:
        raise TooLong(f"over {limit} s")

    usual = Tester._outcome

    def outcome(self: Any, test: str) -> str:
        if only and test not in only:
            return "SKIP"
        start, errors = time.monotonic(), len(self.errors)
        signal.alarm(limit)
        try:
            found = usual(self, test)
        finally:
            signal.alarm(0)
        made = self.assertionPass[test] + self.assertionFail[test]
        said(test, found, made, time.monotonic() - start, "\n".join(self.errors[errors:]))
        return found

    signal.signal(signal.SIGALRM, too_long)
    runtime = functorch7.lua.Runtime()
    places = (f"{name}/test/?.lua", "nn/?.lua", "?/?.lua", "Moses/?.lua", "Penlight/lua/?.lua", "totem/?/init.lua")
    runtime.execute("package.path = package.path .. " + repr("".join(f";{folder / place}" for place in places)))
    runtime.execute(PRELUDE)
    runtime.execute(OWN_TESTER.get(name, ""))
    sys.stdout = sys.stderr
    with patch.object(Tester, "_outcome", outcome):
        if name in WHOLE:
            file, call = WHOLE[name]
            runtime.execute(f"dofile '{folder / file}'")
            programs = [("", lambda: runtime.execute(call))]
        else:
            programs = [
                (file.stem, lambda file=file: runtime.run(str(file))) for file in sorted(folder.glob(SCRIPTS[name]))
            ]
        for program, start in programs:
            began = time.monotonic()
            try:
                start()
                why = ""
            except Exception as error:
                why = "" if "An error was found while running tests" in str(error) else str(error)
            if program and not only:
                said(program, "ERROR" if why else "PASS", 0, time.monotonic() - began, why)


def main() -> None:
    """Runs the suites and prints what came of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("suites", nargs="*", default=[*WHOLE, *SCRIPTS])
    parser.add_argument("--only", nargs="*", default=[], help="tests by name")
    parser.add_argument("--limit", type=int, default=120, help="seconds for one test")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.here:
        return run_suite(given.folder.resolve(), given.suites[0], given.limit, given.only)
    for suite in given.suites:
        report(suite, results(given, suite))


def results(given: Any, suite: str) -> list[list]:
    """What a suite's process said of each test."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.suites",
        str(given.folder.resolve()),
        suite,
        "--here",
        "--limit",
        str(given.limit),
    ]
    only = ["--only", *given.only] if given.only else []
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    with tempfile.TemporaryDirectory() as place:  # some tests write files where they are run
        done = subprocess.run([*command, *only], capture_output=True, text=True, cwd=place, env=environment)
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    if done.returncode:
        found.append([f"the process ended with {done.returncode}", "ERROR", 0, 0.0, done.stderr[-2000:]])
    return found


def reasons(why: str) -> list[str]:
    """The lines that say what went wrong: an error's message with Lua's first line, or what was found and expected."""
    lines = [line.strip() for line in why.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"[\w.]*(Error|Exception|TooLong)\b", line)]
    return errors[-1:] or [line for line in lines if not re.match(r"/.*: in function", line)][:6]


def report(suite: str, found: list[list]) -> None:
    """Prints what does not pass, and a row of the table."""
    for test, outcome, _, seconds, why in found:
        if outcome not in ("PASS", "SKIP"):
            print(f"{suite}: {test}: {outcome} ({seconds} s)", *reasons(why), sep="\n    ")
    passed = sum(outcome == "PASS" for _, outcome, *_ in found)
    print(f"| {suite} | {passed} of {len(found)} | {sum(each[2] for each in found):,} assertions |", flush=True)


if __name__ == "__main__":
    main()
