"""Networks that train in a loop: forward waits for the criterion, which runs both and backward at once.

Torch's step is five calls, of which four start a program. Where a network is small, starting one takes longer than
running it; where it is large, what one program leaves in memory for the next is written and read, and laid out anew.
So after many steps forward keeps what it was given, and says of which shape the output will be. The criterion that is
given this output runs one program: output, loss, its gradient, and what backward will make of that. If backward is
given this very gradient, all is there. Whoever looks at the output earlier, or gives backward something else, gets what
the usual programs give.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import numpy as np

from ... import programs
from ...core.types import Array, Scalar, Value
from ..tensors.noted import settled
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor
from ..tensors.values import Input, as_gradient
from . import compiled
from .ahead import Expected
from .at_input import is_large
from .calls import Call, Newest, count
from .compiled import Program, Target
from .noting import report
from .plan import Plan
from .registered import Titled


def forward_call(plan: Plan, given: Input, keep: bool) -> Call:
    """The forward call of a plan: one that waits, where the shape of the output is known."""
    ahead = plan.ahead
    if ahead is None or not keep or not isinstance(given, (Tensor, np.ndarray)):
        return Call(plan, given, keep)
    kind = type(given), given.shape, given.dtype, given.storage_.place if isinstance(given, Tensor) else None
    if not ahead.waits(kind) or (plan.state_slots and not plan.begins_anew()):
        return Call(plan, given, keep)
    if kind in ahead.outputs:
        return WaitingCall(plan, given, ahead.outputs[kind])
    call = Call(plan, given, keep)
    if isinstance(call.result, Tensor) and call.run_length is None:
        result, is_seldom_seen = call.result, plan.at_input is not None and is_large(call.arguments[2])
        ahead.outputs[kind] = Expected(result.shape, result.dtype, result.storage_.place, is_seldom_seen)
    return call


def waiting_for(output: Input) -> WaitingCall | None:
    """The call that has given this output and was not run, if there is one."""
    if type(output) is not Tensor or type(call := output.storage_._make) is not WaitingCall:
        return None
    return call if output is call.result and output.shape == output.storage_.shape else None


class Foreseen(NamedTuple):
    """What backward gives if it is given this gradient, and the storages of the parameters' gradients hold zeros."""

    gradient: Array
    grad_input: Value
    state: Value
    storages: list


class WaitingCall(Call):
    """A forward call that is run when somebody asks for something that it finds out."""

    __slots__ = ("_foreseen", "_is_seldom_seen", "_waits")

    def __init__(self, plan: Plan, given: Input, expected: Expected):
        self._waits = True
        self._is_seldom_seen = expected.is_seldom_seen
        self._foreseen: Foreseen | None = None
        if plan.state_slots:
            plan.begin()
        self._begin(plan, given)
        self.number = Newest.number = next(count)
        self.result = Tensor.viewing(Storage.pending(self, *expected[:3]), 0, expected.shape)
        plan.last_call = weakref.ref(self)

    def __call__(self) -> Value:
        """The output, for whoever looks at it."""
        return self.output

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not self._waits:
            raise AttributeError(name)
        self._waits = False
        self.plan.ahead.missed()  # type: ignore[union-attr]
        try:
            self._run_as_it_turns_out(keep=True)
        except BaseException:
            self._waits = True  # whoever asks again may get it, or is told the same
            raise
        return getattr(self, name)

    def with_loss(
        self, loss: Callable, numbers: list, others: tuple, precision: np.dtype | None
    ) -> tuple[Array, Array] | None:
        """The loss of the output, and its gradient there; None where they are to be computed apart.

        `loss` gives both for (numbers, None, output, *others).
        """
        plan, ahead = self.plan, self.plan.ahead
        if ahead is None or plan.is_stale or plan.precision != precision:
            return None
        is_left_out = self._is_seldom_seen and plan.at_input.is_left_out()  # type: ignore[union-attr]
        if ahead.last is None or ahead.last[0] is not loss or ahead.last[1] is not is_left_out:
            run = together(plan.program, plan.gradients.accumulated, loss, not is_left_out)
            ahead.last = loss, is_left_out, run
        found = plan.call(ahead.last[2], (self.arguments, numbers, others), (self.arguments[2], others))
        (output, side), error, value, gradient, *pulled = found
        if error is not None:
            report(error)
        self._waits, self.run_length, self.residuals = False, None, None
        self.output, self.side = output, side
        self._nothing_asked()
        self.result.storage_.array = output
        self._foreseen = Foreseen(gradient, *pulled)
        ahead.computed()
        return value, gradient

    def backward(
        self, module: Titled, grad_output: Input | None, scale: Scalar, state: list | None = None, step: int = 0
    ) -> None:
        foreseen, self._foreseen = self._foreseen, None
        if foreseen is None or not self._comes_as_foreseen(foreseen, grad_output, scale):
            return super().backward(module, grad_output, scale, state, step)
        self.given_gradient = grad_output
        plan = self.plan
        self.cotangents = (foreseen.gradient, self.side, [], None)
        self.grad_input, self.state_gradient = foreseen.grad_input, foreseen.state
        if self._is_seldom_seen:
            is_there = foreseen.grad_input is not None
            find = (lambda: foreseen.grad_input) if is_there else partial(self._pulled_to_input, self.cotangents)
            self.grad_input = plan.at_input.shown(self.arguments[2], plan.dtype, find)  # type: ignore[union-attr]
        plan.gradients.keep(foreseen.storages)
        plan.ahead.met()  # type: ignore[union-attr]

    def _comes_as_foreseen(self, foreseen: Foreseen, grad_output: Input | None, scale: Scalar) -> bool:
        plan = self.plan
        if plan.is_stale or type(grad_output) is not Tensor or type(scale) not in (int, float) or scale != 1:
            return False
        if plan.state_slots and plan.last_gradients(self.side.state) is not None:
            return False
        is_same = settled(as_gradient(grad_output, self.output, plan.read)) is settled(foreseen.gradient)
        return is_same and all([storage.is_zero for storage in plan.gradients.storages])


@programs.kept
def together(program: Program, target: Target, loss: Callable, at_input: bool) -> Callable:
    """(a call's arguments, numbers, others) -> (output, side), what a check has found, the loss, its gradient, and what
    backward makes of it.

    This is gradInput (None where it is not asked for), the state's gradient, and the storages of the parameters'
    gradients if these held zeros before.
    """
    forward, backward = compiled.differentiation(program), compiled.backward(program, target, None, at_input)

    def run(arguments: tuple, numbers: list, others: tuple) -> tuple:
        (output, side), (_, error), residuals = forward(*arguments)
        value, gradient = loss(numbers, None, output, *others)
        zeros: list = [None] * len(target.shapes or ())
        given = residuals, residuals.needed(arguments), gradient, side, [], None
        pulled = backward(*given, zeros, zeros, None, None)
        return (output, side), error, value, gradient, *pulled

    return programs.Compiled(jax.jit(run))
