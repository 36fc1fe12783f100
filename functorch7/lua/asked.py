"""Lua's functions that Python calls, as `glue/border.lua` has them in `asked`."""

from __future__ import annotations

from collections.abc import Callable

from .kinds import Crossing


class Asked:
    """These functions by their names.

    While a coroutine runs, lupa also returns what is left on Lua's first stack, before the function's results. Lua then
    returns a coroutine as a mark, since no function returns one: the results are what follows the last mark.
    """

    def __init__(self, find: Callable[[str], Crossing], mark: type):
        self._find, self._mark = find, mark

    def __getattr__(self, name: str) -> Callable:
        found = self._find(name)
        found = self.__dict__[name] = self._called(found[-1] if type(found) is tuple else found)
        return found

    def _called(self, function: Callable) -> Callable:
        mark, unmarked = self._mark, self._unmarked

        def call(*given: object) -> Crossing:
            answer = function(*given)
            kind = type(answer)
            return unmarked(answer) if kind is tuple or kind is mark else answer

        return call

    def _unmarked(self, answer: Crossing) -> Crossing:
        if type(answer) is not tuple:
            return None
        kinds = list(map(type, answer))
        if self._mark not in kinds:
            return answer
        own = answer[len(kinds) - kinds[::-1].index(self._mark) :]
        return own if len(own) > 1 else own[0] if own else None
