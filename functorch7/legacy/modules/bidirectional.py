"""Layers of sequences in both directions."""

from __future__ import annotations

from typing import Self

from ...recurrent.reversal import BothWays as BothWaysSpec
from ..objects.described import Described
from .decorators import Decorator


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
