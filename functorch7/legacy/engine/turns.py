"""Whose turn it is, of a network's hooks: as PyTorch's modules, one after the other, look for hooks and call them.

Hooks are called when the compiled call is over, of what it has seen. By then a hook may have been registered, or taken
away, by those that were called before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...core.tree import Path
from ...core.types import Value
from .objects import Object
from .registered import Registered, everywhere


class Placed(NamedTuple):
    """A hook of a network: the object and the path that it is at, and whether it is one of all modules.

    Where it is None, it is the place where the module begins, which is seen, too, before all that its hooks see.
    """

    module: Object
    path: Path
    hook: Registered | None
    everywhere: bool

    @property
    def replaces(self) -> bool:
        """Whether the hook has returned something for this object."""
        return self.hook is not None and self.module in self.hook.replaces

    @property
    def stands(self) -> bool:
        """Whether nobody has taken the hook away, as another hook of the same call may have."""
        return self.hook in standing(self.module)


def placed_at(module: Object, path: Path) -> list[Placed]:
    """The hooks of a module, after the place where it begins."""
    placed = [Placed(module, path, hook, True) for hook in everywhere]
    placed += [Placed(module, path, hook, False) for hook in module._hooks]
    return [Placed(module, path, None, True), *placed] if placed else []


def standing(module: Object, kind: str = "") -> list[Registered]:
    """The hooks of a module as they are, of kinds that begin so, those of all modules first."""
    return [hook for hook in (*everywhere, *module._hooks) if hook.kind.startswith(kind)]


Event = tuple[Path, int, Registered | None]
"""What a watch has seen: of the module at a path, at the so-manieth of its calls, by a hook."""


class Turns:
    """The turns of one call: what a module's hooks are is fixed when it looks for those of a kind.

    For the way back it looks when it begins; where it has none of any kind then, it looks for no others either.
    """

    def __init__(self) -> None:
        self.had: set[Event] = set()
        self._begun: dict[tuple[Path, int], list[Registered] | None] = {}  # the hooks of its way back
        self._group: tuple | None = None
        self._looked: list[Registered] = []

    def forward(self, events: dict[Event, tuple[Placed, Value]]) -> Iterator[tuple[Placed, Value]]:
        """The hooks whose turn it is, and what they see. What comes before one that has had its turn is over."""
        last = max((i for i, event in enumerate(events) if event in self.had), default=-1)
        for i, (event, (placed, values)) in enumerate(events.items()):
            path, count, hook = event
            if hook is None and event not in self.had:
                begins = i > last and bool(standing(placed.module))
                self._begun.setdefault((path, count), standing(placed.module, "backward") if begins else None)
            if i > last:
                self.had.add(event)
                if hook is not None and hook in self._found(placed, path, count, hook.kind):
                    yield placed, values

    def _found(self, placed: Placed, path: Path, count: int, kind: str) -> list[Registered]:
        """The hooks that a module has found when it looked for those of a kind."""
        if self._begun.get((path, count)) is None:
            return []
        if self._group != (path, count, kind):
            self._group = (path, count, kind)
            self._looked = [hook for hook in standing(placed.module) if hook.kind == kind]
        return self._looked

    def backward(self, events: dict[Event, tuple[Placed, Value]]) -> Iterator[tuple[Placed, Value]]:
        """The hooks of the way back whose turn it is, and what they see."""
        for event, (placed, values) in events.items():
            if event not in self.had:
                self.had.add(event)
                if self._is_found(placed):
                    yield placed, values

    def _is_found(self, placed: Placed) -> bool:
        if not self._begun:  # forward was run by another call
            return placed.stands
        return any(placed.hook in (hooks or ()) for (path, _), hooks in self._begun.items() if path == placed.path)
