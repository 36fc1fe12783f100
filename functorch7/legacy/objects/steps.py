"""Time step by time step: the calls of a recurrence, and their backward calls in reverse order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from ...network.zero_mask import is_zero_mask
from ...recurrent.zero_masks import with_zero_mask
from ..engine.calls import Call, Newest, Repeated
from ..tensors.changes import watchers
from ..tensors.values import Input, unwrapped, wrapped
from .described import Described


class _History:
    """The calls since the last `forget`, by step number from 1, and how far backward has come."""

    def __init__(self) -> None:
        self.count = 0
        self.calls: dict[int, Call] = {}
        self.grad_states: dict[int, Any] = {}
        self.pulled = self.accumulated = 1  # the step after the one whose turn it is
        self.done = 0  # the last step before the latest backward
        self.heard: dict[Any, tuple[Callable, list[int]]] = {}  # sequences since, by shape: (steps in one, [how many])

    def take(self, call: Call, keep: int, longest: int) -> None:
        """Notes one more step, and drops steps that are `keep` steps old and that backward has passed.

        The others are kept for a backward that goes further, at most `longest` steps.
        """
        if self.pulled <= self.count:
            self.done = self.count
        self.count += 1
        self.calls[self.count] = call
        gone = max(self.count - longest, min(self.count - keep, self.done))
        while next(iter(self.calls)) <= gone:
            del self.calls[next(iter(self.calls))]
        self.grad_states = {}
        self.pulled = self.accumulated = self.count + 1


class Steps(Described):
    """The part of Module that counts time steps: forget, hidden states, and BPTT."""

    _longest: int
    keeps_steps = False
    """Whether it keeps the results of its steps itself, and goes back through them one by one."""

    def goes_by_steps(self) -> bool:
        """Whether each call is a step of a recurrence, which it goes back through in turn."""
        return self.is_described and self._planned().is_step  # type: ignore[attr-defined]

    def remembered_call(self) -> Call | None:
        """The last call that ran this object since `forget`."""
        call = self._newest_call()  # type: ignore[attr-defined]
        return None if call is None or call.number <= self.__dict__.get("_forgotten", 0) else call

    def steps_before(self, call: Call) -> int:
        """How many steps of earlier sequences are remembered before those of this call."""
        place = call.plan.paths[id(self)]
        around = [s for s, _ in call.plan.sequencers if place[: len(call.plan.paths[id(s)])] == call.plan.paths[id(s)]]
        if not around or not around[-1].hasMemory():
            return 0
        heard = around[-1]._steps().heard.values()
        return sum(steps_in(self) * times for steps_in, (times,) in heard) - call.steps_of(self)

    def sequence_over(self, call: Call) -> None:
        """Notes that this sequencer has run in a call, if it remembers."""
        heard = self._steps().heard
        if not self.hasMemory():
            heard.clear()
            return
        key = call.plan, call.input_shapes
        if key not in heard:
            heard[key] = call.lengths(), [0]
        heard[key][1][0] += 1

    def _steps(self) -> _History:
        history = self.__dict__.get("_history")
        if history is None:
            history = self.__dict__["_history"] = _History()
        return history

    def _drop_steps(self) -> None:
        self.__dict__["_history"] = None
        self.__dict__["_forgotten"] = Newest.number

    def _step_taken(self, call: Call) -> None:
        plan = call.plan
        keep, longest = (plan.rho, plan.longest) if self.in_training else (1, 1)
        self._steps().take(call, keep, longest)

    def _last_call(self, input: Any) -> Call:
        """The last call of this object; without one, a call at this input, for backward only.

        Raises RuntimeError for a network that draws or has recurrent state, as it depends on forward.
        """
        if self.__dict__.get("_call") is None:
            # Where the user's gradient, or what is left of it, is that of the class above, it is of what that computes.
            above = self.is_described and self.has_own_gradient()  # type: ignore[attr-defined]
            by_user = self.is_foreign() and not above
            plan = self._planned_outside() if by_user else self._planned()  # type: ignore[attr-defined]
            if plan.is_step and self.overrides("updateOutput"):
                raise RuntimeError(f"{self.title()}: its updateOutput has to call that of the class above, to go back")
            if plan.draws or plan.state_slots:
                raise RuntimeError(f"{self.title()}: backward called before forward")
            self.__dict__["_call"] = Repeated(plan, input)
        return self.__dict__["_call"]

    def _last_call_at(self, input: Any) -> Call:
        call = self.__dict__["_call"] = self._last_call(input).at(self, input)
        return call

    def _to_pull_back(self, input: Any) -> tuple[Call, Any, int]:
        """The call whose backward is due, the gradient of the state after it, and its number (0: no recurrence)."""
        last = self._last_call(input)
        if not last.plan.is_step:
            last = self.__dict__["_call"] = last.at(self, input)
            return last, None, 0
        steps = self._steps()
        number = steps.pulled - 1
        if number not in steps.calls:
            kept = f"rho = {last.plan.rho}" if self.in_training else "in evaluation, only the last step is kept"
            raise RuntimeError(f"{self.title()}: backward called more often than forward ({kept})")
        due = steps.calls[number]
        others = [i for i, other in steps.calls.items() if other.given is input and input is not due.given]
        if others:
            raise RuntimeError(
                f"{self.title()}: backward runs through the steps in reverse order: expected the input of step "
                f"{number}, got that of step {others[0]}"
            )
        steps.calls[number] = due.at(self, input)
        return steps.calls[number], steps.grad_states.get(number), number

    def _step_pulled(self, call: Call, accumulated: bool) -> None:
        steps = self._steps()
        steps.pulled -= 1
        steps.grad_states[steps.pulled - 1] = call.state_gradient
        if accumulated:
            steps.accumulated = steps.pulled
        self.gradInput = call.grad_input_of(self)

    def _to_accumulate(self, input: Any) -> tuple[Call, Any, int]:
        """The call whose parameters' gradients are due."""
        if not self._last_call(input).plan.is_step:
            return self._last_call_at(input), None, 0
        steps = self._steps()
        steps.accumulated -= 1
        if steps.accumulated < steps.pulled or steps.accumulated not in steps.calls:
            raise RuntimeError(f"{self.title()}: accGradParameters called before the step's updateGradInput")
        number = steps.accumulated
        steps.calls[number] = steps.calls[number].at(self, input)
        return steps.calls[number], steps.grad_states.get(number), number

    def forget(self, offset: int = 0) -> Self:
        """Forgets all recurrent state inside: the next forward starts a new sequence, whatever Torch's offset is."""
        for module in self.children():
            module.forget()
        self._forget_own()
        return self

    def _forget_own(self) -> None:
        """Forgets this object's state alone."""
        self._drop_steps()
        self.__dict__.pop("_next_state", None)
        for name in self._spec.traits.transient if self._spec is not None else ():
            self._state[name] = None
        for plan in watchers(self):
            plan.members[0]._drop_steps()

    def begin_sequence(self, goes_on: bool) -> None:
        """Called by a sequencer around it before a call, which continues the last one or starts again."""
        if not goes_on:
            self.forget()

    def setOutputStep(self, step: int) -> None:
        """Makes the outputs of the recurrences inside those of a step."""
        for module in self.children():
            module.setOutputStep(step)

    def show_step_due(self) -> None:
        """Sets its fields to the results of the step whose backward is next, if it keeps its steps itself."""

    def remember(self, mode: str | None = None) -> Self:
        """Sets when every sequencer inside keeps its state: "both", "train", "eval" or "neither"."""
        if hasattr(self._spec, "remember"):
            last = None if self.hasMemory() else self.remembered_call()
            self._respecify(self._spec.remember(mode))
            if last is not None and self.hasMemory():
                self._go_on_from(last)
        else:
            if "_remember" in self.__dict__:  # of a program's own sequencer
                self._remember = "both" if mode is None else mode
            for module in self.children():
                module.remember(mode)
        return self

    def _go_on_from(self, call: Call) -> None:
        """Restores the state after a sequence, for the next one."""
        mine = next((slots for sequencer, slots in call.plan.sequencers if sequencer is self), [])
        places = {(id(slot.holder), slot.name) for slot in mine}
        for slot, value in zip(call.plan.state_slots, call.state_after(), strict=True):
            if (id(slot.holder), slot.name) in places:
                slot.write(value)
        self.sequence_over(call)

    def hasMemory(self) -> bool:
        """Whether a sequencer starts from the state of the last call, in the present mode."""
        return self._spec.has_memory(self.in_training)

    def maxBPTTstep(self, rho: int) -> None:
        """Sets how many steps backward goes back; programs call it after the forwards, with their number.

        Until then, as many steps are kept as the modules were made for.
        """
        for module in self._members():
            if hasattr(module._spec, "rho"):
                module.__dict__.setdefault("_longest", module._spec.rho)
            if hasattr(module._spec, "rho") or "rho" in module.__dict__:
                module.rho = rho

    def backwardOnline(self) -> None:
        """Only prints that it does nothing, as in Torch; programs of 2015 call it."""
        print("Deprecated Jan 6, 2016. By default rnn now uses backwardOnline, so no need to call this method")

    def setZeroMask(self, zeroMask: Input | bool) -> None:
        """Sets which examples are padding (1): seqlen x batchsize for sequences, batchsize for a step; False: none.

        It applies to the masking modules inside, for every call until it is set again; after a reversal in a chain it
        is reversed. Raises TypeError unless it is a tensor of bytes.
        """
        plan = self._planned()
        structure = plan.program.buffers
        masks = [value if is_zero_mask(value := slot.read()) else None for slot in plan.slots]
        mask = zeroMask if zeroMask is False else unwrapped(zeroMask)
        placed = with_zero_mask(plan.spec, structure.unflatten(masks), mask)
        for slot, value in zip(plan.slots, structure.flatten_up_to(placed), strict=True):
            if is_zero_mask(value):
                slot.holder._state[slot.name] = value
        for module in plan.foreign:
            for child in module.children():
                child.setZeroMask(zeroMask)

    # Rewards -----------------------------------------------------------------------------------------------------

    def reinforce(self, reward: Input) -> None:
        """Sends a reward per example to every stochastic module inside, between forward and backward.

        In a recurrence, a table of rewards (or T x B) has one entry per time step, the last for the last step.
        """
        sent = wrapped(np.stack(unwrapped(reward)) if isinstance(reward, list) else unwrapped(reward))
        for module in self._members():
            module.take_reward(sent)

    def take_reward(self, reward: Input) -> None:
        """Takes a reward; does nothing unless the module is stochastic."""
