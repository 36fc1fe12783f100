"""What Torch's packages have in another form in Lua, because it asks Lua: files, tests, options, names of nodes."""

from __future__ import annotations

from ..checks.tables import as_dict, entries_from_1
from ..layers.graph_nodes import name_after_variables
from ..legacy.program.options import OptionParser
from ..legacy.program.tester import Tester
from .border import Border
from .errors import text_of
from .files import Files
from .kinds import Crossing
from .text import to_lua


class _LuaTester(Tester):
    """Torch's Tester with Lua's patterns, and places in Lua."""

    _border: Crossing
    _boolean = "x ~= nil"

    def _is_found(self, pattern: str, text: str) -> bool:
        return self._border.ask.is_found(to_lua(pattern), to_lua(text))

    def _same(self, a: Crossing, b: Crossing) -> bool:
        return self._border.ask.are_equal(*self._border.encode(a), *self._border.encode(b))

    def _traced(self, error: Exception) -> str:
        return "\n".join([text_of(error), *getattr(error, "__notes__", ())])


class _LuaOptionParser(OptionParser):
    """xlua's OptionParser, which reads the global variable `arg`: a program may have changed it."""

    _border: Crossing

    def _command_line(self) -> list[str]:
        words = as_dict(self._border.answered(self._border.ask.command_line()))
        return [str(words.get(0, "")), *map(str, entries_from_1(words))]


def replacements(border: Border, functions: bool) -> dict[tuple[str, str], Crossing]:
    """These for one Lua, by package and name; `functions` says whether functions in files may be called."""

    def annotateNodes(stackLevel: int = 1) -> None:
        """Names the nodes in the caller's local variables after these; a node that has a name keeps it."""
        name_after_variables(border.answered(border.ask.local_objects(stackLevel)))

    kinds = {("torch", "Tester"): _LuaTester, ("xlua", "OptionParser"): _LuaOptionParser}
    made = {place: type(place[1], (kind,), {"_border": border}) for place, kind in kinds.items()}
    of_files = {("torch", name): value for name, value in Files(border, functions).replaced().items()}
    return {**made, **of_files, ("nngraph", "annotateNodes"): annotateNodes}
