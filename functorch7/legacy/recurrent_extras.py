"""Recurrent modules whose objects do more in Torch than their descriptions say, and measures of sequences."""

from __future__ import annotations

import warnings
from typing import Any

from .. import core, recurrent
from ..recurrent.fused import SequenceLayer as SequenceLayerSpec
from ..recurrent.reversal import BothWays as BothWaysSpec
from .container import Container
from .criterion import Criterion
from .decorators import Decorator
from .described import Described, Given
from .generated import object_of
from .module import Module
from .values import unwrapped


class AbstractRecurrent(Module, describes=recurrent.AbstractRecurrent):
    """A module of which one call is one time step.

    Source: rnn/README.md#rnn.AbstractRecurrent.
    """

    def backwardOnline(self) -> None:
        """Does nothing, and says so."""
        warnings.warn("Deprecated Jan 6, 2016. rnn always uses backwardOnline: no need to call it", stacklevel=2)


class AbstractSequencer(Container, describes=recurrent.AbstractSequencer):
    """A container that takes whole sequences.

    Source: rnn/README.md#rnn.AbstractSequencer.
    """


class SequenceLayer(Module, describes=SequenceLayerSpec):
    """A whole recurrent layer (SeqLSTM, SeqGRU), which is no container."""


class ReverseUnreverse(Decorator, describes=recurrent.ReverseUnreverse):
    """nn.ReverseUnreverse."""

    def getModule(self) -> Any:
        """The sequencer inside."""
        return self.get(1).get(2)


class BiSequencer(Decorator, describes=recurrent.BiSequencer):
    """nn.BiSequencer."""

    def getForward(self) -> Any:
        """The sequencer that runs forwards."""
        return self.get(1).get(1).get(1)

    def getBackward(self) -> Any:
        """The sequencer that runs backwards."""
        return self.get(1).get(1).get(2).get(2)


class BothWays(Decorator, describes=BothWaysSpec):
    """nn.SeqBLSTM and nn.SeqBGRU."""

    def getForward(self) -> Any:
        """The layer that runs forwards."""
        return self.get(1).get(1).get(1)

    def getBackward(self) -> Any:
        """The layer that runs backwards."""
        return self.get(1).get(1).get(2).getModule()

    def remember(self, mode: str | None = None) -> Any:
        """Says to the forward layer when to keep its state; the other never does."""
        self.getForward().remember(mode)
        return self

    def maskZero(self) -> Any:
        """Makes both layers give zeros where the input is zeros, and start anew there."""
        self.getForward().maskZero()
        self.getBackward().maskZero()
        return self


class AbstractSequencerCriterion(Criterion, describes=recurrent.AbstractSequencerCriterion):
    """nn.SequencerCriterion and nn.RepeaterCriterion; `criterion` is that of every step.

    Source: rnn (2017), AbstractSequencerCriterion.lua.
    """

    def _take(self, spec: core.Module, given: Given) -> None:
        super()._take(spec, given)
        if "criterion" not in self.__dict__:
            self.__dict__["criterion"] = given[0][1] if given else object_of(spec.criterion)  # type: ignore[attr-defined]

    def description(self) -> Any:
        """The immutable description, with the criterion as it stands."""
        return self._spec.replace(criterion=self.criterion.description())

    def _parts(self) -> list[Described]:
        return [self.criterion]

    def getStepCriterion(self, step: int) -> Criterion:
        """The criterion of a step: one for all."""
        if isinstance(step, bool) or not isinstance(step, int):
            raise TypeError(f"{self.typename()}: expecting step at arg 1, got {step!r}")
        return self.criterion


# Measures ------------------------------------------------------------------------------------------------------------


def _tokens(given: Any) -> list:
    values = unwrapped(given)
    return values.tolist() if hasattr(values, "tolist") else list(values)


def get_bleu(cand: Any, ref: Any, n: int = 4) -> float:
    """`functorch7.bleu` of two tables or tensors of tokens."""
    return recurrent.bleu(_tokens(cand), _tokens(ref), n)


def get_rougeN(cand: Any, ref: Any, n: int = 4, weight: Any = None) -> float:
    """`functorch7.rouge_n` of two tables or tensors of tokens; an empty table of weights is none."""
    return recurrent.rouge_n(_tokens(cand), _tokens(ref), n, weight or None)


def get_rougeS(cand: Any, ref: Any, beta: float = 1, dskip: int | None = None) -> float:
    """`functorch7.rouge_s` of two tables or tensors of tokens."""
    return recurrent.rouge_s(_tokens(cand), _tokens(ref), beta, dskip)
