"""A network's forward, a criterion's loss, and backward as one program."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import jax

from ... import programs
from . import compiled
from .compiled import Program, Target
from .packed import Packing, packing
from .running import Running


class Wanted(NamedTuple):
    """Which results a program gives: those at which nobody looks may be left out."""

    output: bool
    at_input: bool


ALL = Wanted(output=True, at_input=True)


class Joint:
    """The program of a plan's calls with inputs of one kind, and of one criterion's loss."""

    __slots__ = ("_is_decided", "_possible", "_run", "loss", "packing", "wanted")

    def __init__(self, plan: Running, loss: Callable, wanted: Wanted):
        self.loss, self.wanted = loss, wanted
        self._run = together(plan.program, plan.gradients.accumulated, loss, wanted)
        self._possible: Packing | None = None  # how all can come as one array
        self._is_decided = False  # whether that is known, for which parameters have to be updated by one rate
        self.packing: Packing | None = None  # how it came in the last call, if so

    def __call__(self, plan: Running, arguments: tuple, numbers: list, others: tuple) -> tuple:
        """What `together` gives."""
        given, self.packing = (arguments, numbers, others), None
        if plan.is_steady and self.wanted.output:
            if not self._is_decided:
                self._possible, self._is_decided = packing(plan, self._run, given), True
            if self._possible is not None and self._possible.credit.is_left:
                self.packing = self._possible
                return self.packing(*given, plan.rate)
        return plan.call(self._run, given, (arguments[2], others))


@programs.kept
def together(program: Program, target: Target, loss: Callable, wanted: Wanted) -> Callable:
    """(a call's arguments, numbers, others) -> (output, side), what a check has found, the loss, its gradient, and what
    backward makes of it.

    This is gradInput, the state's gradient, and the storages of the parameters' gradients if these held zeros before.
    Output and gradInput are None where they are not wanted.
    """
    forward, backward = compiled.differentiation(program), compiled.backward(program, target, None, wanted.at_input)

    def run(arguments: tuple, numbers: list, others: tuple) -> tuple:
        (output, side), (_, error), residuals = forward(*arguments)
        value, gradient = loss(numbers, None, output, *others)
        zeros: list = [None] * len(target.shapes or ())
        given = residuals, residuals.needed(arguments), gradient, side, [], None
        pulled = backward(*given, zeros, zeros, None, None)
        return (output if wanted.output else None, side), error, value, gradient, *pulled

    return programs.Compiled(jax.jit(run))
