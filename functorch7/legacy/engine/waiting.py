"""Small networks that train in a loop: forward waits for the criterion, which runs both and backward at once.

Torch's step is five calls, of which four start a program; where a network is small, starting one takes longer than
running it. So after many steps forward keeps what it was given, and says of which shape the output will be. The
criterion that is given this output runs one program: output, loss, its gradient, and what backward will make of that.
If backward is given this very gradient, all is there. Whoever looks at the output earlier, or gives backward something
else, gets what the usual programs give.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np

from ... import programs
from ...core.types import Array, Scalar, Value
from ..tensors.devices import Place
from ..tensors.noted import settled
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor
from ..tensors.values import Input, as_gradient
from . import compiled
from .at_input import is_large
from .calls import Call, Newest, count
from .compiled import Program, Target
from .plan import Plan
from .registered import Titled

MOST_KINDS = 64
"""Inputs of so many shapes and types are known at most."""


def forward_call(plan: Plan, given: Input, keep: bool) -> Call:
    """The forward call of a plan: one that waits, where the shape of the output is known."""
    ahead = plan.ahead
    if ahead is None or not keep or not isinstance(given, (Tensor, np.ndarray)) or not ahead.waits():
        return Call(plan, given, keep)
    kind = type(given), given.shape, given.dtype, given.storage_.place if isinstance(given, Tensor) else None
    if kind in ahead.outputs:
        return WaitingCall(plan, given, *ahead.outputs[kind])
    call = Call(plan, given, keep)
    if isinstance(call.result, Tensor) and not is_large(call.arguments[2]):
        if len(ahead.outputs) == MOST_KINDS:
            ahead.outputs.clear()
        ahead.outputs[kind] = call.result.shape, call.result.dtype, call.result.storage_.place
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
    storages: list


class WaitingCall(Call):
    """A forward call that is run when somebody asks for something that it finds out."""

    __slots__ = ("_foreseen", "_waits")

    def __init__(self, plan: Plan, given: Input, shape: tuple[int, ...], dtype: np.dtype, place: Place | None):
        self._waits = True
        self._foreseen: Foreseen | None = None
        self._begin(plan, given)
        self.number = Newest.number = next(count)
        self.result = Tensor.viewing(Storage.pending(self, shape, dtype, place), 0, shape)
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
        if ahead.last is None or ahead.last[0] is not loss:
            ahead.last = loss, together(plan.program, plan.gradients.accumulated, loss)
        run = ahead.last[1]
        given = self.arguments, numbers, others
        (output, side), value, gradient, grad_input, storages = plan.call(run, given, (self.arguments[2], others))
        self._waits, self.run_length, self.residuals = False, None, None
        self.output, self.side = output, side
        self._nothing_asked()
        self.result.storage_.array = output
        self._foreseen = Foreseen(gradient, grad_input, storages)
        ahead.computed()
        return value, gradient

    def backward(
        self, module: Titled, grad_output: Input | None, scale: Scalar, state: list | None = None, step: int = 0
    ) -> None:
        foreseen, self._foreseen = self._foreseen, None
        if foreseen is None or not self._comes_as_foreseen(foreseen, grad_output, scale):
            return super().backward(module, grad_output, scale, state, step)
        self.given_gradient = grad_output
        self.cotangents = (foreseen.gradient, self.side, [], None)
        self.grad_input, self.state_gradient = foreseen.grad_input, []
        self.plan.gradients.keep(foreseen.storages)
        self.plan.ahead.met()  # type: ignore[union-attr]

    def _comes_as_foreseen(self, foreseen: Foreseen, grad_output: Input | None, scale: Scalar) -> bool:
        plan = self.plan
        if plan.is_stale or type(grad_output) is not Tensor or type(scale) not in (int, float) or scale != 1:
            return False
        is_same = settled(as_gradient(grad_output, self.output, plan.read)) is settled(foreseen.gradient)
        return is_same and all([storage.is_zero for storage in plan.gradients.storages])


@programs.kept
def together(program: Program, target: Target, loss: Callable) -> Callable:
    """(a call's arguments, numbers, others) -> (output, side), the loss, its gradient, and what backward makes of it.

    This is gradInput, and the storages of the parameters' gradients if these held zeros before.
    """
    forward, backward = compiled.differentiation(program), compiled.backward(program, target, None)

    def run(arguments: tuple, numbers: list, others: tuple) -> tuple:
        (output, side), _, residuals = forward(*arguments)
        value, gradient = loss(numbers, None, output, *others)
        zeros: list = [None] * len(target.shapes or ())
        given = residuals, residuals.needed(arguments), gradient, side, [], None
        grad_input, _, storages = backward(*given, zeros, zeros, None, None)
        return (output, side), value, gradient, grad_input, storages

    return programs.Compiled(jax.jit(run))
