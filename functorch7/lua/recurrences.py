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
"""The attribute of a compiled class that names the class it is put below when it keeps its steps."""


class KeepsSteps:
    """Fields of nn.AbstractRecurrent that are None until Lua sets them, as no call of ours fills them."""

    keeps_steps = True
    _began = 1

    compiled: ClassVar[tuple[type, ...]] = ()
    """The bases of a Lua class, as long as it replaces nothing that this class does in Lua for a step."""

    def begin_sequence(self, goes_on: bool) -> None:
        """Keeps as many steps as the last sequence had, as Torch's Sequencer does, and forgets them."""
        module: Any = self
        made = module.step - self._began
        if vars(self).get("train") is not False and made > 0:  # nil counts as training, in Torch
            module.maxBPTTstep(made)
        if not goes_on:
            module.forget()
        self._began = module.step

    def show_step_due(self) -> None:
        """Shows the output of the step whose backward is next, as Torch's Recursor does, if the class keeps steps."""
        module: Any = self
        module._showStep((module.updateGradInputStep or module.step) - 1)


for _name in KEPT_BY_LUA:
    setattr(KeepsSteps, _name, None)


def keep_steps(kind: type, key: str) -> bool:
    """Whether a Lua class begins to keep its steps when a program writes a method into it.

    Classes below nn.LSTM and the like that only build other parts of a step are compiled, as Python's are.
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
