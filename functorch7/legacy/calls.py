"""One forward call of a network, and what can be asked of it afterwards."""

from __future__ import annotations

import itertools
import weakref
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from .. import core
from . import compiled, watched
from .plan import Layout, Path, Plan, with_zeros
from .random import next_draw
from .tensor import version
from .values import as_gradient, as_input, shapes, wrapped

if TYPE_CHECKING:
    from .module import Module

count = itertools.count(1)
"""Numbers calls, and the outputs that users set, in the order in which they happen."""


class Newest:
    """The number of the last call of all."""

    number = 0


class Call:
    """The arguments and results of one forward call, its pull-back, and the gradients that were asked for."""

    __slots__ = (
        "__weakref__", "_inspected", "_seen", "answered", "arguments", "cotangents", "given", "given_gradient",
        "grad_input", "number", "output", "parameter_gradients", "plan", "residuals", "result", "side",
        "state_gradient",
    )  # fmt: skip
    answered: set
    residuals: Any
    cotangents: Any
    parameter_gradients: Any
    state_gradient: Any

    def __init__(self, plan: Plan, given: Any, keep: bool):
        self.plan, self.given = plan, given
        plan.forget()
        self.number = Newest.number = next(count)
        self.arguments = (
            [storage.array for storage in plan.parameters.storages],
            plan.buffers(),
            as_input(given, plan.takes_table),
            plan.initial_state(),
            next_draw() if plan.draws else None,
        )
        if plan.placed:
            (self.output, self.side), buffers, self.residuals = watched.forward(self, keep)
            plan, error = self.plan, None
        elif keep:
            (self.output, self.side), (buffers, error), self.residuals = plan.run(plan.differentiate, *self.arguments)
        else:
            (self.output, self.side), (buffers, error) = plan.run(plan.evaluate, *self.arguments)
            self.residuals = None
        if error is not None:
            core.raise_found(error)
        if buffers:
            for slot, value in zip((*plan.slots, *plan.state_slots), (*buffers, *self.side.state), strict=True):
                slot.write(value)
            plan.forget()
            plan.spend("state")
        self.grad_input = self.cotangents = self.parameter_gradients = self.state_gradient = None
        self._seen: dict[tuple, Any] | None = None
        self._inspected: dict[bool, Any] | None = None
        # A criterion's value, out of a CriterionTable, is a number.
        self.result = float(self.output) if self._is_number() else wrapped(self.output)
        plan.last_call = weakref.ref(self)

    # Backward ----------------------------------------------------------------------------------------------------

    def _prepare(self, module: Module, grad_output: Any, state: list | None, step: int) -> tuple:
        """The cotangents, after the checks; the call is repeated if it kept nothing for backward."""
        self.given_gradient = grad_output
        if grad_output is None:
            grad_output = self._gradient_of_a_number(module)
        grad_output = self._fitted(module, as_gradient(grad_output, self.output))
        if self.residuals is None:
            with watched.repeating():
                *_, self.residuals = self.plan.run(self.plan.differentiate, *self.arguments)
        for foreign in self.plan.foreign:
            foreign.pending.clear()
        kept = self.side.state
        state = self.plan.last_gradients(kept) if state is None else with_zeros(state, kept)
        self.cotangents = (grad_output, self.side, self._rewards(step) if self.plan.rewarded else [], state)
        self._seen = self._inspected = None
        return self.cotangents

    def _is_number(self) -> bool:
        return isinstance(self.output, jax.Array) and self.output.ndim == 0

    def _gradient_of_a_number(self, module: Module) -> Any:
        if not self._is_number():
            raise ValueError(f"{module.title()}: backward needs a gradOutput of shape {shapes(self.output)}")
        return np.ones((), self.plan.dtype)

    def _rewards(self, step: int) -> list:
        """One for each stochastic module that has drawn in this call; None for the others."""
        sampled = zip(self.plan.rewarded, self.side.log_probs, strict=True)
        return [None if node.value is None else holder.reward_at_step(step) for holder, node in sampled]

    def _fitted(self, module: Module, grad_output: Any) -> Any:
        """gradOutput in the output's shape; elements are never repeated or dropped."""
        output = self.output
        if isinstance(output, jax.Array) and getattr(grad_output, "shape", None) == output.shape:
            return grad_output if grad_output.dtype.kind != "i" else grad_output.astype(output.dtype)
        given, wanted = shapes(grad_output), shapes(output)
        try:
            return grad_output if given == wanted else jax.tree.map(_reshaped, output, grad_output)
        except (ValueError, TypeError):
            raise ValueError(
                f"{module.title()}: expected a gradOutput of shape {wanted}, as the output, got {given}"
            ) from None

    def backward(self, module: Module, grad_output: Any, scale: Any, state: list | None = None, step: int = 0) -> None:
        """Pulls gradOutput back and adds the parameters' gradients to their tensors, in one call."""
        if not self._stands(self.plan.gradients) or self._terms() != self.plan.terms:
            self.pull_back(module, grad_output, state, step)
            return self.accumulate(scale)
        cotangents = self._prepare(module, grad_output, state, step)
        plan, storages = self.plan, self.plan.gradients.storages
        whole = plan.gradients.covers  # then storages that are zero need not be made
        arrays = [None if whole and storage.is_zero else storage.array for storage in storages]
        factor = None if type(scale) in (int, float) and scale == 1 else scale
        self.parameter_gradients = None
        self.grad_input, self.state_gradient, new, *seen = plan.run(
            plan.backward,
            self.residuals,
            self.residuals.needed(self.arguments),
            *cotangents,
            arrays,
            factor,
            self._regularized(),
        )
        if seen and watched.answered(self, *seen):
            return self.backward(module, grad_output, scale, state, step)
        self._store(plan.gradients, new)
        plan.spend("gradient")
        for foreign in plan.foreign:
            for pair in foreign.pending:
                foreign.accGradParameters(*pair, scale)

    def pull_back(self, module: Module, grad_output: Any, state: list | None = None, step: int = 0) -> None:
        """Pulls gradOutput back and keeps the parameters' gradients for `accumulate`."""
        cotangents = self._prepare(module, grad_output, state, step)
        self.parameter_gradients, self.grad_input, self.state_gradient, *seen = self.plan.run(
            compiled.pull_back(self.plan.program), self.residuals, self.residuals.needed(self.arguments), *cotangents
        )
        if seen and watched.answered(self, *seen):
            return self.pull_back(module, grad_output, state, step)
        self.plan.spend("gradient")

    def accumulate(self, scale: Any) -> None:
        """Adds scale * the kept gradients to the gradients' tensors."""
        self._add(self.plan.gradients, scale)
        for foreign in self.plan.foreign:
            for pair in foreign.pending:
                foreign.accGradParameters(*pair, scale)

    def descend(self, rate: Any) -> None:
        """Takes rate * the kept gradients off the parameters, leaving the gradients' tensors alone."""
        self._add(self.plan.parameters, -rate)
        for foreign in self.plan.foreign:
            for pair in foreign.pending:
                foreign.accUpdateGradParameters(*pair, rate)

    def _stands(self, layout: Layout) -> bool:
        """Whether tensors still lie where they lay when the network was called."""
        return self.plan.version == version() or layout.stands

    def _terms(self) -> compiled.Terms:
        """What gradients get as they are accumulated now: scales may have changed since the forward call."""
        return self.plan.terms if self.plan.version == version() else self.plan.terms_now()

    def _regularized(self) -> list | None:
        """The parameters' storages as the call had them, if regularizers look at them."""
        return None if self.plan.terms is None else self.arguments[0]

    def _add(self, layout: Layout, scale: Any) -> None:
        """Adds scale * the kept gradients to tensors."""
        terms = self._terms()
        if self._stands(layout) and terms == self.plan.terms:
            run = compiled.accumulation(self.plan.program, layout.target, self.plan.terms)
            arrays = [storage.array for storage in layout.storages]
            self._store(layout, self.plan.run(run, self.parameter_gradients, arrays, scale, self._regularized()))
            return
        # Tensors were moved since, by getParameters or a cast, or scales were set: one by one.
        gradients = self.parameter_gradients
        if terms is not None:
            had = [compiled.read(self.arguments[0], view) for view in self.plan.program.views]
            gradients = [self.plan.run(term.of, *pair) for term, *pair in zip(terms, gradients, had, strict=True)]
        for tensor, gradient in zip(layout.tensors, gradients, strict=True):
            tensor.add(scale, gradient)

    def _store(self, layout: Layout, arrays: list) -> None:
        for storage, array in zip(layout.storages, arrays, strict=True):
            storage.array = array

    # What inner modules saw ------------------------------------------------------------------------------------------

    def _inspect(self, gradients: bool) -> tuple:
        self._inspected = self._inspected or {}
        if gradients not in self._inspected:
            cotangents = self.cotangents if gradients else None
            run = compiled.inspection(self.plan.program)
            with watched.repeating():
                self._inspected[gradients] = self.plan.run(run, *self.arguments, cotangents)
        return self._inspected[gradients]

    def input_of(self, module: Module) -> Any:
        """What a module was given in this call; None if it did not run."""
        path = self.plan.paths[id(module)]
        return wrapped(self._inspect(False)[0][0].get(path) if path else self.arguments[2])

    def output_of(self, module: Module) -> Any:
        """A module's output in this call; None if it did not run."""
        path = self.plan.paths[id(module)]
        return self.result if not path else self._shown("output", path, lambda: self._inspect(False)[0][1].get(path))

    def grad_input_of(self, module: Module) -> Any:
        """The gradient at a module's input; None before backward."""
        if self.cotangents is None:
            return None
        path = self.plan.paths[id(module)]
        find = (lambda: self._inspect(True)[1].get(path)) if path else lambda: self.grad_input
        return self._shown("gradInput", path, find)

    def exposed_by(self, module: Module, name: str) -> Any:
        """An intermediate value that a module's layer shows (a mask, indices); None if it did not show it."""
        path = self.plan.paths[id(module)]
        return self._shown(name, path, lambda: self._inspect(False)[0][2].get(path, {}).get(name))

    def _shown(self, what: str, path: Path, find: Any) -> Any:
        if self._seen is None:
            self._seen = {}
        if (what, path) not in self._seen:
            self._seen[what, path] = wrapped(find())
        return self._seen[what, path]


def _reshaped(output: Any, gradient: Any) -> Any:
    return np.asarray(gradient).reshape(output.shape)
