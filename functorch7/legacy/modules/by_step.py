"""Torch's tables of a recurrence's steps, made from the calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jax
import numpy as np

from ...core.types import Value
from ..engine.calls import Call
from ..engine.plan import Plan
from ..objects import composed
from ..objects.described import Described
from ..tensors.tensor import Tensor
from ..tensors.values import Output, wrapped
from .module import Module


class ByStep(Mapping):
    """A table by step, as in Torch: 1 is the first step, 0 the state before it. It has the steps that are kept.

    It is read-only: states are set by `setHiddenState`, gradients of states by `setGradHiddenState`.
    """

    def __init__(self, name: str, steps: list[int], at: Callable[[int], Value]):
        self.name, self._steps, self._at = name, steps, at

    def __getitem__(self, step: int) -> Value:
        if step not in self._steps:
            kept = f"{self._steps[0]} to {self._steps[-1]}" if self._steps else "none"
            raise KeyError(f"{self.name}[{step}]: this step is not kept; there are: {kept}")
        return self._at(step)

    def __setitem__(self, step: int, value: Value) -> None:
        raise TypeError(
            f"{self.name}[{step}]: expected no value, as this table is made of the steps' calls; setHiddenState and "
            f"setGradHiddenState set states, got {type(value).__name__}"
        )

    def __iter__(self) -> Iterator[int]:
        return iter(self._steps)

    def __len__(self) -> int:
        return len(self._steps)

    def __repr__(self) -> str:
        return f"{self.name}{dict(self)}"


class StepModule:
    """Torch's clone of a module for one time step: the module itself, with the results of this step.

    `output`, `gradInput` and `reward` are the step's; `modules` and `get` return the modules inside in the same way.
    Everything else belongs to the module, and is set there.
    """

    def __init__(self, module: Value, around: Value, step: int):
        object.__setattr__(self, "_of", (module, around, step))

    @property
    def __class__(self) -> type:
        return type(self._of[0])

    @property
    def output(self) -> Output:
        """The module's output at this step."""
        module, around, step = self._of
        call = self._call()
        if call is not None:
            return call.output_of(module)
        return around.state_after(step) if around.passes_state(module) else module.output

    @property
    def gradInput(self) -> Output:
        """The gradient at its input at this step."""
        module, around, step = self._of
        call = self._call()
        if call is not None and call.cotangents is not None:
            return call.grad_input_of(module)
        return around.gradients_before(step) if around.passes_state(module) else module.gradInput

    def _call(self) -> Call | None:
        """The call that was this step, if the module ran in it."""
        module, around, step = self._of
        call = around.call_of_step(step)
        return call if call is not None and id(module) in call.plan.paths else None

    @property
    def reward(self) -> Output:
        """The reward for this step's sample."""
        module, _, step = self._of
        return None if module.reward is None else wrapped(module.reward_at_step(step))

    @property
    def modules(self) -> list[StepModule]:
        """The modules inside, at this step."""
        module, around, step = self._of
        return [StepModule(each, around, step) for each in module.modules]

    def get(self, index: int, *more: int) -> StepModule | None:
        """The module at a position, at this step."""
        module, around, step = self._of
        found = module.get(index, *more)
        return None if found is None else StepModule(found, around, step)

    def __getattr__(self, name: str) -> Value:
        return getattr(self._of[0], name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._of[0], name, value)

    def __repr__(self) -> str:
        return repr(self._of[0])


