"""Answers a prompt's questions: whether code is complete, what it returns, which names there are."""

from __future__ import annotations

import sys

from .errors import LuaError
from .kinds import Crossing
from .text import from_lua, to_lua


class Prompt:
    """The part of Runtime that is for prompts."""

    lua: Crossing
    glue: Crossing
    border: Crossing
    rocks: Crossing

    def is_unfinished(self, code: str) -> bool:
        """Whether code is incomplete."""
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

    def answers(self, code: str) -> list[str]:
        """Runs the code; the values of an expression as `print` writes them. Raises LuaError for errors in it."""
        # Not `return f()`, which would leave Lua without the line on which f fails.
        expression = f"local function all(...) return ... end return all({code.lstrip().removeprefix('=')})"
        chosen = code if self._problem(expression) is not None else expression
        reference = self.compiled(chosen)
        try:
            found = self.border.answered(self.border.ask.shown_results(reference))
        finally:
            sys.stdout.flush()
        return list(found) if isinstance(found, list) else []

    def names_in(self, place: str) -> list[str]:
        """The names in a table, package or object at a place such as "nn" or "model"; those of all variables for ""."""
        found = self.border.answered(self.border.ask.names_in(to_lua(place)))
        names = set(found) if isinstance(found, list) else set()
        return sorted(each for each in names if isinstance(each, str) and not each.startswith("_"))
