"""Recurrences that Lua defines: they keep their steps themselves, in tables of Lua's (`glue/recurrent.lua`)."""

from __future__ import annotations

from typing import Any, ClassVar

KEPT_BY_LUA = (
    "outputs", "gradInputs", "gradOutputs", "_gradOutputs", "cells", "gradCells", "sharedClones", "nSharedClone",
    "recurrentModule", "step", "updateGradInputStep", "accGradParametersStep", "zeroTensor", "gradPrevOutput",
    "userPrevOutput", "userPrevCell", "userNextGradOutput", "userNextGradCell", "userGradPrevOutput",
    "userGradPrevCell",
)  # fmt: skip


KEEPER = "_keeper"
"""The attribute of a class that is compiled with the one that it is below if it keeps its steps."""


class KeepsSteps:
    """Fields of nn.AbstractRecurrent that are nothing until Lua sets them: here no call stands behind them."""

    keeps_steps = True
    _began = 1

    compiled: ClassVar[tuple[type, ...]] = ()
    """What a class of Lua's is below as long as it writes nothing of what this class, in Lua, does for a step."""

    def begin_sequence(self, goes_on: bool) -> None:
        """Lets it keep as many steps as the last sequence had, as Torch's Sequencer does, and forget them."""
        module: Any = self
        made = module.step - self._began
        if vars(self).get("train") is not False and made > 0:  # nil counts as training, in Torch
            module.maxBPTTstep(made)
        if not goes_on:
            module.forget()
        self._began = module.step

    def show_step_due(self) -> None:
        """Shows the output of the step whose way back is due, as Torch's Recursor has it before each."""
        module: Any = self
        module.setOutputStep((module.updateGradInputStep or module.step) - 1)


for _name in KEPT_BY_LUA:
    setattr(KeepsSteps, _name, None)


def keep_steps(kind: type, key: str) -> bool:
    """Whether a class of Lua's begins to keep its steps when a program writes a method into it.

    Classes below nn.LSTM and its like are compiled, as those of Python's, if they only build other parts of a step.
    """
    first = next((each for each in reversed(kind.__mro__) if KEEPER in vars(each)), None)
    if first is None or kind.keeps_steps:  # type: ignore[attr-defined]
        return False
    keeper = vars(first)[KEEPER]
    done = {name for each in keeper.__mro__ for name, value in vars(each).items() if hasattr(value, "lua")}
    if key not in done - {"__init", "__tostring__", *getattr(keeper.compiled[-1], "factories", ())}:
        return False
    first.__bases__ = (keeper,)
    return True
