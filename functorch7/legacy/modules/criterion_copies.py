"""What copies and files of a criterion have of its last call."""

from __future__ import annotations

import copy
from typing import Self

from ...core.types import Value
from ...interop.t7.values import Fields
from ..engine.calls import count
from ..engine.fields import LEFT
from .criterion_parts import CriterionParts


class CriterionCopies(CriterionParts):
    """The part of Criterion that copies and files ask."""

    def left(self) -> tuple[Value, Value]:
        """(output, gradInput), as copies and files have them; each None where nothing was computed.

        What networks around have computed is not asked for: they may be in the making.
        """
        if self._by_plan:
            return (None, None) if self._call is None else (self.output, self.gradInput)
        self._catch_up(with_networks=False)
        held = (self.__dict__.get(field, (0, None)) for field in ("_output", "_grad_input"))
        output, grad_input = (value if number else None for number, value in held)
        return output, grad_input

    def take_left(self, output: Value, grad_input: Value) -> None:
        """Takes what another one has left; None: what it is made with."""
        if output is not None:
            self.output = output
        if grad_input is not None:
            self.gradInput = grad_input

    def saved_fields(self) -> Fields:
        """The fields as a file has them, of a user's class."""
        left = {name: each for name, each in zip(LEFT, self.left(), strict=True) if each is not None}
        return super().saved_fields() | left

    def take_fields(self, fields: Fields) -> list:
        """Becomes what a file's fields say, with what the last call has left: lists, in which tensors take places."""
        left = {"_output": fields.get("output"), "_grad_input": fields.get("gradInput")}
        super().take_fields(fields)
        held = {field: [next(count), value] for field, value in left.items() if value is not None}
        self.__dict__.update(held)
        return list(held.values())

    def __deepcopy__(self, memo: dict) -> Self:
        made = super().__deepcopy__(memo)
        made.take_left(*copy.deepcopy(self.left(), memo))
        return made
