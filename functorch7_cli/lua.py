"""Running Torch7's programs, and a prompt for Lua."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from functorch7.legacy.sys import allow_commands
from functorch7.lua import LuaError, Runtime, started

from .command import printable

HISTORY = Path("~/.functorch7_lua_history").expanduser()


def run_program(
    script: str | None,
    args: Sequence[str],
    libraries: Sequence[str],
    statement: str | None,
    interactive: bool,
    debug: bool,
    **options: bool,
) -> None:
    """Requires libraries, runs a statement, then a script or notebook, and opens a prompt if asked to or without both.

    An error is one of the command, with Lua's lines that led there; before a prompt it is only shown.
    """
    with _commands(), _shown(debug), started(**options) as runtime:
        try:
            for each in libraries:
                runtime.execute("require(...)", "=(command line)", [each])
            if statement is not None:
                runtime.execute(statement, "=(command line)")
            if script is not None:
                runtime.run(script, args)
        except LuaError as error:
            if not interactive:
                raise
            click.echo(text_of(error), err=True)
        if interactive or (script is None and statement is None):
            _prompt(runtime)


@contextlib.contextmanager
def _commands() -> Iterator[None]:
    """Inside, `sys.execute` runs commands: `os.execute`, which is Lua's own, asks nobody either."""
    allow_commands()
    try:
        yield
    finally:
        allow_commands(False)


@contextlib.contextmanager
def _shown(debug: bool) -> Iterator[None]:
    try:
        yield
    except (LuaError, ImportError, ValueError) as error:  # lupa may be missing, or it is a notebook in Python
        if debug:
            raise
        raise click.ClickException(text_of(error)) from error


def text_of(error: Exception) -> str:
    """Lua's file and line, what went wrong there, and the lines that led there."""
    return printable("\n".join([str(error), *getattr(error, "__notes__", [])[:1]]).expandtabs(4))


def _prompt(runtime: Runtime) -> None:
    """Reads lines and shows what they give, until the end of the input."""
    if sys.stdin.isatty():
        click.echo("Torch7's Lua on JAX, by functorch7. Type ? for help.")
    with _history(runtime):
        while True:
            try:
                code = _read(runtime)
                if code.strip() == "exit":
                    return
                for each in runtime.replies(code):
                    click.echo(each)
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
