"""Modules whose objects do more in Torch than their descriptions say."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from .. import layers
from ..core.emitted import Emitted, reward_as
from ..reinforce import Reinforce as ReinforceSpec
from .container import Container
from .module import Module
from .values import unwrapped, wrapped


class Reinforce(Module, describes=ReinforceSpec):
    """Stochastic modules; `reward` is what `reinforce` sent last."""

    reward: Any = None

    def rewardAs(self, input: Any) -> Any:
        """The reward, expanded to the sizes of a tensor."""
        return wrapped(reward_as(unwrapped(self.reward), Emitted(unwrapped(input), "log_prob")))

    def reward_at_step(self, step: int) -> Any:
        """The reward for the sample of a time step (0: no recurrence)."""
        if self.reward is None:
            raise RuntimeError(f"{self.title()}: backward needs a reward; call reinforce(reward) first")
        reward = unwrapped(self.reward)
        if not step or np.ndim(reward) < 2:
            return reward
        last = max(plan.members[0]._steps().count for plan in self.__dict__["_seats"])
        return reward[step - 1 - last]


class Threshold(Module, describes=layers.Threshold):
    """nn.Threshold and its kin."""

    def validateParameters(self) -> None:
        """Raises for fields that make no sense together, as construction does."""
        self.description().__post_init__()


class SpatialMaxPooling(Module, describes=layers.SpatialMaxPooling):
    """nn.SpatialMaxPooling."""

    def empty(self) -> Any:
        """Drops what calls left behind."""
        return self.clearState()


class Serial(Container, describes=layers.Serial):
    """nn.Serial: saves its module cast to `tensortype`, and is of that type when loaded."""

    def __getstate__(self) -> dict[str, Any]:
        if self.tensortype is None:
            return super().__getstate__()
        return Module.__getstate__(copy.deepcopy(self).type(self.tensortype))
