"""Networks that train in a loop: forward waits for the criterion, which runs both and backward at once.

Torch's step is five calls, of which four start a program. Where a network is small, starting one takes longer than
running it; where it is large, what one program leaves in memory for the next is written and read, and laid out anew.
So after many steps forward keeps what it was given, and says of which shape the output will be. The criterion that is
given this output runs one program: output, loss, its gradient, and what backward will make of that. If backward is
given this very gradient, all is there. Whoever looks at the output earlier, or gives backward something else, gets what
the usual programs give. A large output at which nobody looks is left out of the program, and computed for who does.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...core.types import Array, Scalar, Value
from ..tensors.foreseen import foresee
from ..tensors.noted import settled
from ..tensors.storage import Storage
from ..tensors.storages import are_zero
from ..tensors.tensor import Tensor
from ..tensors.values import Input
from .ahead import Ahead, Expected
from .at_input import is_large
from .calls import Call, Newest, count
from .compiled import Residuals
from .joint import ALL, Joint, Wanted
from .looks import Looks
from .noting import report
from .plan import Plan
from .present import parameters_now
from .registered import Titled


def forward_call(plan: Plan, given: Input, keep: bool) -> Call:
    """The forward call of a plan: one that waits, where the shape of the output is known."""
    ahead = plan.ahead
    if ahead is None or not keep or not isinstance(given, (Tensor, np.ndarray)):
        return Call(plan, given, keep)
    kind = type(given), given.shape, given.dtype, given.storage_.place if isinstance(given, Tensor) else None
    waiting = ahead.waiting(kind)
    if waiting is None or (plan.state_slots and not plan.begins_anew()):
        return Call(plan, given, keep)
    if waiting.expected is not None:
        return WaitingCall(plan, given, waiting.expected)
    call = Call(plan, given, keep)
    if isinstance(call.result, Tensor) and call.run_length is None:
        result, is_seldom_seen = call.result, plan.at_input is not None and is_large(call.arguments[2])
        known = result.shape, result.dtype, result.storage_.place
        waiting.expected = Expected(*known, is_seldom_seen, ahead.may_leave_out(result))
    return call


def waiting_for(output: Input) -> WaitingCall | None:
    """The call that has given this output and was not run, if there is one."""
    if type(output) is not Tensor or type(call := output.storage_._make) is not WaitingCall:
        return None
    return call if output is call.result and output.shape == output.storage_.shape else None


class Foreseen(NamedTuple):
    """What backward gives if it is given this gradient, and the storages of the parameters' gradients hold zeros."""

    are_apart: bool  # whether the storages' arrays are nobody else's, so that they may be written over
    gradient: Array
    grad_input: Value
    state: Value
    storages: list


class JointCall(Call):
    """A forward call that was run: together with a loss, when it has foreseen what backward gives, or alone."""

    __slots__ = ("_expected", "_foreseen")
    _expected: Expected
    _foreseen: Foreseen | None

    def __call__(self) -> Value:
        """The output, for whoever looks at it."""
        return self.output

    def _hand_out(self, output: Array | None, looks: Looks) -> None:
        """Lets the result have the output; of one that may be left out, that somebody reads it is noted."""
        if output is not None:
            self.output = output
        if not self._expected.is_seldom_read:
            self.result.storage_.array = output
            return
        looks.given()
        find = partial(_computed_again, self.plan, self.arguments) if output is None else lambda: (output, None)

        def read() -> Array:
            looks.looked()
            return find()[0]

        self.result.storage_.make_later(read)

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
        if self._expected.is_seldom_seen:
            is_there = foreseen.grad_input is not None
            find = (lambda: foreseen.grad_input) if is_there else partial(self._pulled_to_input, self.cotangents)
            self.grad_input = plan.at_input.shown(self.arguments[2], plan.dtype, find)  # type: ignore[union-attr]
        (plan.gradients.keep if foreseen.are_apart else plan.gradients.store)(foreseen.storages)
        plan.ahead.met()  # type: ignore[union-attr]

    def _comes_as_foreseen(self, foreseen: Foreseen, grad_output: Input | None, scale: Scalar) -> bool:
        plan = self.plan
        if plan.is_stale or type(grad_output) is not Tensor or type(scale) not in (int, float) or scale != 1:
            return False
        if plan.state_slots and plan.last_gradients(self.side.state) is not None:
            return False
        given = grad_output.noted
        if given is not foreseen.gradient and settled(given) is not settled(foreseen.gradient):
            return False
        if parameters_now(plan, self.versions):
            return False
        return are_zero(plan.gradients.storages)


