"""Recurrences that Lua defines: they keep their steps themselves, in tables of Lua's (`glue/recurrent.lua`)."""

from __future__ import annotations

from typing import Any, ClassVar

KEPT_BY_LUA = (
    "outputs", "gradInputs", "gradOutputs", "_gradOutputs", "cells", "gradCells", "sharedClones", "nSharedClone",
    "recurrentModule", "step", "updateGradInputStep", "accGradParametersStep", "zeroTensor", "gradPrevOutput",
    "userPrevOutput", "userPrevCell", "userNextGradOutput", "userNextGradCell", "userGradPrevOutput",
    "userGradPrevCell",
)  # fmt: skip


class KeepsSteps:
    """Fields of nn.AbstractRecurrent that are nothing until Lua sets them: here no call stands behind them.

    Classes below nn.LSTM and its like that only build other parts of a step are compiled, as those of Python's: where
    the first object is made of such a class, it becomes one below Python's.
    """

    keeps_steps = True
    _began = 1

    compiled: ClassVar[tuple[type, ...]] = ()
    """What a class is below that is compiled, in a class of ours in the place of one of Python's."""

    def __new__(cls, *given: object) -> Any:
        """An object, after it is known of which kind the class is."""
        ours = next(each for each in cls.__mro__ if "compiled" in vars(each))
        if ours.compiled and not _writes_steps(cls, ours):  # type: ignore[attr-defined]
            cls.__mro__[cls.__mro__.index(ours) - 1].__bases__ = ours.compiled  # type: ignore[attr-defined]
            return cls.__new__(cls, *given)
        return super().__new__(cls, *given)

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


def _writes_steps(kind: type, ours: type) -> bool:
    """Whether a class, or one below it, writes any of what ours does, and does not only build parts of a step."""
    own = {name for each in kind.__mro__[: kind.__mro__.index(ours)] for name in vars(each)}
    known = {name for each in ours.__mro__ for name, value in vars(each).items() if hasattr(value, "lua")}
    builds = {"__init", "__tostring__", *getattr(ours.compiled[-1], "factories", ())}  # type: ignore[attr-defined]
    return bool(own & (known - builds)) or any(_writes_steps(each, ours) for each in kind.__subclasses__())
