"""Running Torch7's programs, and a prompt for Lua."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from functorch7.legacy import sys
from functorch7.lua import LuaError, Runtime, run, torch_default

from .command import printable

HISTORY = Path("~/.functorch7_lua_history").expanduser()


def run_script(path: str, args: Sequence[str], debug: bool, **options: bool) -> None:
    """Runs a program; an error in it is one of the command, with Lua's lines that led there."""
    with _commands(), _shown(debug):
        run(path, args, **options)


@contextlib.contextmanager
def _commands() -> Iterator[None]:
    """Inside, `sys.execute` runs commands: `os.execute`, which is Lua's own, asks nobody either."""
    sys.allow_commands()
    try:
        yield
    finally:
        sys.allow_commands(False)


@contextlib.contextmanager
def _shown(debug: bool) -> Iterator[None]:
    try:
        yield
    except (LuaError, ImportError) as error:  # lupa may be missing
        if debug:
            raise
        raise click.ClickException(text_of(error)) from error


def text_of(error: Exception) -> str:
    """Lua's file and line, what went wrong there, and the lines that led there."""
    return printable("\n".join([str(error), *getattr(error, "__notes__", [])[:1]]).expandtabs(4))


def prompt(python: bool, functions_of_files: bool) -> None:
    """Reads lines and shows what they give, until the end of the input."""
    with _shown(False):
        runtime = Runtime(python=python, functions_of_files=functions_of_files)
    with _commands(), _history(runtime), torch_default():
        while True:
            try:
                _answer(runtime, _read(runtime))
            except EOFError:
                click.echo()
                return
            except KeyboardInterrupt:
                click.echo()
            except LuaError as error:
                click.echo(text_of(error), err=True)


def _read(runtime: Runtime) -> str:
    """A statement or an expression, which may take several lines."""
    code = input("th> ")
    while runtime.is_unfinished(code):
        code += "\n" + input("..> ")
    return code


def _answer(runtime: Runtime, code: str) -> None:
    for each in runtime.answers(code):
        click.echo(each)


@contextlib.contextmanager
def _history(runtime: Runtime) -> Iterator[None]:
    """Lines of earlier sessions, and completion by the tabulator, where there is readline."""
    try:
        import readline
    except ImportError:
        yield
        return
    with contextlib.suppress(OSError):
        readline.read_history_file(HISTORY)
    readline.set_completer_delims(" \t\n=+-*/^%#<>~(){}[],;'\"")
    readline.set_completer(_completer(runtime))
    readline.parse_and_bind("tab: complete")
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            readline.write_history_file(HISTORY)


def _completer(runtime: Runtime) -> Any:
    def complete(text: str, state: int) -> str | None:
        place, start = re.fullmatch(r"(.*[.:])?([^.:]*)", text).groups()  # type: ignore[union-attr]
        names = [name for name in runtime.names_in((place or "").rstrip(".:")) if name.startswith(start)]
        return (place or "") + names[state] if state < len(names) else None

    return complete
