"""The results of calls in an object's fields: `output` and `gradInput`, also from networks around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ...core.types import Value
from ...interop.torch7.table import schema_of
from ..engine.calls import Call, Newest, count
from ..engine.compiled import without_float0
from ..engine.foreign import Foreign, gradient_by
from ..engine.known_users import output_of
from ..engine.objects import PullBacks
from ..engine.registered import Registered
from ..objects import nested
from ..objects.described import Described
from ..tensors.changes import watchers
from ..tensors.values import Input, Output, as_tensors, unwrapped, wrapped
from .own_backward import OwnBackward


class Results(OwnBackward, Described):
    """The part of Module that shows the results of the newest call, computed when they are asked for."""

    _call: Call | None = None
    _hooks: list[Registered] | tuple = ()

    def _calls(self) -> Iterator[Call]:
        """The last calls that ran this object, alone or inside of networks, the newest first."""
        call = self._call
        if call is not None and call.number == Newest.number:
            yield call
        # A user's methods that are called leave in the fields what networks around would have to run them again for.
        plans = [plan for plan in watchers(self) if not any(each is self for each in plan.foreign)]
        others = [plan.last_call() for plan in plans if plan.last_call is not None]
        yield from sorted((c for c in (call, *others) if c is not None), key=lambda c: c.number, reverse=True)

    def _newest_call(self) -> Call | None:
        """The first of these."""
        return next(self._calls(), None)

    def _output_of(self, call: Call) -> Any:
        return call.output_of(self)

    def _grad_input_of(self, call: Call) -> Any:
        return None if self.withholds_gradient() else call.grad_input_of(self)

    def _left_by_call(self, field: str, find: Callable[[Call], Any]) -> Any:
        held = self.__dict__.get(field)
        for call in self._calls():
            if held is not None and call.number <= held[0]:
                break
            found = find(call)
            if found is not None:  # a call that was repeated for backward, for one, knows of no output
                return found
        if held is None:
            held = self.__dict__[field] = (0, self._as_made(field))
        return held[1]  # also None, if that is what a user has set

    def _kept(self, field: str) -> Any:
        """What the object itself has in a field, or had at first."""
        held = self.__dict__.get(field)
        return self._as_made(field) if held is None else held[1]

    def _as_made(self, field: str) -> Any:
        """A field's first value in Torch: an empty tensor, an empty table, or a table of two empty tensors."""
        schema = None if self._spec is None else schema_of(type(self._spec))
        kind: type | None = None
        if schema is not None and self._spec is not None:
            kind = schema.output if field == "_own_output" else schema.grad_input_of(self._spec)
        if kind is list:
            return []
        tensors = [self._made() for _ in range(2)]
        return tensors if kind is not None and issubclass(kind, tuple) else tensors[0]

    def _emptied(self, result: Value) -> Value:
        """What Torch's clearState leaves of a result, or of an input instead of its gradient."""
        return [] if isinstance(result, (list, dict)) else self._made()

    def _cast(self, type_name: str, cache: dict) -> None:
        super()._cast(type_name, cache)
        for field in ("_own_output", "_grad_input"):
            if field in self.__dict__:
                number, value = self.__dict__[field]
                self.__dict__[field] = (number, nested.recursiveType(value, type_name, cache))

    @property
    def pending_pull_backs(self) -> PullBacks:
        """Ways back whose accGradParameters is still to come."""
        return self.__dict__.setdefault("_pending", PullBacks())

    def go_through_pending(self, scale: float, by: Callable | None = None) -> None:
        """Adds to the parameters' gradients for each of these, or calls a method of this object that does more.

        The object is as it was after the call whose way back it is.
        """
        for input, gradient, moment in self.pending_pull_backs:
            moment.returned()
            if by is not None or moment.added is None:
                (by or self.accGradParameters)(input, gradient, scale)
                continue
            for tensor, value in moment.added:
                tensor.add(value)

    def _differentiated(self) -> bool:
        """Whether the parameters' gradients come from a call, rather than from a user's methods."""
        return self.is_described or not self.has_own_gradient()

    @contextmanager
    def _keeping_grad_input(self) -> Iterator[None]:
        """A block after which gradInput is what the user's updateGradInput has left."""
        left = self.gradInput if self.overrides("updateGradInput") else None
        yield
        if left is not None:
            self.gradInput = left

    def _output_by_hand(self, input: Any) -> Any:
        """The output of a user's updateOutput, when the gradient is the user's as well: nothing is compiled."""
        return output_of(self, type(self), as_tensors(input))

    def _gradient_by_hand(self, input: Any, grad_output: Any, scale: float) -> Any:
        """What the user's updateGradInput leaves in gradInput, as Torch's `backward`; calls accGradParameters, too."""
        input, grad_output = as_tensors(input), None if grad_output is None else as_tensors(grad_output)
        gradient_by(self, input, grad_output)
        self.accGradParameters(input, grad_output, scale)
        return self.gradInput

    def _gradient_of_output(self, input: Any, grad_output: Any) -> Any:
        """gradInput by differentiating the user's updateOutput, which runs again."""
        pulled = Foreign(self).pulled_back(unwrapped(input), unwrapped(grad_output))  # type: ignore[call-arg]
        self.gradInput = wrapped(without_float0(pulled))
        return self.gradInput

    def _ends_in_users_gradient(self) -> bool:
        """Whether it is a chain whose last module has a user's gradient, and so accepts a gradOutput of any shape."""
        return False

    def _one_by_one(self, input: Input, pull: Callable, gradient: Any) -> Any:
        """gradInput of such a chain, pulled back module by module, as in Torch."""
        raise NotImplementedError

    def _typed(self, type_name: str, tensorCache: dict | None) -> Any:
        """Also casts the results of the last call."""
        left = None if self._call is None else (self.output, self.gradInput)
        made = super()._typed(type_name, tensorCache)
        if left is not None:
            self.output, self.gradInput = (nested.recursiveType(each, type_name) for each in left)
        return made

    @property
    def output(self) -> Output:
        """The output of the last call, also of a network around this module."""
        return self._left_by_call("_own_output", self._output_of)

    @output.setter
    def output(self, value: Input | None) -> None:
        self.__dict__["_own_output"] = (next(count), value)

    @property
    def gradInput(self) -> Output:
        """The gradient with respect to the input in the last backward."""
        return self._left_by_call("_grad_input", self._grad_input_of)

    @gradInput.setter
    def gradInput(self, value: Input | None) -> None:
        self.__dict__["_grad_input"] = (next(count), value)
