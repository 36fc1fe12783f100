"""Torch's package xlua: progress bars, arguments by name or in order, command-line options, a profiler."""

from __future__ import annotations

import importlib
import math
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from shutil import get_terminal_size
from typing import Any, NoReturn

from .program.lua import Table, number
from .program.options import OptionParser as OptionParser
from .sys import COLORS
from .tensors.lua_values import kind, text


def formatTime(seconds: float) -> str:
    """Seconds as Torch shows them, in their two largest units.

    >>> formatTime(3725), formatTime(0.25)
    ('1h2m', '250ms')
    """
    rest, found = math.floor(seconds * 1000), ""
    for unit, milliseconds in (("D", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)):
        count, rest = divmod(rest, milliseconds)
        if count > 0 and sum(map(found.count, "Dhms")) < 2:
            found += f"{count}{unit}"
    return found or "0ms"


_TOTAL, _ROOM, _MARKS = 120, 34, 100
"""The columns of a bar with its words, at most; those of the words; how many calls a step's time is measured over."""


class _Bar:
    """A loop's progress; `began` is None if the next call begins a new bar."""

    began: float | None = None
    filled = -1

    def begin(self, current: float) -> None:
        self.began = time.perf_counter()
        self.marks = deque([(current, 0.0)], _MARKS)

    def drawn(self, current: float, goal: float, width: int) -> str:
        """The bar, the times after it and, after enough backspaces, the count in its middle."""
        elapsed = time.perf_counter() - (self.began or 0)
        first, then = self.marks[0]
        step = (elapsed - then) / (current - first) if current != first else 0.0
        self.marks.append((current, elapsed))
        left = f"ETA: {formatTime(max(0.0, (goal - current) * step))}"
        times = f" {left if self.filled < width else f'Tot: {formatTime(elapsed)}'} | Step: {formatTime(step)}"
        bar = ("=" * (self.filled - 1) + ">" * (self.filled > 0))[:width].ljust(width, ".")
        rubbed, back = " " * (_ROOM - 4) + "\b" * (_ROOM - 4), "\b" * (5 + len(times) + width // 2)
        return f" [{bar}] {rubbed}{times}{back} {text(current)}/{text(goal)} "


_bar = _Bar()


def progress(current: float, goal: float) -> None:
    """Shows a loop's progress, in place of the bar before; the bar ends at current = goal.

    After the end, a smaller `current` than before begins a new bar.
    """
    width = min(get_terminal_size().columns, _TOTAL) - _ROOM
    filled = math.floor(current * width / (goal or 1))
    if _bar.began is None and not -1 < _bar.filled <= filled:
        _bar.begin(current)
    else:
        sys.stdout.write("\r")
    if _bar.began is not None:
        _bar.filled = filled
        sys.stdout.write(_bar.drawn(current, goal, width))
        if filled == width:
            _bar.began = None
            sys.stdout.write("\n")
        sys.stdout.write("\r")
        sys.stdout.flush()


def error(message: str, domain: str | None = None, usage: str | None = None) -> NoReturn:
    """Raises RuntimeError with a message, after <domain> and before the usage, if these are given."""
    placed = f"<{domain}> {message}" if domain else message
    raise RuntimeError(placed if usage is None else f"{placed}\n{usage}")


def require(package: str) -> Any:
    """A package; prints a line and returns False if it is not installed."""
    try:
        return importlib.import_module(package)
    except ImportError as missing:
        print(missing)
        print(f"warning: <{package}> could not be loaded (is it installed?)")
        return False


def trycatch(attempt: Callable[[], object], catch: Callable[[Exception], object]) -> None:
    """Calls a function; if it raises an exception, calls another with it."""
    try:
        attempt()
    except Exception as raised:
        catch(raised)


def table2string(tbl: Mapping | Sequence, newline: bool = False) -> str:
    """A table as Lua would write it, on one line or with a line for each entry."""
    entries = dict(enumerate(tbl, 1)) if not isinstance(tbl, Mapping) else tbl
    listed = [entries[i] for i in range(1, len(entries) + 1) if i in entries]
    parts = [_written(value) for value in listed]
    sign = " : " if newline else "="
    named = {key: value for key, value in entries.items() if not (isinstance(key, int) and 1 <= key <= len(listed))}
    for key, value in named.items():
        name = key if isinstance(key, str) and key.isidentifier() else f"[{_written(key)}]"
        parts.append(f"{name}{sign}{_written(value)}")
    return "{\n   " + "\n   ".join(parts) + "\n}" if newline else "{" + ",".join(parts) + "}"


def _written(value: Any) -> str:
    if kind(value) == "table":
        return table2string(value)
    return '"' + str(value).replace('"', '\\"').replace("\n", "\\n") + '"' if kind(value) == "string" else text(value)


def usage(funcname: str, description: str | None, example: str | None, *params: Mapping[str, object] | str) -> str:
    """A function's help in terminal colours: what it does, and its arguments, described as for `unpack`.

    For arguments without names, an empty text separates one way to call it from the next.
    """
    line = "+" * 69
    about = f"\n{description}\n" if description else ""
    ends = f"\n{COLORS.cyan}{example}{COLORS.none}\n" if example else ""
    head = f"{line}\n{COLORS.Magenta}{funcname}{COLORS.none}\n{about}\n{COLORS.blue}> {COLORS.none}usage:\n"
    ways = [list(way) for is_end, way in groupby(params, lambda param: param == "") if not is_end]
    written = "".join(_way(funcname, way) for way in ways)
    return f"{head}{COLORS.cyan}{written}{COLORS.none}{ends}{line}"


def _way(funcname: str, params: Sequence[Any]) -> str:
    """One way to call a function, with a line for each argument."""
    begin, end = "{}" if "arg" in params[0] else "()"
    lines = [f"{funcname}{begin}"]
    for param in params:
        key = f"{param['arg']} = {param['type']}" if "arg" in param else param["type"]
        shown = f"    {key}" if param.get("req") else f"    [{key}]"
        lines.append(f"{shown:<40}-- {param.get('help', '')}{_default(param)}")
    return "\n".join([*lines, end, ""])


def _default(param: Mapping[str, Any]) -> str:
    """What a line says about an optional argument."""
    default = param.get("default")
    if default is not None:
        return f"  [default = {table2string(default) if kind(default) == 'table' else text(default)}]"
    return f"  [default == {param['defaulta']}]" if "defaulta" in param else ""


def unpack(args: Sequence, funcname: str, description: str, *params: Mapping[str, object]) -> tuple:
    """A function's arguments, given in order or as one dict of names: (all by name, the first, the second, ...).

    `params` describe them: `arg` is the name, `type` and `help` are for readers, `req` makes it required, `default` is
    its default value, `defaulta` the name of another argument whose value is the default.
    Raises: TypeError, after printing the usage, for missing or too many arguments.
    """

    def refuse(message: str) -> NoReturn:
        print(usage(funcname, description, None, *params))
        raise TypeError(f"{funcname}: {message}")

    # Lua's empty table arrives as a list and has no names.
    by_name = len(args) == 1 and (isinstance(args[0], dict) or args[0] == [])
    if len(args) > len(params):
        refuse(f"expected at most {len(params)} arguments, got {len(args)}")
    given = (args[0] or {}) if by_name else {param["arg"]: value for param, value in zip(params, args, strict=False)}
    found = Table()
    for param in params:
        name, value = param["arg"], given.get(param["arg"])
        if value is None and param.get("req"):
            refuse(f"missing argument: {name}")
        value = param.get("default") if value is None else value
        found[name] = found.get(param["defaulta"]) if value is None and "defaulta" in param else value
    return (found, *(found[param["arg"]] for param in params))


def envparams(default: Mapping[str, str]) -> Table:
    """Parameters with their defaults, or the values of environment variables with the same names."""
    found = Table(default)
    for name, value in default.items():
        if name in os.environ:
            given = os.environ[name]
            truth = {"true": True, "True": True, "false": False, "False": False}
            is_boolean = isinstance(value, bool)
            found[name] = truth.get(given, given) if is_boolean else number(given) if kind(value) == "number" else given
    return found


class Profiler:
    """Measures how long named parts of a program take, by the clock and in processor time.

    `Profiler("off")` prints nothing; with `verbose` it prints when parts begin and end.
    Raises: KeyError for a part that never began.
    """

    def __init__(self, mode: str | None = None, verbose: bool = False):
        self.off, self.verbose = mode == "off", verbose
        self.events: dict[str, Table] = {}

    def start(self, name: str, fps: str | None = None) -> None:
        """Begins a part, or begins it again; with "fps" it is also reported per second."""
        event = self.events.setdefault(name, Table(name=name, reald=-1.0, cpud=-1.0, fps=False))
        event.update(cpu=time.process_time(), real=time.time(), fps=event.fps or fps == "fps")
        if self.verbose:
            sys.stdout.write(f"<{name}>")

    def real(self, name: str, divider: float = 1) -> float:
        """The seconds by the clock since a part began, divided by its repetitions."""
        event = self.events[name]
        event.reald = (time.time() - event.real) / divider
        return event.reald

    def cpu(self, name: str, divider: float = 1) -> float:
        """The processor's seconds since a part began, divided by its repetitions."""
        event = self.events[name]
        event.cpud = (time.process_time() - event.cpu) / divider
        return event.cpud

    def lap(self, name: str, divider: float = 1) -> tuple[float, float]:
        """Both."""
        found = self.real(name, divider), self.cpu(name, divider)
        if self.verbose:
            sys.stdout.write("\r")
            self.print(name)
        return found

    def format(self, name: str) -> str:
        """A part's last measurement, as text."""
        event = self.events[name]
        return f"$ real | cpu: {event.reald:f} | {event.cpud:f} <{name}>"

    def print(self, name: str) -> None:
        """Prints a part's last measurement."""
        if not self.off:
            print(self.format(name))

    def formatAll(self) -> str:
        """All parts' last measurements, as text."""
        lines = ["$ profiler report:"]
        for event in self.events.values():
            rate = f" = {1 / event.reald:f} fps" if event.fps else ""
            lines.append(f"$ real {event.reald:f} | cpu {event.cpud:f} <{event.name}>{rate}")
        return "\n".join(lines)

    def printAll(self) -> None:
        """Prints all parts' last measurements."""
        if not self.off:
            print(self.formatAll())
