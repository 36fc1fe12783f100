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
    """Fields of nn.AbstractRecurrent that are None until Lua sets them, as no call of ours fills them.

    Classes below nn.LSTM and the like that only build other parts of a step are compiled, as Python's are: when the
    first object of such a class is made, the class is put below Python's.
    """

    keeps_steps = True
    _began = 1

    compiled: ClassVar[tuple[type, ...]] = ()
    """The bases for compiled classes, in a class of ours that replaces one of Python's."""

    def __new__(cls, *given: object) -> Any:
        """Makes an object, after deciding whether the class is compiled."""
        ours = next(each for each in cls.__mro__ if "compiled" in vars(each))
        if ours.compiled and not _writes_steps(cls, ours):  # type: ignore[attr-defined]
            cls.__mro__[cls.__mro__.index(ours) - 1].__bases__ = ours.compiled  # type: ignore[attr-defined]
            return cls.__new__(cls, *given)
        return super().__new__(cls, *given)

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
        """Shows the output of the step whose backward is next, as Torch's Recursor does before each."""
        module: Any = self
        module.setOutputStep((module.updateGradInputStep or module.step) - 1)


for _name in KEPT_BY_LUA:
    setattr(KeepsSteps, _name, None)


def _writes_steps(kind: type, ours: type) -> bool:
    """Whether a class, or one below it, replaces any method of ours except those that build parts of a step."""
    own = {name for each in kind.__mro__[: kind.__mro__.index(ours)] for name in vars(each)}
    known = {name for each in ours.__mro__ for name, value in vars(each).items() if hasattr(value, "lua")}
    builds = {"__init", "__tostring__", *getattr(ours.compiled[-1], "factories", ())}  # type: ignore[attr-defined]
    return bool(own & (known - builds)) or any(_writes_steps(each, ours) for each in kind.__subclasses__())