class StepFields(Module):
    """Torch's tables of an AbstractRecurrent's steps that are kept for backward, or of a whole sequence.

    outputs, gradInputs: the module's output at each step, and the gradient at its input. cells: the second part of the
    state of LSTMs. gradOutputs, gradCells: the gradients that later steps send into the state after a step;
    _gradOutputs: these and those of the output together. sharedClones: the module of each step.
    """

    def _calls_of_steps(self) -> list[tuple[int, int, Call]]:
        """(first step, how many, call) of the calls that are kept since the state was forgotten."""
        call = self.remembered_call()
        if call is None:
            return []
        if call.plan.is_step:
            return [(step, 1, each) for step, each in call.plan.history.calls.items()]
        return [(self.steps_before(call) + 1, call.steps_of(self), call)]

    def call_of_step(self, step: int) -> Call | None:
        """The call that was this step; None for one of a sequence, and for those that are not kept."""
        return next((call for first, count, call in self._calls_of_steps() if first == step and count == 1), None)

    def passes_state(self, module: object) -> bool:
        """Whether a module is that of a step, which takes the state beside the input and returns the state after it.

        For cells, Torch composes it of their layers; here no call runs it.
        """
        is_part = "recurrent_module" in self._spec.children() or all(module is not each for each in self.children())
        return is_part and module is self.recurrentModule

    def state_after(self, step: int) -> Output:
        """The output of such a module at a step. None for a step that is not kept."""
        state = [self.states_by_step(name).get(step) for name in self._spec.hidden]
        return state if len(state) > 1 else state[0]

    def gradients_before(self, step: int) -> list:
        """The gradients at such a module's input at a step, and at the state before it.

        None for what is not kept, such as the gradient at a first state that nobody gave.
        """
        before = [self.state_gradients_by_step(name).get(step - 1) for name in self._spec.hidden]
        return [self.gradInputs.get(step), *before]

    def _table(self, name: str, frame: str, gradients: bool) -> ByStep:
        kept = [each for each in self._calls_of_steps() if not gradients or each[2].cotangents is not None]

        def at(step: int) -> Any:
            first, _, call = next(each for each in kept if each[0] <= step < each[0] + each[1])
            return wrapped(jax.tree.map(lambda values: values[step - first], call.frames_of(self, frame, gradients)))

        return ByStep(name, [first + i for first, count, _ in kept for i in range(count)], at)

    def states_by_step(self, state: str, name: str = "states") -> ByStep:
        """A part of the state after each step; the first and the last state need no recorded steps."""
        calls = self._calls_of_steps()
        if state not in getattr(self._spec, "hidden", ()) or not calls:
            return ByStep(name, [], lambda _: None)
        table = self._table(name, f"state.{state}", False)
        ends = {first + count - 1: self._part_of(call.plan, call.state_after(), state) for first, count, call in calls}
        first, _, call = calls[0]
        start = self._part_of(call.plan, call.arguments[3], state)
        ends |= {} if start is None else {first - 1: start}
        return ByStep(name, sorted({*table, *ends}), lambda step: wrapped(ends[step]) if step in ends else table[step])

    def _part_of(self, plan: Plan, values: list, state: str) -> Any:
        return self._values(plan, values).get((id(self), state))

    def state_gradients_by_step(self, state: str, name: str = "gradients") -> ByStep:
        """The gradient that comes into a part of the state after each step, and the initial state's."""
        calls = [each for each in self._calls_of_steps() if each[2].cotangents is not None]
        if state not in getattr(self._spec, "hidden", ()) or not calls:
            return ByStep(name, [], lambda _: None)
        table = self._table(name, f"state.{state}", True)
        first, _, call = calls[0]
        start = None if call.state_gradient is None else self._part_of(call.plan, call.state_gradient, state)
        steps = [*([] if start is None else [first - 1]), *table]
        return ByStep(name, steps, lambda step: table[step] if step in table else wrapped(start))

    @property
    def outputs(self) -> ByStep:
        """The module's output at each step."""
        if "output" in getattr(self._spec, "hidden", ()):
            return self.states_by_step("output", "outputs")
        return self._table("outputs", "output", False)

    @property
    def cells(self) -> ByStep:
        """The cell after each step."""
        return self.states_by_step("cell", "cells")

    @property
    def gradInputs(self) -> ByStep:
        """The gradient at the input of each step."""
        return self._table("gradInputs", "input", True)

    @property
    def gradOutputs(self) -> ByStep:
        """The gradient that later steps send into each step's output."""
        return self.state_gradients_by_step("output", "gradOutputs")

    @property
    def gradCells(self) -> ByStep:
        """The gradient that later steps send into each step's cell."""
        return self.state_gradients_by_step("cell", "gradCells")

    @property
    def _gradOutputs(self) -> ByStep:
        """The whole gradient at each step's output."""
        given, later = self._table("_gradOutputs", "output", True), self.state_gradients_by_step("output")

        def at(step: int) -> Any:
            own = given[step]
            return own.add(later[step]) if step in later and isinstance(own, Tensor) else own

        return ByStep("_gradOutputs", list(given), at)

    @property
    def step(self) -> int:
        """The number of the next time step, from 1; steps of a sequence count until it is forgotten."""
        call = self.remembered_call()
        if call is None:
            return 1
        if call.plan.is_step:
            return call.plan.history.count + 1
        return self.steps_before(call) + call.steps_of(self) + 1

    @property
    def sharedClones(self) -> ByStep:
        """The module of each step so far, or of the first."""
        steps = max(1, self.step - 1)
        return ByStep("sharedClones", list(range(1, steps + 1)), self.getStepModule)

    @property
    def nSharedClone(self) -> int:
        """Their number."""
        return len(self.sharedClones)

    @property
    def zeroTensor(self) -> Tensor:
        """The output that sequences start from: zeros of the outputs' size; empty before any output."""
        outputs = self.outputs
        return outputs[max(outputs)].clone().zero() if outputs else self._made()

    @property
    def recurrentModule(self) -> Described:
        """The module of one step; for cells the one that Torch composes, around the same layers."""
        if self._spec.masked is None and "recurrent_module" in self._spec.children():
            return self.modules[-1]
        return composed.field(self, "recurrentModule")

    def replace(self, callback: Callable[[Value], Value]) -> Described:
        """As of all modules. What Torch composes a cell's step of is computed at once, and has to stay.

        Raises: TypeError for a module with another description in the place of one of these.
        """
        own = set(map(id, self.listModules()))
        for composed_one in [each for each in self.recurrentModule.listModules() if id(each) not in own]:
            new = callback(composed_one)
            if new is not composed_one and new.description() != composed_one.description():
                raise TypeError(
                    f"{self.title()}: expected {composed_one.title()} to stay, which is computed with the whole step, "
                    f"got {new.title()} in its place; nn.LSTM and nn.Recurrence are made of modules of their own"
                )
        return super().replace(callback)

    def getStepModule(self, step: int) -> StepModule:
        """The module of a step with this step's results. Raises ValueError unless steps are counted from 1."""
        if isinstance(step, bool) or not isinstance(step, (int, np.integer)) or step < 1:
            raise ValueError(f"{self.title()}: expecting step at arg 1, got {step!r}")
        return StepModule(self.recurrentModule, self, int(step))
