"""Torch's package sys: clocks, commands and terminal colours."""

import math
import os
import re
import sys
import time

from . import paths
from .paths import concat as concat
from .paths import dirname as dirname
from .program.commands import allow_commands as allow_commands
from .program.commands import output_of
from .program.lua import Table

_NAMES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")

COLORS = Table(
    {"none": "\x1b[0m"}
    | {name: f"\x1b[0;{30 + i}m" for i, name in enumerate(_NAMES)}
    | {name.capitalize(): f"\x1b[1;{30 + i}m" for i, name in enumerate(_NAMES)}
    | {f"_{name}": f"\x1b[{40 + i}m" for i, name in enumerate(_NAMES)}
)
"""What changes the terminal's colour: `COLORS.red`, bold `COLORS.Red`, behind the text `COLORS._red`; `COLORS.none`."""

OS = {"darwin": "macos", "win32": "windows"}.get(sys.platform, "linux")
"""The operating system: "linux", "macos" or "windows"."""

prefix = sys.prefix
"""Where Python is installed."""


class _Clock:
    start = time.time()


def clock() -> float:
    """The seconds since 1970."""
    return time.time()


def tic() -> None:
    """Starts the clock of `toc`."""
    _Clock.start = clock()


def toc(verbose: bool = False) -> float:
    """The seconds since `tic`; with `verbose` they are printed too."""
    seconds = clock() - _Clock.start
    if verbose:
        print(seconds)
    return seconds


def sleep(seconds: float) -> None:
    """Waits."""
    time.sleep(seconds)


def usleep(microseconds: float) -> None:
    """Waits; the number counts millionths of a second."""
    time.sleep(microseconds / 1e6)


def uname() -> str:
    """The operating system, as `OS`."""
    return OS


def execute(cmd: str) -> str:
    """A command's output, with errors, without surrounding white space.

    Raises: PermissionError unless `allow_commands()` was called.
    """
    return output_of("sys.execute", cmd)


def fexecute(cmd: str, readwhat: str = "*all") -> str:
    """As `execute`; with "*line" for `readwhat`, only the first line. Raises PermissionError as `execute` does."""
    found = output_of("sys.fexecute", cmd)
    return found if readwhat.lstrip("*").startswith("a") else found.partition("\n")[0]


def ls(d: str = ".") -> str:
    """The names in a folder, one on each line."""
    return "\n".join(sorted(name for name in os.listdir(d) if not name.startswith(".")))


def fpath() -> str:
    """The folder of the file that calls this."""
    return os.path.dirname(paths.file_of(sys._getframe(1)) or os.path.abspath("-"))


def split(str: str, pat: str) -> list[str]:
    """The parts of a text between matches of a pattern, Python's regular expression; without an empty last part."""
    found = re.split(pat, str)
    return found[:-1] if found[-1] == "" else found


def isNaN(number: float) -> bool:
    """Whether a number is NaN."""
    return isinstance(number, float) and math.isnan(number)
