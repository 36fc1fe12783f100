"""Lua with functorch7."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.user_line import UserLine, told_by
from ..interop.packages import package
from ..legacy.modules.adopted import Adopted
from ..legacy.objects import composed
from ..legacy.objects.described import Described
from ..legacy.objects.own_fields import numbered
from ..legacy.program.objects import type_names
from .asked import Asked
from .border import Border, Encoded
from .calls import Calls
from .classes import Classes
from .elements import Elements
from .errors import LuaError
from .kept_fields import has_fields, own_encoder
from .kinds import Crossing
from .lent import Lending, Lent, taken_back
from .notebook import SUFFIX, cells_of
from .prompt import Prompt
from .rocks import FALLBACKS, ROCKS, Rocks
from .steps import Steps
from .text import any_bytes, from_lua, to_lua
from .traced.library import LIBRARY
from .written import Written

AS_TH = """
arg = {}
for _, name in ipairs {'paths', 'sys', 'xlua', 'dok'} do require(name) end
if pcall(require, 'pl') and text then text.format_operator() else path = require 'pl.path' end
"""
"""What Torch's program `th` starts with: global variables, and with Penlight `'%d of %d' % {1, 2}`."""

GLUE = Path(__file__).parent / "glue"


class Loaded:
    """A Lua file's classes, functions and values as attributes; `returned` is its result."""

    def __init__(self, path: str, found: dict[str, Crossing], returned: object):
        self.__dict__.update(found)
        self.returned, self._path = returned, path

    def __repr__(self) -> str:
        return f"<{self._path}: {', '.join(name for name in vars(self) if not name.startswith('_'))}>"


def _lupa() -> Any:
    """lupa's LuaJIT. Raises ImportError, saying how to install it."""
    return package("lupa.luajit21", "functorch7[lua]", "Lua")


@contextlib.contextmanager
def _command_line(words: list[str]) -> Iterator[None]:
    """A block in which these words are the command line, for functions of functorch7 that read it."""
    before, sys.argv = sys.argv, words
    try:
        yield
    finally:
        sys.argv = before


