"""Whether forward may wait for the criterion (`waiting.py`), by how the steps of a network went so far."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jax._src.config import debug_infs, debug_nans  # jax.config asks them by a call more

from ...programs.ended import is_outside
from ..tensors.devices import Place
from ..tensors.notes import Notes
from ..tensors.tensor import Tensor
from . import credit
from .credit import Credit
from .joint import Joint
from .looks import Looks

OFTEN = 100
"""So many steps with inputs of one kind show that there will be more: another program is then worth its compilation."""

MOST_KINDS = 64
"""Inputs of so many shapes and types are known at most."""

LARGE = 2**16
"""An output of fewer elements costs too little to leave it out."""

SMALL = 2**16
"""Of the parameters: to start a program of such a network takes longer than to run it."""


@dataclass(slots=True)
class Expected:
    """What is known of a call before it is run."""

    shape: tuple[int, ...]  # of the output, as are the next two
    dtype: np.dtype
    place: Place | None
    is_seldom_seen: bool  # whether the gradient at its input may be left out
    is_seldom_read: bool  # whether the output may be left out
    joint: Joint | None = None  # the last program that ran with a loss


@dataclass(slots=True)
class Kind:
    """What is known of calls with inputs of one shape and type."""

    steps: int = 0
    expected: Expected | None = None


class Ahead:
    """What is known of the steps of one plan, each of which is forward, a criterion's loss, and backward."""

    __slots__ = ("_credit", "_elements", "_is_open", "_kinds", "at_output")

    def __init__(self, elements: int) -> None:
        self._kinds: dict[tuple, Kind] = {}  # by the shape and type of the input
        self._elements = elements  # of the parameters
        self.at_output = Looks()
        self._credit = Credit()  # without it no call waits any more
        self._is_open = False  # whether gradients are there that nobody has asked for

    @property
    def is_small(self) -> bool:
        """Whether to start a program of the network takes longer than to run it."""
        return self._elements <= SMALL

    def may_leave_out(self, output: Tensor) -> bool:
        """Whether an output is that large: whoever has it keeps the parameters alive, to compute it by."""
        return output.storage_.place is None and output.nElement() >= max(LARGE, self._elements // 2)

    def waiting(self, kind: tuple) -> Kind | None:
        """What is known of the next forward, of an input of this kind; None where it is not to wait."""
        known = self._kinds.get(kind)
        if known is None:
            if len(self._kinds) >= MOST_KINDS:
                self._kinds.clear()
            known = self._kinds[kind] = Kind()
        known.steps += 1
        if self._is_open:
            self._is_open = False
            # What nobody asks for takes longer to compute than to start, unless the network is small.
            self._credit.pay(2 if self.is_small else credit.MOST)
        if known.steps <= OFTEN or not self._credit.is_left or Notes.runs_at_once:
            return None
        return known if is_outside() and not (debug_nans.value or debug_infs.value) else None

    def computed(self) -> None:
        """Notes that gradients are there before anybody has asked."""
        self._is_open = True

    def met(self) -> None:
        """Notes that backward has asked for them."""
        self._is_open = False
        self._credit.earn()

    def missed(self) -> None:
        """Notes that somebody has looked before the criterion did."""
        self._credit.pay()
