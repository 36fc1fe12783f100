"""Answers Lua's questions about classes below recurrences: what replaces Python's, and builds parts of a step."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .. import recurrent
from ..legacy.modules.recurrent import GRU, LSTM, AbstractRecurrent, FastLSTM, built_part
from ..legacy.objects.generated import class_of, object_of
from .border import Border
from .classes import Classes
from .errors import name_of_class
from .kinds import Crossing
from .own import below

ABOVE: dict[type, type | None] = {
    AbstractRecurrent: None, LSTM: AbstractRecurrent, FastLSTM: LSTM, GRU: AbstractRecurrent,
    class_of(recurrent.Recurrent): AbstractRecurrent, class_of(recurrent.Recurrence): AbstractRecurrent,
}  # fmt: skip
"""Classes below which Lua's keep their steps, each with the one above it in Torch."""


class Steps:
    """Classes that replace Python's and keep their steps in Lua."""

    def __init__(self, border: Border, classes: Classes):
        self.border, self.registry, self.classes = border, border.registry, classes
        self.made: dict[type, type] = {}

    def bound(self) -> Iterator[tuple[str, Callable]]:
        """Functions for Lua, by name."""
        for name in ("class_with_steps", "part_of_step", "fast_lstm", "gru"):
            yield name, self.border.entry(getattr(self, name))

    def class_with_steps(self, number: int) -> tuple[int | None, str | None, int | None]:
        """The class that replaces a Python class as parent in Lua, if its classes keep steps; its name; its parent."""
        kind, number_of = self.registry.kinds[number], self.registry.class_number
        if kind not in ABOVE:
            return None, None, None
        higher = ABOVE[kind]
        return number_of(self._with_steps(kind)), name_of_class(kind), number_of(higher) if higher else None

    def _with_steps(self, kind: type) -> type:
        if kind not in self.made:
            higher = ABOVE[kind]
            fields = {"compiled": below(kind) if higher else ()}
            bases = below(self._with_steps(higher) if higher else kind)
            self.made[kind] = self.classes.made(name_of_class(kind), bases, fields)
        return self.made[kind]

    def part_of_step(self, _: int, cell: Crossing, name: str) -> object:
        """What a factory method of nn.LSTM builds from the results of the cell's other ones."""
        sizes = cell.inputSize, cell.outputSize, cell.rho, cell.cell2gate, cell.p, cell.mono
        return built_part(recurrent.LSTM(*sizes), cell, name)

    def fast_lstm(self, _: int, cell: Crossing) -> object:
        """A FastLSTM like the cell, for the module of its step."""
        sizes = cell.inputSize, cell.outputSize, cell.rho, cell.eps, cell.momentum, cell.affine, cell.p, cell.mono
        made = object_of(recurrent.FastLSTM(*sizes).replace(bn=bool(getattr(cell, "bn", FastLSTM.bn))))
        made.usenngraph = getattr(cell, "usenngraph", FastLSTM.usenngraph)
        return made

    def gru(self, _: int, cell: Crossing) -> object:
        """A GRU like the cell, for the module of its step."""
        return object_of(recurrent.GRU(cell.inputSize, cell.outputSize, cell.rho, cell.p, cell.mono))