class Runtime(Prompt):
    """A separate Lua: programs do not see what others define.

    `python` gives Lua a table of that name, whose `import` returns any Python package. With `functions_of_files` it may
    call the functions in files that it loads.
    """

    def __init__(self, python: bool = False, functions_of_files: bool = False):
        self.lua = _lupa().LuaRuntime(
            encoding="latin-1", unpack_returned_tuples=True, register_eval=False, register_builtins=False
        )
        self.lua.execute("python, package.loaded.python = nil, nil")
        self.border = Border()
        self.calls = Calls(self.border)
        self.border.function_of = self.calls.function
        self.classes = Classes(self.border, self.calls)
        self.written = Written(self.border, self.calls)
        self.rocks = Rocks(self.border, self.calls, functions_of_files)
        self.border.encoder_of = self._encoder_of  # type: ignore[method-assign]
        self._start(python)

    def _encoder_of(self, kind: type) -> Callable[[object], Encoded]:
        """How objects of a class are encoded."""
        if issubclass(kind, Adopted):
            return lambda value: self.border.encode(value.stands_for)  # type: ignore[attr-defined]
        if issubclass(kind, Lent):
            return lambda value: self.border.encode(taken_back(value))  # type: ignore[arg-type]
        return own_encoder(self.border, kind) if has_fields(kind) else Border.encoder_of(self.border, kind)

    def _start(self, python: bool) -> None:
        entries = self.lua.table_from(dict(self._entries()))
        self.glue = self._chunk("border", entries)
        self._chunk("coroutines", self.glue)
        coroutine = self.lua.execute("return coroutine.create(function() end)")
        self.border.ask = Asked(self.glue.asked_as, type(coroutine))
        for name in (
            "errors", "tables", "fields", "lent", "objects", "elements", "metatables", "standard", "sources", "rocks",
            "xlua", "thnn_layers", "thnn_sparse", "thnn", "bit32", "threads", "prompt",
        ):  # fmt: skip
            self._chunk(name, self.glue, entries)
        for name, (place, globals) in ROCKS.items():
            places = self.lua.table_from({key: self.rocks.number(each) for key, each in globals.items()})
            self.glue.provide(name, self.rocks.number(place), places)
        self.glue.paths = self.rocks.number("paths")
        for name, place in FALLBACKS.items():
            self.glue.fall_back(name, self.rocks.number(place))
        self.lua.execute("torch = require 'torch'")
        for name in ("class", "recurrent"):
            self._chunk(name, self.glue, entries, self.lua.globals().torch)
        self._chunk("gated", self.glue, entries, self.lua.globals().torch, self.glue.keeping_steps)
        self._chunk("around", self.lua.globals().torch, self.glue.keeping_steps)
        self._chunk("reading", self.glue, self.lua.table_from(list(LIBRARY)))
        self.lua.execute(AS_TH)
        self._chunk("trepl", self.glue)
        told_by.append(self._place)
        if python:
            self.rocks.is_open = True
            self.glue.open_python()

    def _chunk(self, name: str, *given: Any) -> Any:
        source = (GLUE / f"{name}.lua").read_text()
        return self.lua.globals().loadstring(source, f"=functorch7/{name}.lua")(*given)

    def _entries(self) -> Iterator[tuple[str, Callable]]:
        border = self.border
        made = Elements(border), Lending(border), Steps(border, self.classes)
        for part in (border, self.calls, self.classes, self.written, self.rocks, *made):
            yield from part.bound()
        yield "type_names", self.border.entry(lambda _, value: type_names(value))
        for name in (
            "write", "print", "flush", "exit", "copied", "fields", "insert", "remove", "collected", "derive", "names",
            "isatty",
        ):  # fmt: skip
            yield name, self.border.entry(getattr(self, f"_{name}"))

    # What Lua's own functions ask for -------------------------------------------------------------------------------

    def _write(self, _: int, text: str) -> None:
        any_bytes(lambda: sys.stdout.write(text))

    def _print(self, _: int, end: str, *texts: str) -> None:
        """Uses Python's print, which a program may have replaced (CmdLine.log)."""
        any_bytes(lambda: print(*texts, sep="\t", end=end))

    def _flush(self, _: int) -> None:
        sys.stdout.flush()

    def _isatty(self, _: int) -> bool:
        return sys.stdout.isatty()

    def _exit(self, _: int, code: int) -> None:
        raise SystemExit(code)

    def _copied(self, _: int, value: Any) -> Any:
        """A listing's content."""
        if isinstance(value, Mapping):
            return {key: self.border.inside(each) for key, each in value.items()}
        return list(map(self.border.inside, value))

    def _fields(self, _: int, value: Any) -> dict:
        """An object's fields, or entries."""
        if isinstance(value, Described):
            return composed.fields(value)
        if isinstance(value, Mapping):
            return dict(value)
        return {name: each for name, each in vars(value).items() if not name.startswith("_")} | numbered(value)

    def _insert(self, _: int, target: list, position: int, value: Any) -> None:
        target.insert(position - 1, value)

    def _remove(self, _: int, target: list, position: int) -> Any:
        return target.pop(position - 1) if 1 <= position <= len(target) else None

    def _names(self, _: int, value: Any) -> list[str]:
        return dir(value)

    def _place(self) -> UserLine | None:
        """The current place in the running program."""
        path, _, number = (self.border.answered(self.border.ask.place()) or "").rpartition(":")
        return UserLine(path, int(number)) if number else None

    def _collected(self, _: int) -> None:
        self.border.sweep()

    def _derive(self, number: int, name: str) -> int:
        return self.border.registry.class_number(self.classes.derived(name, self.border.registry.kinds[number]))

    # Programs -------------------------------------------------------------------------------------------------------

    def run(self, path: str, args: Sequence[str] = ()) -> Crossing:
        """Runs a file, or the cells of a notebook, and returns the result. Raises LuaError for an error in it."""
        names = self.lua.table_from({i: to_lua(each) for i, each in enumerate(args, 1)} | {0: to_lua(path)})
        self.lua.globals().arg = names
        source = Path(path).read_bytes()
        if source.startswith(b"#"):
            source = b"--" + source
        with _command_line([path, *args]):
            if path.endswith(SUFFIX):
                return self._run_cells(path)
            return self.execute(from_lua(source.decode("latin-1")), f"@{path}", args)

    def _run_cells(self, path: str) -> None:
        """Runs a notebook's cells, one after the other, and prints what they answer.

        An error ends it, unless there was one in the same cell when the notebook was saved.
        """
        self.execute("itorch = require 'itorch'")  # which its kernel has
        for cell in cells_of(path):
            try:
                for each in self.replies(cell.code, f"={cell.name}"):
                    print(each)
            except LuaError as error:
                if not cell.fails:
                    raise
                print(error)

    def execute(self, source: str, name: str = "=Lua", args: Sequence[str] = ()) -> Crossing:
        """Runs Lua code and returns its result, several values as a tuple."""
        reference = self.compiled(source, name)
        try:
            return self.border.call_lua(reference, tuple(args))
        finally:
            sys.stdout.flush()

    def load(self, path: str) -> Loaded:
        """Runs a file and returns what it defines. Raises LuaError for an error in it."""
        self.lua.globals().arg = self.lua.table()
        before = self.glue.noted_globals()
        classes = len(self.classes.derivations)
        returned = self.run(path)
        found = dict(self.border.answered(self.border.ask.new_globals(before)))
        found |= {kind.__name__: kind for kind in self.classes.derivations[classes:]}
        return Loaded(path, found | (returned if isinstance(returned, dict) else {}), returned)

    def close(self) -> None:
        """Removes what Lua has put into functorch7's classes."""
        told_by.remove(self._place)
        self.written.restore()
