"""The part of a call that may be run as one of a longer sequence (`lengths.py`)."""

from __future__ import annotations

from typing import Any

from ...core.types import Value
from . import watched
from .compiled import Side
from .lengths import cut, longer
from .running import Running


class RunLonger:
    """The part of a call that may be run as one of a longer sequence."""

    __slots__ = ()
    plan: Running
    arguments: tuple
    side: Side
    run_length: int | None  # as how many steps the sequence is run; None: as it is
    residuals: Any
    _ends: list | None

    def _arguments_as_run(self) -> tuple:
        if self.run_length is None:
            return self.arguments
        parameters, buffers, input, state, draw = self.arguments
        return parameters, buffers, longer(input, self.run_length), state, draw

    def _keep_residuals(self) -> None:
        """Runs the network once more where the call has kept nothing for backward."""
        if self.residuals is None:
            with watched.repeating():
                *_, self.residuals = self.plan.run(self.plan.differentiate, *self._arguments_as_run())

    def _of_its_steps(self, results: Value) -> Value:
        """What there is of the call's own steps."""
        return results if self.run_length is None else cut(results, len(self.arguments[2]))

    def state_after(self) -> list:
        """The recurrent state after the last step."""
        if self.run_length is None:
            return self.side.state
        if self._ends is None:
            (_, side), _ = self.plan.run(self.plan.evaluate, *self.arguments)
            self._ends = side.state
        return self._ends or []
