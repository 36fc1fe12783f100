"""A criterion as a module of a graph."""

from typing import Any, ClassVar

import jax

from ..core import Module, expected
from .base import Criterion


class ModuleFromCriterion(Module):
    """[prediction, target] -> (criterion(prediction, target)); the gradient goes to the prediction.

    Shape: what the criterion takes, as a table -> (1).
    Raises: ValueError unless the input is such a table; what the criterion raises.
    Source: nngraph, ModuleFromCriterion.lua.
    """

    takes_table: ClassVar[bool] = True  # type: ignore[assignment]

    criterion: Criterion

    @property
    def traceable(self) -> bool:
        return self.criterion.traits.traceable

    @property
    def checks_values(self) -> bool:
        return self.criterion.traits.checks_values

    def forward(self, params: Any, buffers: Any, input: Any, *, key: Any, train: bool) -> tuple[Any, Any]:
        if not isinstance(input, (list, tuple)) or len(input) != 2:
            raise expected(self, "a table of prediction and target", input)
        loss = self.criterion(input[0], jax.lax.stop_gradient(input[1]))
        return loss[None], buffers
