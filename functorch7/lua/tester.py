"""Torch's Tester for Lua programs: with Lua's patterns, and places in Lua."""

from __future__ import annotations

from ..legacy.program.tester import Tester
from .border import Border
from .errors import text_of
from .kinds import Crossing
from .text import to_lua


def tester_of(border: Border) -> type[Tester]:
    """The class for one Lua."""
    return type("Tester", (_LuaTester,), {"_border": border})


class _LuaTester(Tester):
    _border: Crossing
    _boolean = "x ~= nil"

    def _is_found(self, pattern: str, text: str) -> bool:
        return self._border.ask.is_found(to_lua(pattern), to_lua(text))

    def _same(self, a: Crossing, b: Crossing) -> bool:
        return self._border.ask.are_equal(*self._border.encode(a), *self._border.encode(b))

    def _traced(self, error: Exception) -> str:
        return "\n".join([text_of(error), *getattr(error, "__notes__", ())])
