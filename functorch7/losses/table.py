"""A criterion as a module."""

from typing import Any

import jax

from ..core import TableMap, expected
from .base import Criterion


class CriterionTable(TableMap):
    """criterion(x, y) of a table [x, y]; the gradient goes to x.

    Shape: [input, target] -> scalar.
    Raises: ValueError unless the input is such a table; what the criterion raises.
    Source: nn/doc/table.md#nn.CriterionTable.
    """

    criterion: Criterion

    @property
    def traceable(self) -> bool:
        return self.criterion.traits.traceable

    @property
    def checks_values(self) -> bool:
        return self.criterion.traits.checks_values

    def f(self, input: Any) -> Any:
        if not isinstance(input, (list, tuple)) or len(input) < 2:
            raise expected(self, "a table of input and target", input)
        return self.criterion(input[0], jax.lax.stop_gradient(input[1]))
