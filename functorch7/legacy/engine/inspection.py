"""What a call was given, and what the modules inside a network saw in it: found out when somebody asks, by running it
again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from ...core.types import Value
from ..tensors.noted import looked_at
from ..tensors.tensor import Tensor
from ..tensors.values import Input, Output, as_gradient, of_network, same_values, shown, wrapped
from . import compiled, watched
from .at_input import with_zeros
from .objects import Passing
from .plan import Path, Plan
from .unfit import as_given


class Inspection:
    """The part of a call that answers for the modules inside."""

    __slots__ = ()
    plan: Plan
    arguments: tuple
    residuals: Any
    cotangents: Any
    given_gradient: Any
    read_gradient: Any
    output: Any
    grad_input: Any
    result: Any
    _inspected: dict[tuple, Any] | None
    _seen: dict[tuple, Any] | None

    def is_at(self, values: Value) -> bool:
        """Whether it is the network at an input, with the numbers that its modules have now."""
        return same_values(values, self.arguments[2]) and not self.plan.is_set_otherwise(self.arguments[1])

    def was_given(self, grad_output: Input | None) -> bool:
        """Whether this is what was pulled back last, with the same values: Lua's tables may be new at each call."""
        if grad_output is None or self.given_gradient is None:
            return grad_output is self.given_gradient
        return same_values(as_gradient(grad_output, self.output, self.plan.read), self.read_gradient)

    def _inspect(self, gradients: bool, look: Callable = compiled.inspection) -> tuple:
        self._inspected = self._inspected or {}
        if (look, gradients) not in self._inspected:
            run, arguments = self._looking(look, gradients)
            with watched.repeating():
                self._inspected[look, gradients] = self.plan.run(run, *arguments)
        return self._inspected[look, gradients]

    def _looking(self, look: Callable, gradients: bool) -> tuple[Callable, tuple]:
        residuals = looked_at(self.residuals)
        answers = [] if residuals is None else residuals.answers
        return look(self.plan.program), (*self.arguments, self.cotangents if gradients else None, answers)

    @property
    def input_shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shapes of the input's arrays."""
        return tuple(np.shape(leaf) for leaf in jax.tree.leaves(self.arguments[2]))

    def steps_of(self, module: object) -> int:
        """How many steps a recurrent module, or the one that a sequencer runs, has made in this call."""
        return self.lengths()(module)

    def lengths(self) -> Callable[[object], int]:
        """`steps_of`, without the call's arrays."""
        plan = self.plan
        shapes = self.input_shapes
        if plan.filmed is not None and plan.filmed[0] == shapes:
            filmed = plan.filmed[1]
            return lambda module: _steps_in(filmed, plan.paths[id(module)])
        run, arguments = self._looking(compiled.film, False)
        if plan.program.is_compiled and not plan.foreign:
            given = jax.tree.map(_abstract, arguments)

            def steps_in(module: object) -> int:
                plan.filmed = shapes, plan.run(run.eval_shape, *given)[0]
                return _steps_in(plan.filmed[1], plan.paths[id(module)])

            return steps_in
        frames = jax.tree.map(_abstract, self._inspect(False, compiled.film)[0])
        return lambda module: _steps_in(frames, plan.paths[id(module)])

    def frames_of(self, module: object, name: str, gradients: bool) -> Value:
        """What a film of this call has under a name, or the gradients there, time first; None if there is none."""
        if gradients and self.cotangents is None:
            return None
        frames = self._inspect(gradients, compiled.film)[gradients]
        return frames.get((self.plan.paths[id(module)], name))

    def input_of(self, module: object) -> Output:
        """What a module was given in this call; None if it did not run."""
        path = self.plan.paths[id(module)]
        return wrapped(self._inspect(False)[0][0].get(path) if path else self.arguments[2])

    def output_of(self, module: object) -> Output:
        """A module's output in this call; None if it did not run."""
        path = self.plan.paths[id(module)]
        return self._shown("output", path, self._output_at) if path else self.result

    def _output_at(self, path: Path) -> Value:
        return self._inspect(False)[0][1].get(path)

    def grad_input_of(self, module: Passing) -> Output:
        """The gradient at a module's input; None before backward."""
        if self.cotangents is None or module._passes_no_gradient():
            return None
        return self._shown("gradInput", self.plan.paths[id(module)], self._grad_input_at)

    def _grad_input_at(self, path: Path) -> Value:
        if not path:
            return _at_input(self.grad_input, self.arguments[2])
        values, gradients = self._inspect(True)
        return _at_input(gradients[path], values[0].get(path), is_narrow=True) if path in gradients else None

    def exposed_by(self, module: object, name: str) -> Output:
        """An intermediate value that a module's layer shows (a mask, indices); None if it did not show it."""
        path = self.plan.paths[id(module)]
        value = self._shown(name, path, lambda path: self._inspect(False)[0][2].get(path, {}).get(name))
        return value.item() if isinstance(value, Tensor) and not value.shape else value

    def _shown(self, what: str, path: Path, find: Callable[[Path], Value]) -> Any:
        if self._seen is None:
            self._seen = {}
        key = what, path
        if key not in self._seen:
            self._seen[key] = (wrapped if self.plan.keeps_types else of_network)(find(path))
        return self._seen[key]


def _at_input(gradient: Value, input: Value, is_narrow: bool = False) -> Value:
    """A gradient as tensors; what a user gave that does not fit the input, as it is."""
    given = as_given(gradient)
    return with_zeros(gradient, input, is_narrow) if given is gradient else shown(given)


def _abstract(leaf: Any) -> Any:
    return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) if hasattr(leaf, "dtype") else leaf


def _steps_in(frames: dict, place: Path) -> int:
    """How many steps the outermost recurrent module at a place or inside it has made, by a film's frames."""
    inside = [path for path, name in frames if name == "output" and path[: len(place)] == place]
    return jax.tree.leaves(frames[min(inside, key=len), "output"])[0].shape[0] if inside else 0
