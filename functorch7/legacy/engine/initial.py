"""The gradient at the zeros that a call began from, as nobody had given it a state."""

from __future__ import annotations

from copy import copy

from . import compiled
from .calls import Call, Repeated
from .plan import with_zeros


def gradient_at_start(call: Call) -> list:
    """The gradient at the initial state, of a call that has been pulled back, for each of the plan's states.

    A program that begins without state knows of no gradient there, so the call is repeated from zeros. None where no
    state does not mean zeros (a start module, masks), and where users' modules are called, which are not to run twice.
    """
    plan, given = call.plan, call.state_gradient or [None] * len(call.plan.state_slots)
    at_zeros = [slot.starts_at_zero and was is None for slot, was in zip(plan.state_slots, given, strict=True)]
    if plan.placed or not any(at_zeros):
        return given
    zeros = with_zeros([None] * len(at_zeros), call.side.state)
    begun = copy(call)
    before = [z if is_zero else was for z, is_zero, was in zip(zeros, at_zeros, call.arguments[3], strict=True)]
    begun.arguments = (*call.arguments[:3], before, call.arguments[4])
    last = plan.last_call
    again = Repeated(plan, call.given, begun)
    plan.last_call = last
    grad_output, _, rewards, after = call.cotangents
    return again._pulled(compiled.pull_back_to_input, (grad_output, again.side, rewards, after))[1]
