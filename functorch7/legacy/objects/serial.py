"""What is saved of a module: everything except results of past calls, or less."""

from __future__ import annotations

import copy
import math
from typing import Any, Self, SupportsIndex

import numpy as np

from ... import layers
from ...core.types import Value
from ...interop.t7.values import Fields
from ..engine.fields import LEFT
from ..tensors.tensor import Tensor
from ..tensors.zeros import of_zeros
from .described import Described, overridden_in
from .generated import class_of, is_generated, is_named
from .nested import table_type
from .own_elements import take_writes

RESULTS = ("_own_output", "_grad_input")

PRIVATE = (
    *RESULTS, "_plans", "_seats", "_call", "_history", "_forgotten", "_hooks", "_pending", "_elements", "_moment",
    "_next_state", "_next_gradient", "_default_name", "_line", "_times", "_noise", "_kept", "_described_before",
    "_compiled", "_composed", "_drawn", "_around", "_whole", "_followed", "_calls_by_hand",
)  # fmt: skip
"""Fields that belong to past calls: never copied, never saved."""


class Serialization(Described):
    """The part of Module about saving. Gradients that are emptied are zeros again when loaded.

    Source: dpnn/README.md, Serial.
    """

    dpnn_mediumEmpty = (*LEFT, "momGradParams", "dpnn_input")
    dpnn_serialEmpty: tuple[str, ...] = ()

    @property
    def dpnn_lightEmpty(self) -> list[str]:
        """What `lightSerial` empties beside `dpnn_mediumEmpty`: the gradients."""
        return self.dpnn_gradParameters

    def heavySerial(self) -> Described:
        """Saves everything (the default)."""
        return self.serialMode([])

    def mediumSerial(self) -> Self:
        """Saves everything except what each module's `dpnn_mediumEmpty` names: for training."""
        for module in self._members():
            module.__dict__["dpnn_serialEmpty"] = tuple(module.dpnn_mediumEmpty)
        return self

    def lightSerial(self) -> Self:
        """Saves no gradients either: for use."""
        for module in self._members():
            module.__dict__["dpnn_serialEmpty"] = (*module.dpnn_mediumEmpty, *module.dpnn_lightEmpty)
        return self

    def Serial(self, tensortype: str | None = None) -> Described:
        """This module in an nn.Serial, which saves it in a type of tensors."""
        return class_of(layers.Serial)(self, tensortype)

    def serialMode(self, empty: object) -> Self:
        """Saves everything except the fields of these names, in all modules inside."""
        if not isinstance(empty, (list, tuple)):
            raise TypeError(f"expecting a table of names at arg 1, got {empty!r}")
        for module in self._members():
            module.__dict__["dpnn_serialEmpty"] = tuple(empty)
        return self

    def getSerialState(self) -> Fields:
        """The saved fields, with the class's name as `dpnn_typename`; likewise for the modules inside."""
        state = {name: value for name, value in self.__getstate__().items() if not name.startswith("_")}
        inner = {"modules": [module.getSerialState() for module in self.children()]} if self.children() else {}
        return {**state, **inner, "dpnn_typename": self.typename()}

    def write(self, file: Value) -> None:
        """Writes all fields, as one table, by `file.writeObject`."""
        file.writeObject(self._written())

    def read(self, file: Value) -> None:
        """Takes the fields that `file.readObject` returns."""
        self._take_read(file.readObject())

    def _written(self) -> Fields:
        return self.__getstate__()

    def _take_read(self, fields: Fields) -> None:
        self.__setstate__(fields)

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple:
        described = type(self._spec)
        if not is_generated(type(self)) or is_named(described):
            return super().__reduce_ex__(protocol)
        return _blank, (described,), self.__getstate__()  # a class without a name, to be made again

    def __deepcopy__(self, memo: dict) -> Self:
        take_writes(self)
        made = memo[id(self)] = object.__new__(type(self))
        # A criterion's results are copied apart, but a user's updateOutput may go on from what it has left.
        left = RESULTS if not self.is_criterion or overridden_in(type(self), "updateOutput") else ()
        kept = {name: value for name, value in self.__dict__.items() if name in left or name not in PRIVATE}
        call = None if self.is_criterion else self.__dict__.get("_call")
        if call is not None and call.number > kept.get("_own_output", (0, None))[0]:
            found = {"_own_output": call.result, "_grad_input": None if call.grad_input is None else self.gradInput}
            # A call that was repeated for backward knows of no output.
            kept |= {name: (call.number, value) for name, value in found.items() if value is not None}
        made.__setstate__(copy.deepcopy(kept, memo))
        return made

    def __getstate__(self) -> dict[str, Any]:
        take_writes(self)
        state = {name: value for name, value in self.__dict__.items() if name not in PRIVATE}
        return state | {name: _emptied(state[name]) for name in self.dpnn_serialEmpty if name in state}

    def saved_fields(self) -> Fields:
        """The fields for a file, including Torch's own: of results those that `take_fields` keeps."""
        held = [self.__dict__.get(name, (0, None))[1] for name in RESULTS]
        left = [each if self._goes_on_from(each) else self._made() for each in held]
        results = dict(zip(LEFT, left, strict=True))
        return {"_type": self._type, "train": self.train, **results, **self.__getstate__()}

    def take_fields(self, fields: Fields) -> list:
        """Takes a file's fields; the dict becomes the object's own.

        Tables among the results of its last call are kept, and what a user's updateOutput goes on from, as layers write
        into tensors that they made beforehand. Returns these, in tables whose entries are to become objects.
        """
        left = [fields.pop(name, None) for name in LEFT]
        self.__dict__ = fields
        tables: list = []
        for name, place, each in zip(LEFT, RESULTS, left, strict=True):
            if isinstance(each, (list, dict)):
                setattr(self, name, each)
                tables.append(each)
            elif self._goes_on_from(each):
                tables.append(fields.setdefault(place, [0, each]))
        return tables

    def _goes_on_from(self, result: object) -> bool:
        """Whether a result may count for the next call."""
        if isinstance(result, (Tensor, np.ndarray)):
            return math.prod(result.shape or (0,)) > 0 and overridden_in(type(self), "updateOutput")
        return isinstance(result, (list, dict))


def _blank(described: type) -> Any:
    """An empty object of the class for a description class."""
    return object.__new__(class_of(described))


def _emptied(value: Any) -> Any:
    if isinstance(value, Tensor):
        return of_zeros(value.shape, value.dtype)
    return table_type(value)() if isinstance(value, (list, dict)) else value
