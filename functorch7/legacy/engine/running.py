"""How a plan's compiled functions are found and called: at once, or noted and called when somebody looks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import jax
import numpy as np

from ... import core
from ...core.types import Scalar, Value
from ...network import numbers
from ..tensors.marked import is_marked
from ..tensors.parameter import Parameter
from ..tensors.values import Input
from . import compiled, watched
from .compiled import Program
from .cut import Cut
from .foreign import calling
from .handed_on import noted_input
from .layout import Layout
from .lengths import Lengths, length_of
from .noting import Noting, at_once, called
from .objects import Object
from .terms import Terms
from .turns import Placed


class Running:
    """The part of a plan that runs its program."""

    program: Program
    read: Callable[..., Value]
    takes_table: bool
    foreign: list[Object]
    placed: list[Placed]
    wide: bool
    terms: Terms | None
    noting: Noting | None
    lengths: Lengths | None
    sequencers: list
    parameters: Layout
    gradients: Layout
    all_parameters: Layout
    all_gradients: Layout
    dtype: np.dtype
    is_stateless: bool
    rate: Scalar
    is_steady: bool
    precision: np.dtype | None
    is_stale: bool
    traced: list
    spec: core.Module
    draws: bool
    runs_once: bool
    _users: list
    _numbers: list
    is_tied = False  # whether those of PyTorch's parameters that lie at one place have been made one

    @property
    def has_layout(self) -> bool:
        """Whether parameters lie as they do here, in whatever mode and form of call."""
        return not (self.is_stale or self.traced or self._users)

    def runs_as(self, other: Running) -> bool:
        """Whether it takes the buffers, the state and the random draw of another's calls, wherever parameters lie.

        Numbers may differ where nothing is drawn: by another probability other elements would be.
        """
        mine, theirs = self.program, other.program
        alike = (mine.buffers, mine.train) == (theirs.buffers, theirs.train)
        reduced = numbers.but_for_numbers if self.runs_once and not self.draws else lambda spec: spec
        return alike and (mine.spec == theirs.spec or reduced(mine.spec) == reduced(theirs.spec))

    def _numbers_now(self) -> list:
        return [getattr(module._spec, name) for module, name in self._numbers]

    def whole_spec(self) -> core.Module:
        """The description with the numbers that calls would be given now."""
        return numbers.put_in(self.spec, self._numbers_now())

    def renewed(self) -> Running:
        """The plan as it is after a change that left the arrays where they were."""
        raise NotImplementedError

    def with_numbers(self, buffers: list) -> list:
        """The buffers of a call of a plan that this runs as, with the numbers of now."""
        return buffers[: self.program.buffers.num_leaves] + self._numbers_now() if self._numbers else buffers

    def is_set_otherwise(self, buffers: list) -> bool:
        """Whether numbers of the network's modules, such as a rate, differ from those in a call's buffers.

        Torch's backward uses those of now.
        """
        if self.draws or not self.runs_once:
            return False
        if not self.is_stale:
            return bool(self._numbers) and self.with_numbers(buffers) != buffers
        now = self.renewed()
        before = numbers.put_in(self.program.spec, buffers[self.program.buffers.num_leaves :])
        return now.runs_as(self) and now.whole_spec() != before

    def length_to_run(self, input: Value) -> int | None:
        """As how many steps a sequence is to be run; None: as it is, as must one whose last state goes on."""
        if self.lengths is None or any(sequencer.hasMemory() for sequencer, _ in self.sequencers):
            return None
        found = self.lengths.to_run(input)
        return None if found == length_of(input) else found

    def input_of(self, given: Input) -> Value:
        """The input of a call, as read from what it is given."""
        input = self.read(given, self.takes_table)
        return self.run(noted_input, given, input) if is_marked(given) else input

    def run(self, function: Callable, *args: Value) -> Value:
        """Calls a compiled function in the network's precision."""
        if self.foreign:
            with calling(self.foreign):
                return at_once(function, args, self.precision)
        return at_once(function, args, self.precision)

    def call(self, function: Callable, args: tuple, varying: Value) -> Value:
        """As `run`, at once or when somebody looks; `varying` are those of the arguments that may have other shapes."""
        if self.foreign:
            return self.run(function, *args)
        return called(self.noting, function, args, varying, self.precision)

    def forward(self, function: Callable, arguments: tuple) -> Value:
        """Calls one of the two below; where JAX looks for nan, what a check of values has found is said first."""
        try:
            return self.call(function, arguments, arguments[2])
        except FloatingPointError:
            with jax.debug_nans(False):
                _, (_, error), *_ = self.run(function, *arguments)
            if error is not None:
                core.raise_found(error)
            raise

    @cached_property
    def evaluate(self) -> Callable:
        """Forward without a pull-back."""
        if self.placed:
            return watched.evaluation(self.program)
        return compiled.evaluation(self.program)

    @cached_property
    def differentiate(self) -> Callable:
        """Forward with the pull-back."""
        if self.placed:
            backward = any(each.hook and each.hook.kind.startswith("backward") for each in self.placed)
            return watched.differentiation(self.program, backward)
        return compiled.differentiation(self.program)

    @property
    def is_worth_cutting(self) -> bool:
        """Whether compiling between users' calls has been worth it, so far."""
        return isinstance(self.differentiate, Cut) and self.differentiate.whole

    @cached_property
    def backward(self) -> Callable:
        """Pull-back and accumulation."""
        return compiled.backward(self.program, self.gradients.accumulated, self.terms and self.terms.known)

    @cached_property
    def backward_to_parameters(self) -> Callable:
        """The same without the gradient at the input."""
        known = self.terms and self.terms.known
        return compiled.backward(self.program, self.gradients.accumulated, known, False)

    @cached_property
    def update(self) -> Callable:
        """The step along the gradient."""
        params, grads = self.all_parameters, self.all_gradients
        pairs = zip(params.tensors, grads.tensors, params.views, grads.views, strict=True)
        # A parameter of PyTorch's counts once, wherever it is; of Torch's tensors each place counts.
        once = {(id(p), id(g)) if isinstance(p, Parameter) else i: views for i, (p, g, *views) in enumerate(pairs)}
        views, grad_views = zip(*once.values(), strict=True)
        whole = views == grad_views and params.covers and grads.covers and len(set(views)) == len(views)
        return compiled.update(views, grad_views, whole)
