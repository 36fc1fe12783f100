"""From which checkpoint a run goes on: the newest that is whole."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

import numpy as np
from jax.experimental.multihost_utils import broadcast_one_to_all

from . import distributed
from .checkpoints import Checkpoints

NONE, REFUSED = -1, -2


def start(checkpoints: Checkpoints, on_damaged: str) -> int | None:
    """The step of the newest whole checkpoint; None if there is no checkpoint at all.

    Newer ones, which are damaged, are kept under other names; a warning says so. The first of several processes looks.
    Raises: ValueError that says what is damaged, with on_damaged="raise", or if none is whole.
    """
    choice, refusal = NONE, "Trainer.fit: see the first process, which refuses the checkpoints"
    if distributed.is_first():
        checkpoints.clear()
        steps = checkpoints.steps()
        step, damaged = newest_whole(checkpoints, reversed(steps))
        said = described(checkpoints, damaged)
        if damaged and (step is None or on_damaged == "raise"):
            choice = REFUSED
            refusal = f"Trainer.fit: {said}; " + (
                "no other is whole, and another run needs another folder"
                if step is None
                else f"on_damaged='skip' goes on from the checkpoint of step {step}, which is whole"
            )
        elif step is not None:
            choice = step
        if damaged and choice >= 0:
            kept = ", ".join(checkpoints.set_aside(damaged))
            text = f"Trainer.fit: {said}; kept as {kept}, and the run goes on from the checkpoint of step {step}"
            warnings.warn(text, stacklevel=5)
    choice = int(broadcast_one_to_all(np.int32(choice)))
    if choice == REFUSED:
        raise ValueError(refusal)
    return None if choice == NONE else choice


def newest_whole(checkpoints: Checkpoints, steps: Iterable[int]) -> tuple[int | None, dict[int, str]]:
    """The first of some steps whose checkpoint is whole, and what is wrong with those before it."""
    damaged: dict[int, str] = {}
    for step in steps:
        problem = checkpoints.problem(step)
        if problem is None:
            return step, damaged
        damaged[step] = problem
    return None, damaged


def described(checkpoints: Checkpoints, damaged: dict[int, str]) -> str:
    """A clause about damaged checkpoints."""
    each = [f"the checkpoint of step {step} is damaged ({problem})" for step, problem in damaged.items()]
    return f"in {checkpoints.folder} {', '.join(each)}"
