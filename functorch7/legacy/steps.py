"""Time step by time step: the calls of a recurrence, and their backward calls in reverse order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from .. import core, recurrent
from ..reinforce import Reinforce
from .described import Described
from .values import unwrapped, wrapped

if TYPE_CHECKING:
    from .calls import Call
    from .plan import Slot


def _hidden_names(module: Any) -> tuple[str, ...]:
    """The names of a recurrent module's hidden state: of all it carries from step to step, what users handle."""
    return getattr(module._spec, "hidden", module._spec.transient)


def _is_shown(slot: Slot) -> bool:
    return slot.name in _hidden_names(slot.holder)


class _History:
    """The calls since the last `forget`, by step number from 1, and how far backward has come."""

    def __init__(self) -> None:
        self.count = 0
        self.calls: dict[int, Call] = {}
        self.grad_states: dict[int, Any] = {}
        self.pulled = self.accumulated = 1  # the step after the one whose turn it is

    def take(self, call: Call, keep: int) -> None:
        """Notes one more step, and lets the one that is `keep` steps old go."""
        self.count += 1
        self.calls.pop(self.count - keep, None)
        self.calls[self.count] = call
        self.grad_states = {}
        self.pulled = self.accumulated = self.count + 1


class Steps(Described):
    """The part of Module that counts time steps: step, forget, hidden states, and BPTT."""

    @property
    def step(self) -> int:
        """The number of the next time step, from 1."""
        return self._steps().count + 1

    def _steps(self) -> _History:
        history = self.__dict__.get("_history")
        if history is None:
            history = self.__dict__["_history"] = _History()
        return history

    def _drop_steps(self) -> None:
        self.__dict__["_history"] = None

    def _step_taken(self, call: Call) -> None:
        self._steps().take(call, call.plan.rho if self.train else 1)

    def _to_pull_back(self, input: Any) -> tuple[Call, Any, int]:
        """The call whose backward is due, the gradient of the state after it, and its number (0: no recurrence)."""
        call = self._last_call(input)
        if not call.plan.is_step:
            return call, None, 0
        steps = self._steps()
        number = steps.pulled - 1
        if number not in steps.calls:
            raise RuntimeError(f"{self.title()}: backward called more often than forward (rho = {call.plan.rho})")
        return self._fits(steps.calls[number], input), steps.grad_states.get(number), number

    def _step_pulled(self, call: Call, accumulated: bool) -> None:
        steps = self._steps()
        steps.pulled -= 1
        steps.grad_states[steps.pulled - 1] = call.state_gradient
        if accumulated:
            steps.accumulated = steps.pulled
        self.gradInput = call.grad_input_of(self)  # type: ignore[arg-type]

    def _to_accumulate(self, input: Any) -> tuple[Call, Any, int]:
        """The call whose parameters' gradients are due."""
        call = self._last_call(input)
        if not call.plan.is_step:
            return call, None, 0
        steps = self._steps()
        steps.accumulated -= 1
        if steps.accumulated < steps.pulled or steps.accumulated not in steps.calls:
            raise RuntimeError(f"{self.title()}: accGradParameters called before the step's updateGradInput")
        number = steps.accumulated
        return self._fits(steps.calls[number], input), steps.grad_states.get(number), number

    def forget(self) -> Any:
        """Forgets all recurrent state inside: the next forward starts a new sequence."""
        for module in self.listModules():
            module._drop_steps()
            for name in module._spec.transient if module._spec is not None else ():
                module._state[name] = None
            for plan in module.__dict__.get("_seats", ()):
                plan.members[0]._drop_steps()
        return self

    def remember(self, mode: str | None = None) -> Any:
        """Says to every sequencer inside when to keep its state: "both", "train", "eval" or "neither"."""
        if hasattr(self._spec, "remember"):
            self._respecify(self._spec.remember(mode))
        else:
            for module in self.children():
                module.remember(mode)
        return self

    def hasMemory(self) -> bool:
        """Whether a sequencer starts from the state of the last call, in the present mode."""
        return self._spec.has_memory(self.train)

    def maxBPTTstep(self, rho: int) -> None:
        """Sets the number of steps that are kept for backward."""
        for module in self.listModules():
            if hasattr(module._spec, "rho"):
                module.rho = rho

    # Hidden states -----------------------------------------------------------------------------------------------

    def getHiddenState(self, step: int | None = None, input: Any = None) -> Any:
        """The state after a step (the last one by default; 0 is the initial one, zeros shaped for `input`)."""
        steps, plan = self._steps(), self._planned()
        step = steps.count if step is None else step
        if step == steps.count:
            values = [slot.read() for slot in plan.state_slots]
        elif step + 1 in steps.calls:
            values = steps.calls[step + 1].arguments[3]
        else:
            raise ValueError(f"{self.title()}: no state is kept for step {step}")
        if input is not None:
            zeros = self._zero_state(input)
            values = [zero if value is None else value for zero, value in zip(zeros, values, strict=True)]
        return self._nested_state(plan, values)

    def setHiddenState(self, step: int, hiddenState: Any) -> None:
        """Replaces the state that the next step starts from: that after the last step, or the initial one (0)."""
        if step != self._steps().count:
            raise ValueError(f"{self.title()}: expected the number of steps so far, {self._steps().count}, got {step}")
        for slot, value in zip(self._planned().state_slots, self._flat_state(hiddenState), strict=True):
            if _is_shown(slot):
                slot.write(value)

    def getGradHiddenState(self, step: int, input: Any = None) -> Any:
        """The gradient with respect to the state after a step; after a whole backward, 0 is the initial state's."""
        steps = self._steps()
        plan, values = self._planned(), steps.grad_states.get(step)
        if values is None:
            values = [np.zeros(value.shape, value.dtype) for value in steps.calls[step].side.state]
        return self._nested_state(plan, values)

    def setGradHiddenState(self, step: int, gradHiddenState: Any) -> None:
        """Sets the gradient that flows into the state after a step, before that step's backward."""
        self._steps().grad_states[step] = self._flat_state(gradHiddenState)

    def _flat_state(self, nested: Any) -> list:
        """One value per slot of the plan, None for the dropout masks and what else `getHiddenState` leaves out."""
        plan = self._planned()
        given = jax.tree.leaves(unwrapped(nested), is_leaf=lambda value: value is None)
        shown = [_is_shown(slot) for slot in plan.state_slots]
        if len(given) != sum(shown):
            raise ValueError(f"{self.title()}: expected a state of {sum(shown)} tensors, got {len(given)}")
        values = iter(None if value is None else np.asarray(value).astype(plan.dtype) for value in given)
        return [next(values) if is_shown else None for is_shown in shown]

    def _zero_state(self, input: Any) -> list:
        plan = self._planned()
        after = plan.run(
            jax.eval_shape,
            lambda value: plan.spec.apply(*self.functional()[1], value, key=jax.random.key(0), train=self.train)[1],
            unwrapped(input),
        )
        found: list = []
        core.module.map_state(plan.spec, after, found.append)
        return [np.zeros(value.shape, plan.dtype) for value in found]

    def _nested_state(self, plan: Any, values: list) -> Any:
        """Torch's form: LSTMs [output, cell], GRUs output, others [output, the states inside], containers a list."""
        by_slot = {(id(slot.holder), slot.name): value for slot, value in zip(plan.state_slots, values, strict=True)}

        def of(module: Any) -> Any:
            own = [wrapped(by_slot[id(module), name]) for name in _hidden_names(module)]
            if isinstance(module._spec, (recurrent.Cell, recurrent.LSTM)):
                return own if len(own) > 1 else own[0]
            inner = [state for child in module.children() if (state := of(child)) is not None]
            if isinstance(module._spec, recurrent.Recursor):
                return inner[0] if inner else None
            if own:
                return [*own, inner]
            return inner if module.children() or isinstance(module._spec, core.Container) else None

        return of(self)

    # Rewards -----------------------------------------------------------------------------------------------------

    def reinforce(self, reward: Any) -> None:
        """Sends a reward per example to every stochastic module inside, between forward and backward.

        In a recurrence, a table of rewards (or T x B) has one entry per time step, the last for the last step.
        """
        for module in self.listModules():
            if isinstance(module._spec, Reinforce):
                module.reward = wrapped(np.stack(unwrapped(reward)) if isinstance(reward, list) else unwrapped(reward))
