"""Lua's arguments for the constructors of classes."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar

from ..legacy import nn
from .arguments import shape_for
from .kinds import Crossing

HAS_RNN: ContextVar[bool] = ContextVar("HAS_RNN", default=False)
"""Whether the program has required rnn, which replaces nn's Dropout by its own."""

OF_RNN = ("lazy", "mono")
"""The arguments of rnn's Dropout in the place of nn's `stochasticInference`."""


def arguments_of(kind: type, given: Sequence) -> tuple[Crossing, dict[str, bool]]:
    """The positional and the named arguments of a constructor."""
    named: dict[str, bool] = {}
    if len(given) > 3 and HAS_RNN.get() and issubclass(kind, nn.Dropout):
        named = {name: bool(each) for name, each in zip(OF_RNN, given[3:], strict=False)}
        given = given[:3]
    return shape_for(kind).fitted(given), named
