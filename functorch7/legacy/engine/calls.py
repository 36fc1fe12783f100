"""One forward call of a network, and what can be asked of it afterwards."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import numpy as np

from ...checks.errors import Signal
from ...core.types import Scalar, Value
from ..tensors.marked import note
from ..tensors.noted import Noted, ready
from ..tensors.random import next_draw
from ..tensors.storages import hold
from ..tensors.values import Input, Output, Unseen, as_gradient, completed, is_one_of, shapes
from . import compiled, fitting, watched
from .at_input import is_large
from .fitting import factor, filled_up, has_shapes_of, misfit, of_real_numbers, reshaped
from .handed_on import is_number, result_of
from .inspection import Inspection
from .known_users import OtherwiseThanPlanned, carry_to_users, known
from .layout import Layout
from .lengths import with_zeros_after
from .noting import report
from .plan import Plan, with_zeros
from .present import parameters_now, residuals_with
from .registered import Titled
from .run_longer import RunLonger
from .terms import Terms
from .turns import Turns

count = itertools.count(1)
"""Numbers calls, and the outputs that users set, in the order in which they happen."""


class Newest:
    """The number of the last call of all."""

    number = 0


class Call(Inspection, RunLonger):
    """The arguments and results of one forward call, its pull-back, and the gradients that were asked for."""

    __slots__ = (
        "__weakref__", "_ends", "_inspected", "_seen", "arguments", "cotangents", "given",
        "given_gradient", "grad_input", "is_pulled_back", "number", "output", "parameter_gradients", "plan", "present",
        "read_gradient", "residuals", "result", "run_length", "side", "state_gradient", "turns", "versions",
    )  # fmt: skip
    turns: Turns
    is_pulled_back: bool
    parameter_gradients: Any
    state_gradient: Any

    def __init__(self, plan: Plan, given: Input, keep: bool):
        if not plan.is_stateless:
            plan.begin()
        self._begin(plan, given)
        self.number = Newest.number = next(count)
        buffers = self._run_as_it_turns_out(keep)
        plan = self.plan
        if buffers:
            for slot, value in zip((*plan.slots, *plan.state_slots), (*buffers, *self.side.state), strict=True):
                slot.write(value)
            plan.forget()
            plan.spend("state")
        self.result = result_of(self.output, self.side.handed_on, given, self.arguments[2], plan.keeps_types)
        plan.last_call = weakref.ref(self)

    def _begin(self, plan: Plan, given: Input) -> None:
        """Takes the arguments, of which the state and the random draw are those that are due."""
        self.plan, self.given = plan, given
        input = fitting.read(plan.spec, given, plan.input_of)
        parameters, self.versions = plan.parameters.taken(is_noted=plan.noting is not None)
        if plan.is_stateless:
            self.arguments = (parameters, [], input, [], None)
        else:
            draw = next_draw() if plan.draws else None
            self.arguments = (parameters, plan.buffers(), input, plan.initial_state(), draw)

    def _run_as_it_turns_out(self, keep: bool) -> list:
        """Runs the network; planned anew whenever its users' modules turn out to be other than they were taken for."""
        self.run_length = None if self.plan.lengths is None else self.plan.length_to_run(self.arguments[2])
        if self.run_length is not None:
            try:
                return self._run(keep)
            except Exception:  # which names sizes that nobody gave
                self.run_length = None
        try:
            return self._run(keep)
        except OtherwiseThanPlanned as found:
            self._plan_anew()
            try:
                return found.go_on(self._run_as_it_turns_out, keep)
            except Exception:
                found.take_back()
                self.plan.is_stale = True
                raise

    def _plan_anew(self) -> None:
        self.plan.is_stale = True
        plan = self.plan.renewed()
        self.plan, self.versions = plan, plan.parameters.versions
        self.arguments = (plan.parameters.arrays(), plan.buffers(), *self.arguments[2:])

    def _run(self, keep: bool) -> list:
        """Runs the network, and keeps what backward needs if asked to. Gives the new buffers."""
        plan = self.plan
        arguments = self.arguments if self.run_length is None else self._arguments_as_run()
        try:
            if plan.placed:
                outcome, buffers, self.residuals, error = *watched.forward(self, keep), None
            elif keep:
                outcome, (buffers, error), self.residuals = plan.forward(plan.differentiate, arguments)
            else:
                outcome, (buffers, error) = plan.forward(plan.evaluate, arguments)
                self.residuals = None
        except Signal:
            raise
        except Exception as failed:
            carry_to_users(plan, self.arguments[2], failed)
            fitting.check_after(plan.spec, self.arguments[2], failed)
            raise
        if error is not None:
            report(error)
        self.output, self.side = outcome
        if self.run_length is not None:
            self.output = self._of_its_steps(self.output)
        self._nothing_asked()
        return buffers

    def _nothing_asked(self) -> None:
        """As long as nobody has asked for anything but the output."""
        self._ends = self._seen = self._inspected = None
        self.grad_input = self.cotangents = self.parameter_gradients = self.state_gradient = self.present = None
        self.is_pulled_back = False

    @property
    def forward(self) -> Call | None:
        """The forward call that this is; of one that was repeated for backward, that one, if there was one."""
        return self

    def at(self, module: Titled, input: Input) -> Call:
        """This call if it was given this input, with these values; else the network run at them, for backward.

        Forward's input takes the place of None in this one, of a graph's, which Torch's backward does not read, and of
        one tensor out of forward's table. Raises ValueError for recurrent state after an input of another shape.
        """
        forward = self.forward
        given = (forward or self).given
        if input is not given:
            # A graph reads forward's, unless it has run since as a part of a network around it.
            reads_none = self.plan.is_graph and module._newest_call().number <= self.number
            input = given if reads_none or is_one_of(input, given) else completed(input, given)
        values = input if type(input) is np.ndarray else self.plan.read(input, self.plan.takes_table)
        if self.is_at(values):
            return self
        if forward is not None and forward is not self and forward.is_at(values):
            forward.plan.last_call = weakref.ref(forward)
            return forward
        given, wanted = shapes(values), shapes(self.arguments[2])
        if self.plan.state_slots and given != wanted:
            raise ValueError(f"{module.title()}: backward needs an input of forward's shape, {wanted}, got {given}")
        return Repeated(self.plan, input, forward)

    # Backward ----------------------------------------------------------------------------------------------------

    def _prepare(
        self, module: Titled, grad_output: Input | None, state: list | None, step: int, scale: Scalar | None
    ) -> tuple:
        """The cotangents, after the checks; the call is repeated if it kept nothing for backward."""
        self.given_gradient, self.present = grad_output, parameters_now(self.plan, self.versions)
        cotangent = self._gradient_of_none(module) if grad_output is None else grad_output
        try:
            self.read_gradient = as_gradient(cotangent, self.output, self.plan.read)
        except Unseen:
            raise misfit(module.title(), self.output, cotangent) from None
        grad_output = self._fitted(module, self.read_gradient)
        note(cotangent, grad_output)
        if self.plan.program.keeps_types:
            grad_output = jax.tree.map(lambda own, given: np.asarray(given, own.dtype), self.output, grad_output)
        plan, kept = self.plan, self.side.state
        if state is not None:
            state = with_zeros(state, kept)
        elif plan.state_slots:
            state = plan.last_gradients(kept)
        if state is not None and self.run_length is not None:  # it is that after its own last step
            self.run_length = self.residuals = None
        self._keep_residuals()
        for foreign in plan.called:
            foreign.pending_pull_backs.begin(scale)
        self.cotangents = (grad_output, self.side, self._rewards(step) if plan.rewarded else [], state)
        self._seen = self._inspected = None
        return self.cotangents

    def _gradient_of_none(self, module: Titled) -> Any:
        """What backward takes where it is given nothing: of a number, or where it looks at no gradient."""
        if self.plan.ignores_gradient:
            return jax.tree.map(np.zeros_like, self.output)
        if not is_number(self.output):
            raise ValueError(f"{module.title()}: backward needs a gradOutput of shape {shapes(self.output)}")
        return np.ones((), self.plan.dtype)

    def _rewards(self, step: int) -> list:
        """One for each stochastic module that has drawn in this call; None for the others."""
        sampled = zip(self.plan.rewarded, self.side.log_probs, strict=True)
        return [None if node.value is None else holder.reward_at_step(step) for holder, node in sampled]

    def _fitted(self, module: Titled, grad_output: Value) -> Any:
        """gradOutput in the output's shape; elements are never repeated or dropped."""
        try:
            return self._in_shape(grad_output)
        except (ValueError, TypeError, AttributeError):
            raise misfit(module.title(), self.output, grad_output) from None

    def _in_shape(self, grad_output: Value) -> Any:
        output = self.output
        if isinstance(output, (jax.Array, Noted)) and getattr(grad_output, "shape", None) == output.shape:
            return of_real_numbers(output, grad_output)
        if self.plan.ignores_gradient and np.size(grad_output) == 0:
            return jax.tree.map(np.zeros_like, output)
        users = (*self.plan.foreign, *(fields.holder for fields in self.plan.traced))
        fitted = filled_up if any(known(type(user)).gives_numbers for user in users) else reshaped
        return jax.tree.map(of_real_numbers if has_shapes_of(output, grad_output) else fitted, output, grad_output)

    def backward(
        self, module: Titled, grad_output: Input | None, scale: Scalar, state: list | None = None, step: int = 0
    ) -> None:
        """Pulls gradOutput back and adds the parameters' gradients to their tensors, in one call."""
        plan, scale = self.plan, factor(module, "scale", 1 if scale is None else scale)
        gradients = self._now(plan.fitting_gradients) if plan.is_stale else plan.fitting_gradients
        lies_elsewhere = plan.is_stale and (not gradients.lies_as(plan.gradients) or self._terms() != plan.terms)
        if lies_elsewhere or plan.called:  # whose updateGradInput may itself add to gradients: they are read after it
            self.pull_back(module, grad_output, state, step, scale)
            return self.accumulate(scale)
        cotangents = self._prepare(module, grad_output, state, step, scale)
        by = None if type(scale) in (int, float) and scale == 1 else scale
        if type(self.residuals) is Noted and self._note_backward(gradients, cotangents, by):
            return
        # Where nobody else has seen what was accumulated so far, the sums are written over it.
        arrays, over = gradients.given_up(plan.runs_once)
        self.parameter_gradients, self.is_pulled_back = None, False
        given = self._given(cotangents)
        at_input = plan.at_input if is_large(self.arguments[2]) else None
        is_left_out = at_input is not None and at_input.is_left_out()
        run = plan.backward_to_parameters if is_left_out else plan.backward
        found, self.state_gradient, new, *seen = plan.run(run, *given, arrays, over, by, self._weighing())
        self.grad_input = found = self._of_its_steps(found)
        if at_input is not None:
            alone = partial(self._pulled_to_input, cotangents)
            self.grad_input = at_input.shown(self.arguments[2], plan.dtype, alone if is_left_out else lambda: found)
        if seen and watched.answered(self, *seen, backward=True):
            return self.backward(module, grad_output, scale, state, step)
        gradients.keep(new)
        if plan.state_slots:
            plan.spend("gradient")
        for foreign in plan.called:
            foreign.go_through_pending(scale)

    def pull_back(
        self, module: Titled, grad_output: Input | None, state: list | None, step: int, scale: Scalar | None = None
    ) -> None:
        """Pulls gradOutput back. The parameters' gradients are found when `accumulate` asks for them.

        Where it has asked before, they are found at once, in the same call. With a scale users' `backward` are called.
        """
        cotangents = self._prepare(module, grad_output, state, step, scale)
        if self.plan.finds_gradients_apart:
            self.parameter_gradients = None
            self.grad_input, self.state_gradient = self._pulled(compiled.pull_back_to_input, cotangents)
            self.grad_input = self._of_its_steps(self.grad_input)
        else:
            self.parameter_gradients, self.grad_input, self.state_gradient, *seen = self._pulled(
                compiled.pull_back, cotangents
            )
            self.grad_input = self._of_its_steps(self.grad_input)
            if seen and watched.answered(self, *seen, backward=True):
                return self.pull_back(module, grad_output, state, step, scale)
        self.is_pulled_back = True
        self.plan.spend("gradient")

    def _pulled_to_input(self, cotangents: tuple) -> Value:
        self._keep_residuals()
        return self._of_its_steps(self._pulled(compiled.pull_back_to_input, cotangents)[0])

    def _pulled(self, function: Callable, cotangents: tuple) -> Any:
        return self.plan.run(function(self.plan.program), *self._given(cotangents))

    def _given(self, cotangents: tuple) -> tuple:
        """The residuals, what they need of the arguments, and the cotangents, as the call was run."""
        self.residuals = ready(self.residuals)
        if self.run_length is not None:
            cotangents = (with_zeros_after(cotangents[0], self.run_length), *cotangents[1:])
        return *residuals_with(self.plan, self.residuals, self._arguments_as_run(), self.present), *cotangents

    def _note_backward(self, gradients: Layout, cotangents: tuple, by: Any) -> bool:
        """Notes backward and accumulation, if the call was noted. What it has kept is then spent."""
        plan = self.plan
        arrays = [None if gradients.covers and each.is_zero else each.noted for each in gradients.storages]
        needed = self.residuals.aval.needed(self.arguments)
        args = (self.residuals, needed, *cotangents, arrays, [None] * len(arrays), by, self._weighing())
        found = plan.noting(plan.backward, args, cotangents[0]) if self.present is None else None  # type: ignore[misc]
        if found is None:
            return False
        self.parameter_gradients, self.is_pulled_back, self.residuals = None, False, None
        self.grad_input, self.state_gradient, new = found
        hold(gradients.storages, new, owned=True)
        return True

    def _found_gradients(self) -> list:
        """The parameters' gradients, out of what was pulled back."""
        if self.parameter_gradients is None:
            self.plan.finds_gradients_apart = False
            self.parameter_gradients = self._pulled(compiled.pull_back, self.cotangents)[0]
        return self.parameter_gradients

    def accumulate(self, scale: Scalar) -> None:
        """Adds scale * the kept gradients to the gradients' tensors."""
        self._add(self.plan.fitting_gradients, factor(self.plan.root, "scale", 1 if scale is None else scale))
        for foreign in self.plan.called:
            foreign.go_through_pending(scale)

    def descend(self, rate: Scalar) -> None:
        """Takes rate * the kept gradients off the parameters, leaving the gradients' tensors alone."""
        self._add(self.plan.parameters, -factor(self.plan.root, "lr", rate))
        for foreign in self.plan.called:
            foreign.go_through_pending(rate, foreign.accUpdateGradParameters)

    def _now(self, layout: Layout) -> Layout:
        """The layout of the tensors that are in these places now: a user may have moved some, or assigned others."""
        return self.plan.layout_now(layout) if self.plan.is_stale else layout

    def _terms(self) -> Terms | None:
        """What gradients get as they are accumulated now: scales may have changed since the forward call."""
        return self.plan.terms_now() if self.plan.is_stale else self.plan.terms

    def _weighing(self) -> tuple[list, list] | None:
        """The numbers of scales and regularizers, and the parameters' storages as the call had them."""
        return None if self.plan.terms is None else (self.plan.terms.given, self.arguments[0])

    def _add(self, layout: Layout, scale: Scalar) -> None:
        """Adds scale * the kept gradients to tensors."""
        now, terms = self._now(layout), self._terms()
        if now.lies_as(layout) and terms == self.plan.terms:
            run = compiled.accumulation(self.plan.program, layout.target, terms and terms.known)
            return now.store(self.plan.run(run, self._found_gradients(), now.stored(), scale, self._weighing()))
        # Tensors lie elsewhere since (getParameters, a cast, an assignment), or scales were set: one by one.
        gradients = self._found_gradients()
        if terms is not None:
            had = [compiled.read(self.arguments[0], view) for view in self.plan.program.views]
            gradients = [self.plan.run(term.of, *pair) for term, *pair in zip(terms.terms, gradients, had, strict=True)]
        for number, (tensor, gradient) in enumerate(zip(now.tensors, gradients, strict=True)):
            self.plan.check_gradient(number, tensor, gradient.shape)
            tensor.add(scale, np.asarray(gradient, tensor.dtype))


