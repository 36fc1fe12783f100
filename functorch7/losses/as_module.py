"""A criterion as a module of a graph."""

from typing import Any, ClassVar

import jax

from ..core import Module, expected
from ..core.module import Children
from .base import Criterion


class ModuleFromCriterion(Module):
    """[prediction, target] -> (criterion(prediction, target)); the gradient goes to the prediction.

    Shape: what the criterion takes, as a table -> (1).
    Parameters and buffers: `criterion`, the criterion's.
    Raises: ValueError unless the input is such a table; what the criterion raises.
    Source: nngraph, ModuleFromCriterion.lua.
    """

    takes_table: ClassVar[bool] = True  # type: ignore[assignment]

    criterion: Criterion

    def children(self) -> Children:
        return {"criterion": self.criterion}

    def forward(self, params: Any, buffers: Any, input: Any, *, key: Any, train: bool) -> tuple[Any, Any]:
        if not isinstance(input, (list, tuple)) or len(input) != 2:
            raise expected(self, "a table of prediction and target", input)
        given = (input[0], jax.lax.stop_gradient(input[1]))
        loss, new = self.call("criterion", params, buffers, given, key=key, train=train)
        return loss[None], {"criterion": new}
