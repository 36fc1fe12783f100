"""Layers of sequences in both directions."""

from __future__ import annotations

from typing import Self

from ...recurrent import BiSequencer as BiSequencerSpec
from ...recurrent import BiSequencerLM as BiSequencerLMSpec
from ...recurrent.reversal import BothWays as BothWaysSpec
from ...recurrent.sequencer import check_mode
from ..objects.described import Described
from .container import Container
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
        """Sets when the forward layer keeps its state; the other never does."""
        self.getForward().remember(mode)
        return self

    def maskZero(self, v1: bool = True) -> Self:
        """Makes both layers return zeros, and start again, where the input is zeros (or by setZeroMask)."""
        self.getForward().maskZero(v1)
        self.getBackward().maskZero(v1)
        return self


class StartsAnew(Described):
    """Sequencers whose two directions both start again with every sequence, whatever is to be remembered."""

    def remember(self, mode: str | None = None) -> Self:
        """Does nothing, as in rnn, which does not tell the Sequencers inside. Raises ValueError for unknown modes."""
        check_mode(self.typename(), "both" if mode is None else mode)
        return self


class BiSequencer(StartsAnew, Decorator, describes=BiSequencerSpec):
    """nn.BiSequencer."""


class BiSequencerLM(StartsAnew, Container, describes=BiSequencerLMSpec):
    """nn.BiSequencerLM."""
