"""xlua's OptionParser for Lua programs: it reads the global variable `arg`, which they may have changed."""

from __future__ import annotations

from ..legacy.program.options import OptionParser
from .border import Border
from .kinds import Crossing, as_dict


def option_parser_of(border: Border) -> type[OptionParser]:
    """The class for one Lua."""
    return type("OptionParser", (_LuaOptionParser,), {"_border": border})


class _LuaOptionParser(OptionParser):
    _border: Crossing

    def _command_line(self) -> list[str]:
        words = as_dict(self._border.answered(self._border.ask.command_line()))
        count = next(i for i in range(1, len(words) + 2) if i not in words)
        return [str(words.get(0, "")), *(str(words[i]) for i in range(1, count))]
