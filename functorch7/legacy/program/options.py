"""xlua's OptionParser: command-line options, after Python's optparse."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from ..tensors.lua_values import text
from .lua import Table


class OptionParser:
    """A program's options, which `option` adds one by one, and the other words.

    `usage` is the help's first line; %prog in it stands for the program.
    Source: xlua/OptionParser.lua.
    """

    def __init__(self, usage: str):
        self.usage, self.options = usage, Table()
        self.option_descriptions: list[Table] = []
        self._of: dict[str, Table] = {}
        self.option("-h", "--help", action="store_true", dest="help", help="show this help message and exit")

    def option(self, *flags: Any, dest: str = "", action: str = "store", help: str = "", **more: object) -> None:
        """Adds an option by its flags: `option("-s", "--save", dest="save", default="out", help="folder")`.

        The action is "store" (the next word), "store_true" or "store_false"; `req=True` makes the option required,
        `metavar` is the word's name in the help. Lua passes flags and fields as one table. Raises TypeError for other
        actions and names, and without `dest`.
        """
        if flags and isinstance(flags[0], dict):
            words = [flags[0][place] for place in sorted(key for key in flags[0] if not isinstance(key, str))]
            return self.option(*words, **{name: each for name, each in flags[0].items() if isinstance(name, str)})
        if (
            not dest
            or action not in ("store", "store_true", "store_false")
            or not {*more} <= {"default", "req", "metavar"}
        ):
            raise TypeError(f"OptionParser.option: {flags} with dest={dest!r}, action={action!r}, {more}")
        described = Table(flags=flags, dest=dest, action=action, help=help, **more)
        self.option_descriptions.append(described)
        self._of |= dict.fromkeys(flags, described)

    def parse(self, options: dict | None = None, arg: Sequence[str] | None = None) -> tuple[Table, list[str]]:
        """(options by name, the other words) of a command line, by default the program's own.

        Values in `options` take precedence over the defaults. Raises: SystemExit after the help, or with status 1 for
        wrong words.
        """
        found, rest = Table(options or {}), []
        for each in self.option_descriptions:
            if each.get("default") is not None:
                found.setdefault(each.dest, each.default)
        words = [part for word in (self._command_line()[1:] if arg is None else arg) for part in _parted(word)]
        while words:
            word = words.pop(0)
            if word in self._of:
                found[self._of[word].dest] = self._value(self._of[word], word, words)
            elif word.startswith("-"):
                self.fail(f"invalid option {word}")
            else:
                rest.append(word)
        if found.get("help"):
            self.help()
            raise SystemExit(0)
        for each in self.option_descriptions:
            if each.get("req") and not found.get(each.dest):
                self.fail(f"option {each.flags[0]} requires an argument ")
        self.options = found
        return found, rest

    def _command_line(self) -> list[str]:
        """The program, and the words after it."""
        return sys.argv

    def _value(self, described: Table, flag: str, words: list[str]) -> Any:
        if described.action != "store":
            return described.action == "store_true"
        if not words and described.get("default") is None:
            self.fail(f"option requires an argument {flag}")
        return words.pop(0) if words else described.default

    def fail(self, s: str) -> NoReturn:
        """Prints a message and the help, and ends the program. Raises: SystemExit."""
        print(s, file=sys.stderr)
        self.help()
        raise SystemExit(1)

    def help(self) -> None:
        """Prints the help."""
        print(f"Usage: {self.usage.replace('%prog', self._command_line()[0])}\n\nOptions:")
        shown = [_flags(each) for each in self.option_descriptions]
        width = max(map(len, shown))
        for flags, each in zip(shown, self.option_descriptions, strict=True):
            default = each.get("default")
            ends = " [REQUIRED]" if each.get("req") else f" [default = {text(default)}]" if default else ""
            print(f"  {flags:<{width}}  {each.help}{ends}")

    def tostring(self, generatefilename: bool = False, params: Sequence[str] = ()) -> str:
        """The parsed options, one on each line; or a name for files, from the flags in `params` or from all."""
        if not generatefilename:
            lines = [f" + {name} = {text(value)}\n" for name, value in self.options.items()]
            return f"<{self._command_line()[0].removesuffix('.py')}> configuration:\n" + "".join(lines)
        chosen = [
            f"{each.flags[0]}={text(self.options[each.dest])}"
            for each in self.option_descriptions
            if self.options.get(each.dest) and (not params or each.flags[0] in params)
        ]
        return ",".join(chosen).replace("/", "|").replace(" ", "_")

    def summarize(self, compact: bool = False) -> None:
        """Prints `tostring`."""
        print(self.tostring(compact), end="")


def _parted(word: str) -> list[str]:
    """ "--input=file" as two words."""
    flag, sign, value = word.partition("=")
    return [flag, value] if sign and flag.startswith("--") else [word]


def _flags(described: Table) -> str:
    name = described.get("metavar") or described.dest.upper()
    stores = described.action == "store"
    return ", ".join(flag + (f" {name}" if len(flag) == 2 else f"={name}") * stores for flag in described.flags)
