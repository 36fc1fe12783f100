"""Recurrences that Lua defines: they keep their steps themselves, in tables of Lua's (`glue/recurrent.lua`)."""

from __future__ import annotations

from typing import Any

KEPT_BY_LUA = (
    "outputs", "gradInputs", "gradOutputs", "_gradOutputs", "cells", "gradCells", "sharedClones", "nSharedClone",
    "recurrentModule", "step", "updateGradInputStep", "accGradParametersStep", "zeroTensor", "gradPrevOutput",
    "userPrevOutput", "userPrevCell", "userNextGradOutput", "userNextGradCell", "userGradPrevOutput",
    "userGradPrevCell",
)  # fmt: skip


class KeepsSteps:
    """Fields of nn.AbstractRecurrent that are nothing until Lua sets them: here no call stands behind them."""

    keeps_steps = True
    _began = 1

    def begin_sequence(self, goes_on: bool) -> None:
        """Lets it keep as many steps as the last sequence had, as Torch's Sequencer does, and forget them."""
        module: Any = self
        made = module.step - self._began
        if vars(self).get("train") is not False and made > 0:  # nil counts as training, in Torch
            module.maxBPTTstep(made)
        if not goes_on:
            module.forget()
        self._began = module.step


for _name in KEPT_BY_LUA:
    setattr(KeepsSteps, _name, None)
