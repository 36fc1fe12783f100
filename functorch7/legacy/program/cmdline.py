"""Torch's CmdLine: a program's options by name, with defaults and help, and a log of its output."""

from __future__ import annotations

import builtins
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TextIO

from ..tensors.lua_values import kind, text
from ..tensors.named import Named
from .lua import Table, number


def _described(key: str, help: str | None, type: str | None, **default: object) -> Table:
    """An option or argument, as a table that programs may extend; an option has a default."""
    fields = {"key": key, "name": key.lstrip("-"), "help": help, "type": type, **default}
    return Table((name, value) for name, value in fields.items() if value is not None)


def _shown(described: Table) -> str:
    return described.key if "default" in described else f"<{described.name}>"


def _line(described: Table, width: int) -> str:
    help, default = described.get("help", ""), described.get("default")
    parts = [f"  {_shown(described):<{width}}", help, "" if default is None else f"[{text(default)}]"]
    return " ".join(filter(None, parts))


class CmdLine(Named):
    """Options and arguments of a program, from its command line.

    An option has its default's type: numbers and strings take the next word, booleans take none and invert their
    default. The result of `parse` has the options as fields: `params.rate`. `string` puts `argseparator` between
    options, and `keyseparator` between an option and its value.
    Source: torch7/doc/cmdline.md; torch7/CmdLine.lua.
    """

    def __init__(self, argseparator: str = ",", keyseparator: str = "="):
        self.argseparator, self.keyseparator = argseparator, keyseparator
        self.options: dict[str, Table] = {}
        self.arguments: list[Table] = []
        self.helplines: list[str | Table] = []
        self.dateformat: str | None = None
        self.silentio = False

    def text(self, txt: str = "") -> None:
        """Adds a line to the help."""
        self.helplines.append(txt)

    def argument(self, key: str, help: str | None = None, type: str | None = None) -> None:
        """Adds an argument: a required word of the command line, without a name."""
        self.arguments.append(_described(key, help, type))
        self.helplines.append(self.arguments[-1])

    def option(self, key: str, default: object = None, help: str | None = None, type: str | None = None) -> None:
        """Adds an option, such as "-rate". Raises ValueError without a default, or with one of another type."""
        if default is None:
            raise ValueError(f"option {key} has no default value")
        if type is not None and kind(default) != type:
            raise ValueError(f"option {key} has wrong default type value")
        self.options[key] = _described(key, help, kind(default), default=default)
        self.helplines.append(self.options[key])

    def default(self) -> Table:
        """The options' defaults by their names."""
        return Table((option.name, option.default) for option in self.options.values())

    def parse(self, arg: Sequence[str] | Mapping[int, str] | None = None) -> Table:
        """The options and arguments by their names, by default of the program's own command line.

        A table is read from 1 on, like Lua's `arg`, which has the program at 0.
        `-help`, `-h` and `--help` print the help and end the program; wrong words do the same, with status 1.
        Raises: SystemExit.
        """
        arg = dict(enumerate(sys.argv)) if arg is None else arg
        words = [arg[place] for place in sorted(arg) if place > 0] if isinstance(arg, Mapping) else list(arg)
        params, arguments = self.default(), list(self.arguments)
        while words:
            word = words.pop(0)
            if word in ("-help", "-h", "--help"):
                self.help(arg)
                raise SystemExit(0)
            if word in self.options:
                option = self.options[word]
                params[option.name] = self._value(option, words)
            elif not arguments:
                self.error(f"invalid argument: {word}")
            else:
                params[self._fitting(arguments[0]).name] = word
                arguments.pop(0)
        if arguments:
            self.error("not enough arguments")
        return params

    def _value(self, option: Table, words: list[str]) -> Any:
        if option.type == "boolean":
            return not option.default
        if not words:
            self.error(f"missing argument for option {option.key}")
        word = words.pop(0)
        if option.type == "string":
            return word
        if option.type != "number":
            self.error(f"unknown required option type {option.type}")
        try:
            return number(word)
        except ValueError:
            self.error(f"invalid type for option {option.key} (should be {option.type})")

    def _fitting(self, argument: Table) -> Table:
        if argument.get("type") not in (None, "string"):
            self.error(f"invalid argument type for argument {argument.key} (should be {argument.type})")
        return argument

    def error(self, msg: str) -> NoReturn:
        """Prints a message and the help, and ends the program. Raises: SystemExit."""
        print()
        print(msg, end="", file=sys.stderr)
        print()
        self.help()
        raise SystemExit(1)

    def help(self, program: str | Sequence[str] | Mapping[int, str] | None = None) -> None:
        """Prints the help: options and arguments with their defaults, and the lines of `text` between them.

        `program` is the program's name, or a table as for `parse`, with the name at 0.
        """
        if program is not None and not isinstance(program, str):
            program = program.get(0) if isinstance(program, Mapping) else None
        names = "".join(f" {_shown(argument)}" for argument in self.arguments)
        print("Usage: " + (f"{program} " if program else "") + f"[options]{names}")
        width = max((len(_shown(line)) for line in self.helplines if not isinstance(line, str)), default=0)
        for line in self.helplines:
            print(line if isinstance(line, str) else _line(line, width))

    def string(self, prefix: str, params: Mapping, ignore: Mapping | None = None) -> str:
        """A name for a run, from its arguments and the options that differ from their defaults: "run,rate=2,size=3".

        `ignore[name]` leaves an option out; `ignore[name] = False` always includes it.
        It prints which options it includes or ignores, as Torch does.
        """
        found: dict[str, str] = {}
        ignore = ignore or {}
        for name, value in dict(params).items():  # Lua's empty table arrives so, too
            option = self.options.get(f"-{name}")
            if ignore.get(name):
                print(f"-- ignore option {name}")
            elif option is not None and (value != option.default or name in ignore):
                shown = ("t" if value else "f") if isinstance(value, bool) else text(value)
                found[name] = f"{name}{self.keyseparator}{shown}"
                print(name, shown, text(option.default), sep="\t")
            elif option is None and name in [argument.name for argument in self.arguments]:
                found[name] = f"{name}{self.keyseparator}{text(value)}"
            elif option is None:
                print(f"WARNING: unknown option/argument: {name} IGNORING for DIRECTORY NAME")
        arguments = [found.pop(argument.name) for argument in self.arguments if argument.name in found]
        options = sorted(found.values())
        if arguments and not options:
            options = [""]  # as in Torch, whose name ends with the separator then
        return self.argseparator.join([prefix, *arguments, *options])

    def silent(self) -> None:
        """What is printed after `log` goes only to the log."""
        self.silentio = True

    def addTime(self, name: str | None = None, format: str = "%Y-%m-%d %H:%M:%S") -> None:
        """Lines of the log begin with the time, and with the name if one is given."""
        self.dateformat = format + (f"[{name}]: " if name is not None else "")

    def log(self, file: str | TextIO, params: Mapping | None = None) -> None:
        """From now on, the program's output also goes to a file, which begins with the parameters.

        It changes Python's `print`; a later `log` replaces an earlier one.
        """
        if isinstance(file, str):
            with open(file, "w"):
                pass
        screen = getattr(builtins.print, "screen", builtins.print)

        def logged(*values: Any, **options: Any) -> None:
            if not self.silentio:
                screen(*values, **options)
            if options.get("file") in (None, sys.stdout):
                self._write(file, values)

        logged.screen = screen  # type: ignore[attr-defined]
        builtins.print = logged
        print(f"[program started on {time.strftime('%c')}]")
        print("[command line arguments]")
        for name, value in (params or {}).items():
            print(name, text(value), sep="\t")
        print("[----------------------]")

    def _write(self, file: str | TextIO, values: Sequence) -> None:
        stamp = [] if self.dateformat is None else [time.strftime(self.dateformat)]
        line = "".join(f"{each} " for each in [*stamp, *map(text, values)]) + "\n"
        if not isinstance(file, str):
            file.write(line)
            file.flush()
            return
        with open(file, "a", encoding="utf-8", errors="surrogateescape") as opened:
            opened.write(line)