class CallWithoutOutput(JointCall):
    """One whose output was left out, and is computed for who asks."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name != "output":
            raise AttributeError(name)
        self.plan.ahead.at_output.looked()  # type: ignore[union-attr]
        self.output, self.residuals = _computed_again(self.plan, self.arguments)
        return self.output


class WaitingCall(JointCall):
    """A forward call that is run when somebody asks for something that it finds out."""

    __slots__ = ()

    def __init__(self, plan: Plan, given: Input, expected: Expected):
        self._expected, self._foreseen = expected, None
        if plan.state_slots:
            plan.begin()
        self._begin(plan, given)
        self.number = Newest.number = next(count)
        self.result = Tensor.viewing(
            Storage.pending(self, expected.shape, expected.dtype, expected.place), 0, expected.shape
        )
        plan.last_call = weakref.ref(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self.__class__ = JointCall  # type: ignore[assignment]
        self.plan.ahead.missed()  # type: ignore[union-attr]
        try:
            self._run_as_it_turns_out(keep=True)
        except BaseException:
            self.__class__ = WaitingCall  # type: ignore[assignment]  # who asks again may get it, or is told the same
            raise
        return getattr(self, name)

    def with_loss(
        self, loss: Callable, numbers: list, others: tuple, precision: np.dtype | None
    ) -> tuple[Array, Array] | None:
        """The loss of the output, and its gradient there; None where they are to be computed apart.

        `loss` gives both for (numbers, None, output, *others).
        """
        plan, ahead, expected = self.plan, self.plan.ahead, self._expected
        if ahead is None or plan.is_stale or plan.precision != precision:
            return None
        wanted, joint = self._wanted(ahead), expected.joint
        if joint is None or joint.loss is not loss or joint.wanted != wanted:
            joint = expected.joint = Joint(plan, loss, wanted)
            if len(plan.all_parameters.storages) == 1:
                foresee(plan, plan.all_parameters.storages[0])
        (output, side), error, value, gradient, *pulled = joint(plan, self.arguments, numbers, others)
        plan.packing = joint.packing
        if error is not None:
            report(error)
        self.__class__ = JointCall if wanted.output else CallWithoutOutput  # type: ignore[assignment]
        self.run_length, self.residuals, self.side = None, None, side
        self._nothing_asked()
        self._hand_out(output, ahead.at_output)
        self._foreseen = Foreseen(joint.packing is None, gradient, *pulled)
        ahead.computed()
        return value, gradient

    def _wanted(self, ahead: Ahead) -> Wanted:
        """What the program is to give, by what was looked at so far."""
        expected, at_input = self._expected, self.plan.at_input
        if not (expected.is_seldom_seen or expected.is_seldom_read):
            return ALL
        is_seldom_seen = expected.is_seldom_seen and at_input.is_left_out()  # type: ignore[union-attr]
        return Wanted(not (expected.is_seldom_read and ahead.at_output.is_left_out()), not is_seldom_seen)


def _computed_again(plan: Plan, arguments: tuple) -> tuple[Array, Residuals]:
    """The output for a call's arguments, which was left out, and what backward needs."""
    (output, _), _, residuals = plan.run(plan.differentiate, *arguments)
    return output, residuals
