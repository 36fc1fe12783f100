"""What all commands have in common: how they fail, and how their arguments are read. Nothing here is slow to import."""

from __future__ import annotations

import json
import math
import signal
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

EXPECTED = (OSError, ValueError, TypeError, NotImplementedError, ImportError, MemoryError)
"""What files, networks and sizes raise that are not as they should be; all else is a mistake of functorch7's own."""

LARGEST = 2**31 - 1
"""Of the sizes and numbers that a command takes: networks compute with 32 bits."""


class Commands(click.Group):
    """All commands. Ctrl-C ends each of them with the shell's code for that."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            raise click.exceptions.Exit(128 + signal.SIGINT) from None


class WrongCall(click.ClickException):
    """The command was called with what there is not: one sentence that says what there is, and exit code 2."""

    exit_code = 2


class Command(click.Command):
    """A command that fails with one sentence and exit code 1; with --debug, by the exception itself."""

    def __init__(self, *args: Any, examples: str = "", **kwargs: Any):
        super().__init__(*args, epilog=f"\b\nExamples:\n{_indented(examples.strip())}", **kwargs)
        self.params.append(click.Option(["--debug"], is_flag=True, help="Show where an error comes from."))

    def invoke(self, ctx: click.Context) -> Any:
        debug = ctx.params.pop("debug")
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.Abort, click.exceptions.Exit, BrokenPipeError):
            raise
        except Exception as error:
            if debug:
                raise
            raise click.ClickException(message_of(error, self._files(ctx) or [str(ctx.info_name)])) from error

    def _files(self, ctx: click.Context) -> list[str]:
        """What the command was given that has the name of a file, the first argument first."""
        given = [ctx.params.get(each.name or "") for each in self.params if isinstance(each.type, (click.Path, Recipe))]
        return [name for each in given for name in (each if isinstance(each, tuple) else [each]) if name]


def refuse(why: str, **options: Any) -> None:
    """Raises click.UsageError for the first of these options that was given: it has no meaning here."""
    for name, value in options.items():
        if value is not None:
            raise click.UsageError(f"--{name.replace('_', '-')} has no meaning here: {why}")


def message_of(error: Exception, files: Sequence[str]) -> str:
    """What went wrong and with which file, the first if the error names none; in as many lines as it has notes."""
    text = str(error) or type(error).__name__
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        text = f"{error.filename}: {error.strerror}"
    if not isinstance(error, EXPECTED):
        text = f"{type(error).__name__}: {text} (--debug shows where)"
    about_jax = "-----"  # how a note on its tracebacks begins
    notes = [note for note in getattr(error, "__notes__", []) if not note.startswith(about_jax)]
    wrong = next((each for each in files if f"in {each}" in notes), files[0])
    if not any(each in text for each in files):
        text = f"{wrong}: {text}"
    return printable("\n".join([text, *(_indented(note) for note in notes if note != f"in {wrong}")]))


def report(found: Any, as_json: bool, shown: Callable[[Any], str]) -> None:
    """Prints what a command has found: as `shown` shows it, or as JSON, where numbers that are not finite are null."""
    click.echo(json.dumps(_finite(found), indent=2, allow_nan=False) if as_json else shown(found))


def _finite(found: Any) -> Any:
    if isinstance(found, dict):
        return {name: _finite(each) for name, each in found.items()}
    if isinstance(found, (list, tuple)):
        return [_finite(each) for each in found]
    return None if isinstance(found, float) and not math.isfinite(found) else found


def printable(text: str) -> str:
    """The text with escapes in place of what could steer a terminal: names in files may be anything."""
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


def whole_number(text: str) -> int | None:
    """The whole number of a text, from 0 to the largest; None for all else."""
    digits = text.lstrip("0")[: len(str(LARGEST)) + 1] or "0"  # Python refuses to read some thousand digits
    return int(digits) if text.isdecimal() and int(digits) <= LARGEST else None


class Sizes(click.ParamType):
    """Sizes such as 1x3x224x224, as a tuple; several with commas between them (a table's) as a list of tuples.

    `count` says how many there have to be; where `open`, names such as batch stand for any size.
    """

    name = "sizes"

    def __init__(self, count: int | None = None, open: bool = False):
        self.count, self.open = count, open

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        shapes = [shape.split("x") for shape in value.split(",")]
        if not all(self._is_size(size) for shape in shapes for size in shape) or not self._fit(shapes):
            example = "1x3x224x224" if self.count is None else "x".join(["224"] * self.count)
            self.fail(f"expected sizes such as {example}, got {value!r}", param, ctx)
        found = [tuple(int(size) if size.isdecimal() else size for size in shape) for shape in shapes]
        return found if len(found) > 1 else found[0]

    def _is_size(self, text: str) -> bool:
        return (whole_number(text) or 0) > 0 if text.isdecimal() else self.open and text.isidentifier()

    def _fit(self, shapes: list) -> bool:
        return self.count is None or list(map(len, shapes)) == [self.count]


class Counts(click.ParamType):
    """Whole numbers, from 0, one or several with commas between them."""

    name = "counts"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        words = value.split(",")
        found = tuple(number for number in map(whole_number, words) if number is not None)
        if len(found) < len(words):
            what = "a whole number below 2**31 such as 10000, or several such as 10000,0"
            self.fail(f"expected {what}, got {value!r}", param, ctx)
        return found


class Numbers(click.ParamType):
    """A number for each channel, such as 0.485,0.456,0.406; or one for all. `divide` says that none may be 0."""

    name = "numbers"

    def __init__(self, divide: bool = False):
        self.divide = divide

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[float, ...]:
        try:
            found = tuple(map(float, value.split(",")))
        except ValueError:
            found = (math.nan,)
        if not all(map(math.isfinite, found)) or (self.divide and 0 in found):
            what = "numbers other than 0" if self.divide else "numbers"
            self.fail(f"expected {what} such as 0.485,0.456,0.406, got {value!r}", param, ctx)
        return found


class NotNegative(click.FloatRange):
    """A number of at least 0; NaN, which is in no order, is none."""

    def __init__(self) -> None:
        super().__init__(min=0)

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        found = super().convert(value, param, ctx)
        if math.isnan(found):
            self.fail(f"expected a number of at least 0, got {value!r}", param, ctx)
        return found


class Setting(click.ParamType):
    """A setting and its value, such as epochs=3."""

    name = "setting"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        if not value.partition("=")[0].strip() or "=" not in value:
            self.fail(f"expected a setting as name=value, such as epochs=3, got {value!r}", param, ctx)
        return value


class Recipe(click.ParamType):
    """A shipped recipe's name, or a file of settings, which shells complete."""

    name = "recipe"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        shipped = self.shipped()
        if not (Path(value).is_file() if Path(value).suffix else value in shipped):
            raise WrongCall(f"{value}: no file of settings, and no shipped recipe; these are {', '.join(shipped)}")
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The shipped recipes whose names begin so, and files."""
        begun = [CompletionItem(name) for name in self.shipped() if name.startswith(incomplete)]
        return [*begun, CompletionItem(incomplete, type="file")]

    @staticmethod
    def shipped() -> list[str]:
        """The names of shipped recipes, found without importing functorch7, which takes long."""
        spec = find_spec("functorch7")
        folder = Path(str(spec and spec.origin)).parent / "recipes" / "configs"
        return sorted(path.stem for path in folder.glob("*.toml"))
