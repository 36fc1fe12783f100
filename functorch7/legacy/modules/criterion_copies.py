"""The results of a criterion's last call in copies and files."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Self

from ...core.probe import opened
from ...core.recording import Recorder
from ...core.types import Value
from ...interop.t7.values import Fields
from ..engine.calls import Call, count
from ..engine.fields import LEFT
from ..tensors.number import as_number
from .criterion_parts import CriterionParts


class CriterionCopies(CriterionParts):
    """The part of Criterion for copies and files."""

    def left(self) -> tuple[Value, Value]:
        """(output, gradInput) for copies and files; each None if nothing was computed.

        Networks around are not asked, as they may still be in the making. Nothing is computed for copies that are made
        while a network is looked into.
        """
        if not self._by_plan and opened(Recorder) is None:
            self._catch_up(with_networks=False)
        call = self._call if self._by_plan else None
        return self._newer("_own_output", call, self._output_of), self._newer("_grad_input", call, self._grad_input_of)

    def _output_of(self, call: Call) -> Value:
        return as_number(super()._output_of(call))

    def _grad_input_of(self, call: Call) -> Value:
        return of_input(super()._grad_input_of(call))

    def _newer(self, field: str, call: Call | None, find: Callable[[Call], Value]) -> Value:
        """The result of a call, or a value that was put into the field later."""
        number, value = self.__dict__.get(field, (0, None))
        if call is not None and call.number > number:
            return find(call)
        return value if number else None

    def _catch_up(self, after: int | None = None, with_networks: bool = True) -> None:
        raise NotImplementedError

    def take_left(self, output: Value, grad_input: Value) -> None:
        """Takes the results of another one; None keeps its own."""
        if output is not None:
            self.output = output
        if grad_input is not None:
            self.gradInput = grad_input

    def saved_fields(self) -> Fields:
        """The fields of a user's class for a file."""
        left = {name: each for name, each in zip(LEFT, self.left(), strict=True) if each is not None}
        return super().saved_fields() | left

    def take_fields(self, fields: Fields) -> list:
        """Takes a file's fields; returns lists with the results of the last call, in which tensors will be put."""
        left = {"_own_output": fields.get("output"), "_grad_input": fields.get("gradInput")}
        super().take_fields(fields)
        held = {field: [next(count), value] for field, value in left.items() if value is not None}
        self.__dict__.update(held)
        return list(held.values())

    def __deepcopy__(self, memo: dict) -> Self:
        made = super().__deepcopy__(memo)
        made.take_left(*copy.deepcopy(self.left(), memo))
        return made


def of_input(gradients: Value) -> Value:
    """The input's gradient among those of input and target."""
    return None if gradients is None else gradients[0]
