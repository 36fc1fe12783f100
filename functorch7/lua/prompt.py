"""Answers a prompt's questions: whether code is complete, what it returns, which names there are, what they mean."""

from __future__ import annotations

import contextlib
import inspect
import re
import sys
from collections.abc import Callable
from typing import Any

from ..legacy.tensors.lua_values import OfLua
from ..legacy.tensors.named_errors import words_of
from .errors import LuaError
from .held import LuaFunction
from .kinds import Crossing
from .text import from_lua, to_lua

HELP = """\
Type a statement or an expression, whose value is shown; one that is not finished goes on in the next line.

  ? nn.Linear   what functorch7 says about a function, a class or an object
  $ ls          runs a command of the system
  who()         lists the variables
  _LAST         the last value; _RESULTS has all of them
  exit          leaves, as does Ctrl-D\
"""

METHOD_CALL = re.compile(r":\w+\s*\([^()]*\)\s*$")


class Prompt:
    """The part of Runtime that is for prompts."""

    lua: Crossing
    glue: Crossing
    border: Crossing
    rocks: Crossing
    execute: Callable[..., Crossing]

    def is_unfinished(self, code: str) -> bool:
        """Whether code is incomplete."""
        if _sign(code):
            return False
        problem = self._problem(code)
        return problem is not None and self._problem(f"return {code}") is not None and problem.endswith("'<eof>'")

    def compiled(self, code: str, name: str = "=stdin") -> int:
        """The number of a function that runs the code. Raises LuaError for invalid code."""
        found = self.lua.globals().loadstring(to_lua(code), to_lua(name))
        if type(found) is tuple:
            raise LuaError(from_lua(found[1]))
        return self.glue.refer(found)

    def _problem(self, code: str) -> str | None:
        """What is wrong with the code, or None."""
        found = self.lua.globals().loadstring(to_lua(code), "=stdin")
        return from_lua(found[1]) if type(found) is tuple else None

    def replies(self, code: str, name: str = "=stdin") -> list[str]:
        """The answers to code, the help on `? name`, or nothing for `$ command`, which is run."""
        sign, rest = _sign(code), code.lstrip()[1:].strip()
        if sign == "$":
            self.execute("os.execute(...)", args=[rest])
            return []
        if sign != "?":
            return self.answers(code, name)
        try:
            return [self.help_on(rest) if rest else HELP]
        except LookupError as error:
            return [f"No help: {error}."]

    def answers(self, code: str, name: str = "=stdin") -> list[str]:
        """Runs the code; the values of an expression as `print` writes them. Raises LuaError for errors in it."""
        # Not `return f()`, which would leave Lua without the line on which f fails. A comment may end the last line.
        expression = f"local function all(...) return ... end return all({code.lstrip().removeprefix('=')}\n)"
        chosen = code if self._problem(expression) is not None else expression
        reference = self.compiled(chosen, name)
        try:
            found = self.border.answered(self.border.ask.shown_results(reference))
        finally:
            sys.stdout.flush()
        shown = list(found) if isinstance(found, list) else []
        # Nothing and nil are one to Python; methods that give nil are mostly those that give nothing in Torch.
        return [] if shown == ["nil"] and METHOD_CALL.search(code) else shown

    def names_in(self, place: str) -> list[str]:
        """The names in a table, package or object at a place such as "nn" or "model"; those of all variables for ""."""
        found = self.border.answered(self.border.ask.names_in(to_lua(place)))
        names = set(found) if isinstance(found, list) else set()
        return sorted(each for each in names if isinstance(each, str) and not each.startswith("_"))

    def help_on(self, place: str) -> str:
        """The arguments and the description of what is at a place such as "nn.Linear" or "model:forward".

        Raises LookupError if there is nothing, or nothing that functorch7 describes.
        """
        around, name = re.fullmatch(r"(?:(.*)[.:])?([^.:]*)", place.strip()).groups()  # type: ignore[union-attr]
        found = self._at(place)
        if found is None:
            raise LookupError(f"there is no {place}")
        if isinstance(found, LuaFunction) and around:
            found = getattr(self._at(around), name, None)
        if not _is_described(found):
            raise LookupError(f"{place} is not functorch7's")
        is_object = not hasattr(found, "__name__")
        title = f"{place}: {type(found).__name__}" if is_object else place + _arguments(found)
        return f"{title}\n\n{inspect.getdoc(type(found) if is_object else found) or 'It has no description.'}"

    def _at(self, place: str) -> Any:
        """What Python has at a place."""
        number, value = self.border.answered(self.border.ask.owner_at(to_lua(place)))
        return value if number is None else self.rocks.packages[number]


def _sign(code: str) -> str:
    """That of help, or of a command."""
    begin = code.lstrip()[:1]
    return begin if begin in ("?", "$") else ""


def _is_described(value: object) -> bool:
    """Whether it is of functorch7: a package, a class, a function, or an object."""
    if isinstance(value, (OfLua, list, dict)):
        return False
    return (getattr(value, "__module__", None) or getattr(value, "__name__", None) or "").startswith("functorch7.")


def _arguments(value: Any) -> str:
    """Those of a function, or of a class's constructor."""
    if not callable(value):
        return ""
    with contextlib.suppress(ValueError, TypeError):  # it has no signature
        return f"({', '.join(words_of(value))})"
    return ""
