"""A criterion as a module of a graph."""

from typing import ClassVar

import jax

from ..core import Module, expected
from ..core.module import Children
from ..core.types import Array, Key, Table, Tree
from .base import Criterion


class ModuleFromCriterion(Module):
    """[prediction, target] -> (criterion(prediction, target)); the gradient goes to the prediction.

    Shape: what the criterion takes, as a table -> (1).
    Parameters and buffers: `criterion`, the criterion's.
    Raises: ValueError unless the input is such a table; what the criterion raises.
    Source: nngraph, ModuleFromCriterion.lua.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> module = f7.ModuleFromCriterion(f7.MSECriterion())
    >>> params, buffers = module.init(jax.random.key(0))
    >>> module.apply(params, buffers, [jnp.array([1.0, 2.0]), jnp.array([1.0, 4.0])])[0].tolist()
    [2.0]
    """

    takes_table: ClassVar[bool] = True  # type: ignore[assignment]

    criterion: Criterion

    def children(self) -> Children:
        return {"criterion": self.criterion}

    def forward(self, params: Tree, buffers: Tree, input: Table, *, key: Key, train: bool) -> tuple[Array, Tree]:
        if not isinstance(input, (list, tuple)) or len(input) != 2:
            raise expected(self, "a table of prediction and target", input)
        given = (input[0], jax.lax.stop_gradient(input[1]))
        loss, new = self.call("criterion", params, buffers, given, key=key, train=train)
        return loss[None], {"criterion": new}
