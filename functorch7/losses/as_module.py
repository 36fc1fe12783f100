"""Criterions used as modules."""

from typing import ClassVar

import jax

from ..core import Module, expected
from ..core.module import Children
from ..core.types import Array, Key, Table, Tree
from .base import Criterion


class CriterionTable(Module):
    """l = criterion(x, y): the input is the table [x, y]; the gradient goes to x.

    Shape: [input, target] -> scalar.
    Parameters and buffers: `criterion`, the criterion's.
    Raises: ValueError unless the input is such a table; the criterion's errors.
    Source: nn/doc/table.md#nn.CriterionTable.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> table = f7.CriterionTable(f7.MSECriterion())
    >>> params, buffers = table.init(jax.random.key(0))
    >>> table.apply(params, buffers, [jnp.array([1.0, 2.0]), jnp.array([1.0, 4.0])])[0].item()
    2.0
    """

    takes_table: ClassVar[bool] = True

    criterion: Criterion

    def children(self) -> Children:
        return {"criterion": self.criterion}

    def forward(self, params: Tree, buffers: Tree, input: Table, *, key: Key, train: bool) -> tuple[Array, Tree]:
        if not isinstance(input, (list, tuple)) or len(input) < 2:
            raise expected(self, "a table of input and target", input)
        given = (input[0], jax.lax.stop_gradient(input[1]))
        loss, new = self.call("criterion", params, buffers, given, key=key, train=train)
        return loss, {"criterion": new}


class ModuleFromCriterion(CriterionTable):
    """[prediction, target] -> (criterion(prediction, target)); the gradient goes to the prediction.

    Shape: the criterion's arguments, as a table -> (1).
    Parameters and buffers: `criterion`, the criterion's.
    Raises: ValueError unless the input is a table of two; the criterion's errors.
    Source: nngraph, ModuleFromCriterion.lua.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> module = f7.ModuleFromCriterion(f7.MSECriterion())
    >>> params, buffers = module.init(jax.random.key(0))
    >>> module.apply(params, buffers, [jnp.array([1.0, 2.0]), jnp.array([1.0, 4.0])])[0].tolist()
    [2.0]
    """

    def forward(self, params: Tree, buffers: Tree, input: Table, *, key: Key, train: bool) -> tuple[Array, Tree]:
        if isinstance(input, (list, tuple)) and len(input) > 2:
            raise expected(self, "a table of input and target", input)
        loss, new = super().forward(params, buffers, input, key=key, train=train)
        return loss[None], new
