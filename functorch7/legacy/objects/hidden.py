"""Hidden states and their gradients by step: read, set, and passed from one network to another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from ... import core, recurrent
from ...core.types import Value
from ...layers.quantized import computing
from ...network import map_state
from ..engine.initial import gradient_at_start
from ..engine.plan import Plan, with_zeros
from ..engine.slots import Slot
from ..tensors.values import Input, unwrapped, wrapped
from .steps import Steps

if TYPE_CHECKING:
    from ..engine.calls import Call


def _hidden_names(module: Any) -> tuple[str, ...]:
    """The names of the part of a module's state that users handle."""
    return getattr(module._spec, "hidden", module._spec.traits.transient) if module._spec is not None else ()


def _begun_from(call: Call) -> list:
    """The state that a call began from: what it was given, or zeros where that is what no state means."""
    zeros = zip(call.plan.state_slots, call.arguments[3], call.state_after(), strict=True)
    return [with_zeros([was], [after])[0] if slot.starts_at_zero else was for slot, was, after in zeros]


def _without_last_nones(states: list) -> list:
    """States by the places of their modules, as Lua's tables have them: nothing after the last module with a state."""
    kept = [place for place, state in enumerate(states, 1) if state is not None]
    return states[: max(kept, default=0)]


class HiddenStates(Steps):
    """The part of Module that shows recurrent state, and the gradients with respect to it.

    If a module is called step by step, there is the state after every step that is kept for backward. If a sequencer
    runs it, there is the state after every step of the last sequence; all but the first and the last repeat it. Layers
    of whole sequences, such as SeqLSTM, have the first and the last alone.
    """

    def _shown_slots(self, plan: Plan) -> list[Slot]:
        """The places of this module's hidden state, and of all inside."""
        inside = {id(module) for module in self._members()}
        return [s for s in plan.state_slots if id(s.holder) in inside and s.name in _hidden_names(s.holder)]

    def _called(self) -> tuple[Plan, Call | None]:
        """The plan in which this module ran last, and that call."""
        call = self._newest_call()
        return (self._planned(), None) if call is None else (call.plan, call)

    def _values(self, plan: Plan, values: list) -> dict[tuple[int, str], Any]:
        return {(id(slot.holder), slot.name): value for slot, value in zip(plan.state_slots, values, strict=True)}

    def getHiddenState(self, step: int | None = None, input: Input | None = None) -> Value:
        """The state after a step (the last one by default; 0 is the initial one, zeros shaped for `input`)."""
        if self.keeps_steps or not self.is_described:
            return self._of_modules("getHiddenState", step)
        plan, call = self._called()
        if plan.is_step:
            values = self._state_of_step(plan, step)
        elif call is None:
            values = plan.initial_state()
        elif step == 0:
            values = _begun_from(call)
        else:
            values = self._in_sequence(plan, step, "states_by_step", call.state_after())
        if input is not None:
            zeros = self._zero_state(input)
            values = [zero if value is None else value for zero, value in zip(zeros, values, strict=True)]
        return self._nested(self._values(plan, values))

    def _in_sequence(self, plan: Plan, step: int | None, table: str, last: list) -> list:
        """What is in the recurrences' tables at a step, of the states that users handle; without one, the last."""
        if step is None:
            return last
        found, shown = list(last), {id(slot) for slot in self._shown_slots(plan)}
        for place, slot in enumerate(plan.state_slots):
            if id(slot) in shown and hasattr(slot.holder, table):
                found[place] = getattr(slot.holder, table)(slot.name).get(step)
                if found[place] is None:
                    raise ValueError(f"{self.title()}: no state is kept for step {step}")
        return found

    def _state_of_step(self, plan: Plan, step: int | None) -> list:
        steps = plan.history
        number: int = steps.count if step is None else step
        if number == steps.count:
            return plan.initial_state()
        if number + 1 in steps.calls:
            return _begun_from(steps.calls[number + 1])
        raise ValueError(f"{self.title()}: no state is kept for step {number}")

    def setHiddenState(self, step: int | None, hiddenState: Value) -> None:
        """Sets the state that the next step or sequence starts from: that after the last step, or the initial one (0).

        None is the number of that step, too. Raises ValueError for other steps, and for another number of tensors.
        """
        if self.keeps_steps or not self.is_described:
            return self._to_modules("setHiddenState", step, hiddenState)
        plan, _ = self._called()
        count = plan.history.count if plan.is_step else 0
        if step not in (None, count):
            raise ValueError(f"{self.title()}: expected the number of steps so far, {count}, got {step}")
        for slot, value in self._by_slot(plan, hiddenState):
            if count:
                slot.write(value)
            else:  # it is not known yet who will run this module
                slot.holder.__dict__.setdefault("_next_state", {})[slot.name] = value

    def getGradHiddenState(self, step: int | None = None, input: Input | None = None) -> Value:
        """The gradient with respect to the state after a step; after a whole backward, 0 is the initial state's.

        By default it is that of the step whose backward is next. Raises ValueError for a step that is not kept.
        """
        if self.keeps_steps or not self.is_described:
            return self._of_modules("getGradHiddenState", step)
        plan, call = self._called()
        if call is None and not self._shown_slots(plan):
            return None
        if call is None:
            raise RuntimeError(f"{self.title()}: getGradHiddenState needs a backward call")
        if plan.is_step:
            steps = plan.history
            number = steps.pulled - 1 if step is None else step
            values = steps.grad_states.get(number)
            if values is None and number not in steps.calls:
                raise ValueError(f"{self.title()}: no gradient of the state is kept for step {number}")
            if values is None:
                values = with_zeros([None] * len(plan.state_slots), steps.calls[number].state_after())
            elif number == 0:
                values = gradient_at_start(steps.calls[1])
        elif step == 0:
            values = gradient_at_start(call)
        else:
            after = call.state_after()
            last = plan.last_gradients(after) or with_zeros([None] * len(plan.state_slots), after)
            values = self._in_sequence(plan, step, "state_gradients_by_step", last)
        return self._nested(self._values(plan, values))

    def setGradHiddenState(self, step: int | None, gradHiddenState: Value) -> None:
        """Sets the gradient that flows into the state after a step (or a sequence), before its backward.

        None is the step whose backward is next.
        """
        if self.keeps_steps or not self.is_described:
            return self._to_modules("setGradHiddenState", step, gradHiddenState)
        plan, _ = self._called()
        pairs = self._by_slot(plan, gradHiddenState)
        if plan.is_step:
            by_slot = {id(slot): value for slot, value in pairs}
            steps = plan.history
            number = steps.pulled - 1 if step is None else step
            steps.grad_states[number] = [by_slot.get(id(slot)) for slot in plan.state_slots]
            return
        for slot, value in pairs:
            slot.holder.__dict__.setdefault("_next_gradient", {})[slot.name] = value

    def _of_modules(self, method: str, step: int | None) -> list:
        """What the modules inside give: all that Torch's nn.Module does for a class of a program's own."""
        return _without_last_nones([getattr(module, method)(step) for module in self.children()])

    def _to_modules(self, method: str, step: int | None, given: Sequence) -> None:
        """Gives each module inside its part."""
        for module, part in zip(self.children(), given, strict=False):
            getattr(module, method)(step, part)

    def _by_slot(self, plan: Plan, nested: Any) -> list[tuple[Slot, Any]]:
        """Each shown slot with its value, an array or a table of arrays, out of Torch's form."""
        slots = self._shown_slots(plan)
        given = unwrapped(nested)
        values = jax.tree.leaves(given, is_leaf=lambda value: value is None)
        places = slots
        if len(values) != len(slots):  # then some of them are tables, whose form says which is whose
            places, structure = jax.tree.flatten(self._nested({(id(slot.holder), slot.name): slot for slot in slots}))
            try:
                values = structure.flatten_up_to(given)
            except (ValueError, TypeError):
                count = sum(value is not None for value in values)
                message = f"{self.title()}: expected a state of {len(slots)} tensors, got {count}"
                raise ValueError(message) from None
        arrays = [jax.tree.map(lambda leaf: np.asarray(leaf).astype(plan.dtype), value) for value in values]
        return list(zip(places, arrays, strict=True))

    def _zero_state(self, input: Any) -> list:
        plan = self._planned()

        def buffers_after(value: Any) -> Any:
            with core.known_sizes():
                variables = self.functional()[1]
                return plan.whole_spec().apply(*variables, value, key=jax.random.key(0), train=self.in_training)[1]

        after = plan.run(jax.eval_shape, buffers_after, unwrapped(input))
        found: list = []
        map_state(plan.spec, after, found.append)
        return [np.zeros(value.shape, plan.dtype) for value in found]

    def _nested(self, values: dict[tuple[int, str], Any]) -> Any:
        """Torch's form: LSTMs [output, cell], GRUs output, others [output, the states inside].

        Containers have a list with None for modules without state.
        """

        def of(module: Any) -> Any:
            own = [wrapped(values[id(module), name]) for name in _hidden_names(module)]
            if isinstance(computing(module._spec), (recurrent.Cell, recurrent.LSTM)):
                return own if len(own) > 1 else own[0]
            inner = _without_last_nones([of(child) for child in module.children()])
            if isinstance(module._spec, recurrent.Recursor):
                return inner[0] if inner else None
            if own:
                return [*own, inner]
            return inner if module.children() or isinstance(module._spec, core.Container) else None

        return of(self)
