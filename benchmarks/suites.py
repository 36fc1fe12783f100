"""Torch7's own test suites, unmodified, run as Lua on functorch7.

    python -m benchmarks.suites FOLDER [SUITE ...] [--only TEST ...] [--limit SECONDS] [--record FOLDER]

FOLDER holds checkouts of torch/nn, torch/nngraph, torch/graph, torch/optim, torch/torch7, Element-Research/rnn and
Element-Research/dpnn under these last names, and what their tests require: Yonaba/Moses 1.6, lunarmodules/Penlight,
and deepmind/torch-totem as totem. Each suite runs in a process of its own, which ends when a test takes more of the
processor's time than it may; another goes on behind that test. What does not pass follows, and a row for each suite.
With --record what came of each test is kept in a file, and tests that are in it do not run again.
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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false")

ROOT = Path(__file__).parents[1]
WHOLE = {
    "nn": ("nn/test.lua", "nn.test(nil, 1)"),
    "rnn": ("rnn/test/test.lua", "rnn.test()"),
    "dpnn": ("dpnn/test/test.lua", "dpnn.test()"),
    "torch7": ("torch7/test/test.lua", "torch.test()"),
}
"""Suites that are one file: it, and what runs them."""
SCRIPTS = {
    "nngraph": "nngraph/test/test_*.lua",
    "optim": "optim/test/test_*.lua",
    "graph": "graph/test/test_graph*.lua",
}
"""Suites each of whose files is a program: it passes if it ends without an error, and so do the tests that it runs."""
PRELUDE = "require 'nn' require 'nngraph' require 'optim' require 'dpnn' require 'rnn' math.randomseed(1) "
PRELUDE += "torch.setdefaulttensortype('torch.DoubleTensor')"  # with which Torch7 starts
OWN_TESTER = {"nngraph": "require 'totem' totem.Tester, totem.TestSuite = torch.Tester, torch.TestSuite"}
"""What lets a suite with a tester of another package use torch's, whose outcomes are recorded."""


# The process of a suite ---------------------------------------------------------------------------------------------


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """A block that may take so much processor time; a signal ends the process after that, wherever it is."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)


def runtime_for(folder: Path, name: str) -> Any:
    """A Lua runtime that finds the files of a suite, and what these require."""
    import functorch7.lua

    runtime = functorch7.lua.Runtime()
    places = (f"{name}/test/?.lua", "nn/?.lua", "?/?.lua", "Moses/?.lua", "Penlight/lua/?.lua", "totem/?/init.lua")
    runtime.execute("package.path = package.path .. " + repr("".join(f";{folder / place}" for place in places)))
    runtime.execute(PRELUDE)
    runtime.execute(OWN_TESTER.get(name, ""))
    return runtime


def run_suite(folder: Path, name: str, limit: int, only: list[str], done: set[str]) -> None:
    """Runs one suite here, and prints a line of JSON when a test begins and one when it has ended."""
    from functorch7.legacy.program.tester import Tester

    program = ""

    def said(*what: Any) -> None:
        print(json.dumps(what), file=sys.__stdout__, flush=True)

    def wanted(test: str) -> bool:
        return test not in done and (not only or test in only)

    usual = Tester._outcome

    def outcome(self: Any, test: str) -> str:
        full = f"{program}.{test}" if program else test
        if not wanted(full):
            return "SKIP"
        said(full)
        start, errors = time.process_time(), len(self.errors)
        with limited(limit):
            found = usual(self, test)
        made = self.assertionPass[test] + self.assertionFail[test]
        said(full, found, made, round(time.process_time() - start, 1), "\n".join(self.errors[errors:]))
        return found

    runtime = runtime_for(folder, name)
    sys.stdout = sys.stderr
    with patch.object(Tester, "_outcome", outcome):
        if name in WHOLE:
            file, call = WHOLE[name]
            runtime.execute(f"dofile '{folder / file}'")
            if why := _why_not(lambda: runtime.execute(call)):
                sys.exit(why)
            return
        for file in sorted(folder.glob(SCRIPTS[name])):
            program, start = file.stem, time.process_time()
            if not wanted(program) and not any(each.startswith(f"{program}.") for each in only):
                continue
            said(program)
            with limited(limit):
                why = _why_not(lambda file=file: runtime.run(str(file)))
            said(program, "ERROR" if why else "PASS", 0, round(time.process_time() - start, 1), why)


def _why_not(program: Any) -> str:
    """The error that ends a program, if one does that is not only its tester's."""
    try:
        program()
    except Exception as error:
        return "" if "An error was found while running tests" in str(error) else str(error)
    return ""


