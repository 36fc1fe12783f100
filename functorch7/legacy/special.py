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
from .tensor import Tensor
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


class MapTable(Container, describes=layers.MapTable):
    """nn.MapTable: `parameters` has those of the module once for every entry of the last input."""

    def add(self, module: Module) -> Any:
        """Sets the module. Raises TypeError if there is one already."""
        if self.modules:
            raise TypeError(f"{self.title()}: single module required")
        return super().add(module)

    @property
    def module(self) -> Any:
        """The module, or None."""
        return self.get(1)

    def resize(self, n: int) -> None:
        """Counts the module n times from now on, until the next forward."""
        self.output = [None] * n

    def size(self) -> int:
        """How often the module is counted: the entries of the last input."""
        output = self.output
        return max(len(output), 1) if isinstance(output, list) else len(self.modules)

    def parameters(self) -> tuple[list[Tensor], list[Tensor]]:
        """The module's parameters and gradients, once for every entry of the last input."""
        params, grads = super().parameters()
        return params * self.size(), grads * self.size()


class SparseLinear(Module, describes=layers.SparseLinear):
    """nn.SparseLinear: gradInput is dense, (index, value) for every column, with `doGradInput`; else it is empty."""

    def backward(self, input: Any, gradOutput: Any, scale: float = 1) -> Any:
        """Adds scale * the parameters' gradients; gradInput is a table with one tensor for each example."""
        super().backward(input, gradOutput, scale)
        self.gradInput = self._dense_gradients(gradOutput)
        return self.gradInput

    def updateGradInput(self, input: Any, gradOutput: Any) -> Any:
        """A table with one dense gradient for each example, or an empty table."""
        super().updateGradInput(input, gradOutput)
        self.gradInput = self._dense_gradients(gradOutput)
        return self.gradInput

    def _dense_gradients(self, grad_output: Any) -> list[Tensor]:
        if not self.doGradInput:
            return []
        weight = self.weight.numpy()
        rows = np.asarray(unwrapped(grad_output)).reshape(-1, len(weight)) @ weight
        index = np.arange(1, weight.shape[1] + 1)
        return [Tensor.of(np.stack([index, row], 1).astype(weight.dtype)) for row in rows]