class Repeated(Call):
    """The network run once more, for backward alone: at another input than forward's, or without any forward.

    It changes neither buffers nor recurrent state, and takes those and the random draw of the forward call, if there
    was one; parameters are as they are now. What outputs were, the forward call knows.
    """

    __slots__ = ("_forward",)

    def __init__(self, plan: Plan, given: Input, forward: Call | None = None):
        self._forward = forward
        if forward is None:
            self._begin(plan, given)
            self.number = Newest.number = next(count)
        else:
            if plan.is_stale and (renewed := plan.renewed()).runs_as(plan):
                plan = renewed
            self.plan, self.given, self.number, self.versions = plan, given, forward.number, forward.versions
            parameters, buffers, _, state, draw = forward.arguments
            if (now := self._now(plan.parameters)).lies_as(plan.parameters):
                parameters, self.versions = now.arrays(), now.versions
            self.arguments = (parameters, plan.with_numbers(buffers), plan.read(given, plan.takes_table), state, draw)
        with watched.repeating():
            self._run_as_it_turns_out(keep=True)
        self.plan.last_call = weakref.ref(self)
        self.result = None if forward is None else forward.result  # what the forward call gave

    @property
    def forward(self) -> Call | None:
        return self._forward

    def output_of(self, module: object) -> Output:
        return None if self._forward is None else self._forward.output_of(module)

    def input_of(self, module: object) -> Output:
        return None if self._forward is None else self._forward.input_of(module)

    def exposed_by(self, module: object, name: str) -> Output:
        return None if self._forward is None else self._forward.exposed_by(module, name)