# The process that looks after them ----------------------------------------------------------------------------------


def results(given: Any, suite: str) -> list[list]:
    """What came of each test: its name, outcome, assertions, seconds, and what went wrong."""
    record = Path(given.record) / f"{suite}.jsonl" if given.record else None
    found = [json.loads(line) for line in record.read_text().splitlines()] if record and record.exists() else []
    if given.only:
        found = [each for each in found if each[0] not in given.only]
    goes_on = True
    while goes_on:
        goes_on = False
        for each in _outcomes(given, suite, [name for name, *_ in found]):
            found.append(each)
            goes_on = each[1] in ("LONG", "CRASH") and each[0] != ""
            if record:
                record.parent.mkdir(parents=True, exist_ok=True)
                record.write_text("".join(json.dumps(one) + "\n" for one in found))
    return found


def _outcomes(given: Any, suite: str, done: list[str]) -> Iterator[list]:
    """What one process says of the tests that are left; the last may be the one that ended it."""
    names = ["--only", *given.only] if given.only else []
    command = [sys.executable, "-m", "benchmarks.suites", str(given.folder.resolve()), suite, "--here", *names]
    command += ["--limit", str(given.limit)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    with tempfile.TemporaryDirectory() as place, tempfile.TemporaryFile("w+") as errors:  # some tests write files
        process = subprocess.Popen(
            [*command, "--done", *done], cwd=place, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True
        )
        running: list[str] = []  # a program, and a test in it
        for line in process.stdout or ():
            if not line.startswith("["):
                continue
            name, *rest = json.loads(line)
            if rest:
                running.remove(name)
                yield [name, *rest]
            else:
                running.append(name)
        code = process.wait()
        if running or code:
            errors.seek(0)
            is_long = code == -signal.SIGPROF
            said = f"over {given.limit} s" if is_long else f"ended with {code}: {errors.read()[-2000:]}"
            yield [running[-1] if running else "", "LONG" if is_long else "CRASH", 0, 0.0, said]


def reasons(why: str) -> list[str]:
    """The lines that say what went wrong: an error's message with Lua's first line, or what was found and expected."""
    lines = [line.strip() for line in why.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"[\w.]*(Error|Exception)\b", line)]
    return errors[-1:] or [line for line in lines if not re.match(r"/.*: in function", line)][:6]


def report(suite: str, found: list[list]) -> None:
    """Prints what does not pass, and a row of the table."""
    for test, outcome, _, seconds, why in found:
        if outcome not in ("PASS", "SKIP"):
            print(f"{suite}: {test}: {outcome} ({seconds} s)", *reasons(why), sep="\n    ")
    passed = sum(outcome == "PASS" for _, outcome, *_ in found)
    print(f"| {suite} | {passed} of {len(found)} | {sum(each[2] for each in found):,} |", flush=True)


def main() -> None:
    """Runs the suites and prints what came of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("suites", nargs="*", default=[*WHOLE, *SCRIPTS])
    parser.add_argument("--only", nargs="*", default=[], help="tests by name")
    parser.add_argument("--limit", type=int, default=120, help="processor's seconds for one test")
    parser.add_argument("--record", help="folder for what came of each test")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--done", nargs="*", default=[], help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.here:
        return run_suite(given.folder.resolve(), given.suites[0], given.limit, given.only, set(given.done))
    for suite in given.suites:
        report(suite, results(given, suite))


if __name__ == "__main__":
    main()
