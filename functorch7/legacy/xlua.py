"""Torch's package xlua: progress bars, arguments by name or in order, options of the command line, a profiler."""

from __future__ import annotations

import importlib
import math
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from tqdm.auto import tqdm

from .program.lua import Table, number
from .program.options import OptionParser as OptionParser
from .tensors.lua_values import kind, text


def formatTime(seconds: float) -> str:
    """Seconds as Torch shows them, by their two largest units.

    >>> formatTime(3725), formatTime(0.25)
    ('1h2m', '250ms')
    """
    rest, found = math.floor(seconds * 1000), ""
    for unit, milliseconds in (("D", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)):
        count, rest = divmod(rest, milliseconds)
        if count and sum(map(found.count, "Dhms")) < 2:
            found += f"{count}{unit}"
    return found or "0ms"


class _Bar(tqdm):
    """tqdm's bar with Torch's text: the time that is left, or the whole at the end, and that of one step."""

    @property
    def format_dict(self) -> dict[str, Any]:
        found = super().format_dict
        step = found["elapsed"] / found["n"] if found["n"] else 0.0
        left = max(0.0, (found["total"] - found["n"]) * step)
        times = f"ETA: {formatTime(left)}" if found["n"] < found["total"] else f"Tot: {formatTime(found['elapsed'])}"
        return {**found, "times": f"{times} | Step: {formatTime(step)}"}


class _Progress:
    bar: _Bar | None = None


def progress(current: float, goal: float) -> None:
    """Shows how far a loop is, in place of what was shown before; the bar ends at current = goal.

    A smaller number than before begins a new bar. The bar is tqdm's, which knows terminals and notebooks and refreshes
    at most 10 times a second.
    """
    bar = _Progress.bar
    if bar is None or current < bar.n or goal != bar.total:
        if bar is not None:
            bar.close()
        form = " [{bar}] {n_fmt}/{total_fmt} {times}"
        bar = _Progress.bar = _Bar(total=goal, bar_format=form, ascii=".>=", file=sys.stdout)
    bar.update(current - bar.n)
    if current >= goal:
        bar.refresh()
        bar.close()


def error(message: str, domain: str | None = None, usage: str | None = None) -> NoReturn:
    """Raises RuntimeError with a message, in which a domain stands first as <domain>, and usage last."""
    placed = f"<{domain}> {message}" if domain else message
    raise RuntimeError(placed if usage is None else f"{placed}\n{usage}")


def require(package: str) -> Any:
    """A package; False, with a line that says so, if it is not installed."""
    try:
        return importlib.import_module(package)
    except ImportError as missing:
        print(missing)
        print(f"warning: <{package}> could not be loaded (is it installed?)")
        return False


def trycatch(attempt: Callable[[], object], catch: Callable[[Exception], object]) -> None:
    """Calls a function; if it raises an exception, calls another with that."""
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


def print(*values: object) -> None:
    """Prints values; a table with a line for each entry."""
    each: Any = values
    lines = [table2string(value, newline=True) if kind(value) == "table" else text(value) for value in each]
    sys.stdout.write("    ".join(lines) + "\n")


def usage(funcname: str, description: str | None, example: str | None, *params: Mapping[str, object]) -> str:
    """The help of a function: what it does, and its arguments, described as for `unpack`."""
    lines = [funcname, *([f"\n{description}"] if description else []), "\nusage:", f"{funcname}{{"]
    for param in params:
        key = f"{param['arg']} = {param['type']}"
        shown = f"    {key}" if param.get("req") else f"    [{key}]"
        default = param.get("default")
        ends = f"  [default = {_written(default) if kind(default) == 'table' else text(default)}]"
        ends = ends if default is not None else f"  [default == {param['defaulta']}]" if "defaulta" in param else ""
        lines.append(f"{shown:<40}-- {param.get('help', '')}{ends}")
    return "\n".join([*lines, "}", *([f"\n{example}"] if example else [])])


def unpack(args: Sequence, funcname: str, description: str, *params: Mapping[str, object]) -> tuple:
    """A function's arguments, given in order or as one dict of names: (all by name, the first, the second, ...).

    `params` describe them: `arg` is the name, `type` and `help` are for people, `req` says that it must be given,
    `default` is what it is if not, `defaulta` the name of another argument whose value it has then.
    Raises: TypeError, after the usage is printed, for arguments that are missing, or too many.
    """

    def refuse(message: str) -> NoReturn:
        print(usage(funcname, description, None, *params))
        raise TypeError(f"{funcname}: {message}")

    # Lua's empty table, which arrives as a list, has no names.
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
    """Parameters with their defaults, or what variables of the environment of the same names say."""
    found = Table(default)
    for name, value in default.items():
        if name in os.environ:
            given = os.environ[name]
            truth = {"true": True, "True": True, "false": False, "False": False}
            is_boolean = isinstance(value, bool)
            found[name] = truth.get(given, given) if is_boolean else number(given) if kind(value) == "number" else given
    return found


class Profiler:
    """Measures the seconds of named parts of a program, by the clock and of the processor.

    `Profiler("off")` prints nothing; with `verbose` it prints when parts begin and end.
    Raises: KeyError for a part that was not begun.
    """

    def __init__(self, mode: str | None = None, verbose: bool = False):
        self.off, self.verbose = mode == "off", verbose
        self.events: dict[str, Table] = {}

    def start(self, name: str, fps: str | None = None) -> None:
        """Begins a part, again if it was there; with "fps" it is reported per second, too."""
        event = self.events.setdefault(name, Table(name=name, reald=-1.0, cpud=-1.0, fps=False))
        event.update(cpu=time.process_time(), real=time.time(), fps=event.fps or fps == "fps")
        if self.verbose:
            sys.stdout.write(f"<{name}>")

    def real(self, name: str, divider: float = 1) -> float:
        """The seconds by the clock since a part began, divided by the number of its repetitions."""
        event = self.events[name]
        event.reald = (time.time() - event.real) / divider
        return event.reald

    def cpu(self, name: str, divider: float = 1) -> float:
        """The seconds of the processor since a part began, divided by the number of its repetitions."""
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
        """What was measured last of a part, as text."""
        event = self.events[name]
        return f"$ real | cpu: {event.reald:f} | {event.cpud:f} <{name}>"

    def print(self, name: str) -> None:
        """Prints what was measured last of a part."""
        if not self.off:
            print(self.format(name))

    def formatAll(self) -> str:
        """What was measured last of all parts, as text."""
        lines = ["$ profiler report:"]
        for event in self.events.values():
            rate = f" = {1 / event.reald:f} fps" if event.fps else ""
            lines.append(f"$ real {event.reald:f} | cpu {event.cpud:f} <{event.name}>{rate}")
        return "\n".join(lines)

    def printAll(self) -> None:
        """Prints what was measured last of all parts."""
        if not self.off:
            print(self.formatAll())
