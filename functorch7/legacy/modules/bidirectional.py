"""Sequences in both directions: the parts have names."""

from __future__ import annotations

from typing import Any, Self

from ... import recurrent
from ...recurrent.reversal import BothWays as BothWaysSpec
from ..objects.described import Described
from .container import Container
from .decorators import Decorator


class BiSequencer(Container, describes=recurrent.BiSequencer):
    """nn.BiSequencer."""

    def getForward(self) -> Described:
        """The same as `fwdSeq`."""
        return self.fwdSeq

    def getBackward(self) -> Described:
        """The same as `bwdSeq`."""
        return self.bwdSeq


class SeqBRNN(Container, describes=recurrent.SeqBRNN):
    """nn.SeqBRNN."""

    @property
    def _concat(self) -> Any:
        return self.get(1, 2) if self.modules[0].size() == 4 else self.get(1, 1)

    @property
    def forwardModule(self) -> Described:
        """The nn.SeqLSTM that runs forwards."""
        return self._concat.get(1)

    @property
    def backwardModule(self) -> Described:
        """The nn.SeqLSTM that runs backwards."""
        return self._concat.get(2, 2)


class ReverseUnreverse(Decorator, describes=recurrent.ReverseUnreverse):
    """nn.ReverseUnreverse."""

    def getModule(self) -> Described:
        """The sequencer inside."""
        return self.get(1).get(2)


class BothWays(Decorator, describes=BothWaysSpec):
    """nn.SeqBLSTM and nn.SeqBGRU."""

    def getForward(self) -> Described:
        """The layer that runs forwards."""
        return self.get(1).get(1).get(1)

    def getBackward(self) -> Described:
        """The layer that runs backwards."""
        return self.get(1).get(1).get(2).getModule()

    def remember(self, mode: str | None = None) -> Self:
        """Says to the forward layer when to keep its state; the other never does."""
        self.getForward().remember(mode)
        return self

    def maskZero(self, v1: bool = True) -> Self:
        """Makes both layers give zeros where the input is zeros (or setZeroMask says so), and start anew there."""
        self.getForward().maskZero(v1)
        self.getBackward().maskZero(v1)
        return self
