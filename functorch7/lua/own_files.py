"""The ways of a program's own classes to files: their methods `write` and `read`."""

from __future__ import annotations

import copy

from ..legacy.program.files import MemoryFile
from .held import LuaFunction
from .kinds import Crossing


def own_way(kind: type, name: str) -> LuaFunction | None:
    """A class's own `write` or `read` in Lua, under either of the names that Torch looks for."""
    for each in (f"__{name}", name):
        found = getattr(getattr(kind, each, None), "lua", None)
        if isinstance(found, LuaFunction):
            return found
    return None


class Copying(MemoryFile):
    """A file from which copies of the objects that were written are read."""

    def __init__(self, memo: dict):
        super().__init__()
        self.binary()
        self._memo, self._held = memo, list[Crossing]()

    def writeObject(self, object: Crossing = None) -> Copying:
        """Keeps an object, and writes where."""
        self._write_numbers("Long", len(self._held))
        self._held.append(object)
        return self

    def readObject(self) -> Crossing:
        """A copy of the next object."""
        return copy.deepcopy(self._held[int(self._numbers("Long", 1)[0])], self._memo)
