"""The output of Torch's Tester while it runs, and at the end."""

import sys
from collections.abc import Iterable, Sequence

from ..sys import COLORS

COLUMNS = 80


class Report:
    """A line for each test with its outcome, then a summary and the failures; in colours on a terminal."""

    def __init__(self, names: Sequence[str]):
        self.count = len(names)
        self._line = ""
        print(f"Running {_counted(self.count, 'test')}")

    def begin(self, number: int, name: str) -> None:
        """Says that a test runs; only on a terminal, where the outcome overwrites it."""
        place = f"{number:{len(str(self.count))}}/{self.count} "
        dots = "." * (COLUMNS - 8 - len(place) - len(name))
        self._line = f"{_colored(place, 'cyan')}{name} {dots} "
        if sys.stdout.isatty():
            print(f"{self._line}[{_colored('WAIT', 'cyan')}]", end="\r", flush=True)

    def end(self, outcome: str, warnings: int) -> None:
        """Says how it went: "PASS", "FAIL", "ERROR" or "SKIP"."""
        color = {"PASS": "green", "FAIL": "red", "ERROR": "magenta", "SKIP": "yellow"}[outcome]
        print(f"{self._line}[{_colored(outcome, color)}]")
        if warnings and outcome == "PASS":
            print(f"{'':{COLUMNS - 10}}[{_colored('+warning', 'yellow')}]")

    def summary(self, asserts: int, failures: int, errors: int, warnings: int, disabled: int) -> None:
        """Says how many tests had each outcome."""
        counts = [
            _colored(_counted(failures, "failure"), "red" if failures else "green"),
            _colored(_counted(errors, "error"), "magenta" if errors else "green"),
        ]
        counts += [_colored(_counted(warnings, "warning"), "yellow")] if warnings else []
        counts += [_colored(f"{disabled} disabled", "yellow")] if disabled else []
        print(f"Completed {_counted(asserts, 'assert')} in {_counted(self.count, 'test')} with {' and '.join(counts)}")

    def sections(self, texts: Iterable[str]) -> None:
        """Texts between lines."""
        lines = "-" * COLUMNS
        found = [f"{text}\n{lines}" for text in texts]
        if found:
            print("\n".join([lines, *found]))


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def _colored(text: str, color: str) -> str:
    return f"{COLORS[color]}{text}{COLORS.none}" if sys.stdout.isatty() else text
