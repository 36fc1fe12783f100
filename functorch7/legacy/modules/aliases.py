"""Torch's names for what objects already have: fields, modules inside, methods of their descriptions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import layers, recurrent
from ...core.types import Value
from ...layers.monitors import stopwatch
from ..objects.generated import More, more, object_of
from ..tensors.values import unwrapped
from .container import Container


def method(run: Callable[..., Value], said: str, gives: str = "Module") -> Callable[..., Value]:
    """A method that only calls another; `gives` is the result's type for type checkers, by its name in nn.pyi."""
    run.__doc__, run.__module__ = said, __name__
    run.__annotations__ = {**run.__annotations__, "return": gives}
    return run


def made(name: str, said: str) -> Callable[..., Value]:
    """A method that returns the object of what the description's method of this name returns."""

    def make(self: Any, *given: Any) -> Any:
        return object_of(getattr(self._spec, name)(*map(unwrapped, given)))

    return method(make, said)


def _watched(numbers: str, direction: str, said: str) -> property:
    """What a Profile's stopwatch has counted in a direction since it last printed."""
    return property(lambda self: getattr(stopwatch(self.own_description()), numbers)[direction], doc=said)


def _directions(self: Any) -> Any:
    """The nn.Concat of a SeqBRNN, in which its two layers are."""
    return self.get(1, 2) if self.modules[0].size() == 4 else self.get(1, 1)


def _reset(self: Container, stdv: float | None = None) -> Any:
    return self


more.update({
    layers.Dropout: More({
        "v2": property(
            lambda self: not self.v1, lambda self, value: setattr(self, "v1", not value),
            doc="Whether training scales what is kept: not v1.",
        )
    }),
    layers.Threshold: More({
        "validateParameters": method(
            lambda self: self.description().__post_init__(),
            "Raises for fields that make no sense together, as construction does.",
            "None",
        )
    }),
    layers.PReLU: More({
        "reset": method(_reset, "Leaves the weight as it is, as Torch does.", "Self")
    }),
    layers.Bigrams: More({
        "statistics": method(
            lambda self: self._spec.statistics(), "The mean number of words that may follow a word.", "float"
        )
    }),
    layers.Profile: More(
        {
            "numFwds": _watched("passes", "forward", "Forward passes."),
            "numBwds": _watched("passes", "backward", "Backward passes."),
            "summedFwdTime": _watched("seconds", "forward", "Seconds of the forward passes."),
            "summedBwdTime": _watched("seconds", "backward", "Seconds of the backward passes."),
        },
        says="Its fields are those of its stopwatch since it last printed.",
    ),
    recurrent.BiSequencer: More(
        {
            "getForward": method(lambda self: self.fwdSeq, "The same as `fwdSeq`."),
            "getBackward": method(lambda self: self.bwdSeq, "The same as `bwdSeq`."),
        },
        base=Container,
    ),
    recurrent.SeqBRNN: More(
        {
            "forwardModule": property(lambda self: _directions(self).get(1), doc="The nn.SeqLSTM that runs forwards."),
            "backwardModule": property(
                lambda self: _directions(self).get(2, 2), doc="The nn.SeqLSTM that runs backwards."
            ),
            "merge": property(
                lambda self: self.get(1, self.modules[0].size() // 2 + 1), doc="What joins both directions."
            ),
        },
        base=Container,
    ),
    layers.FireModule: More({
        "squeeze": property(lambda self: self.get(1, 1), doc="The nn.SpatialConvolution to fewer planes."),
        "expand": property(lambda self: self.get(1, 3), doc="The nn.Concat of two convolutions."),
    }),
    recurrent.ReverseUnreverse: More({
        "getModule": method(lambda self: self.get(1).get(2), "The sequencer inside.")
    }),
    recurrent.RecurrentAttention: More({}, says="`actions` holds what was looked at in the last call."),
})  # fmt: skip
