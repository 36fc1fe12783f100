"""The description of a criterion: `criterion(input, target)` is a scalar."""

from typing import Any

import jax
import jax.numpy as jnp

from ..core import Module, is_concrete
from ..core.tables import as_arrays


class Criterion(Module, abstract=True):
    """A loss: write `loss(input, target)`; it is a scalar of the input's dtype, differentiable by `jax.grad`.

    Criterions are descriptions like modules (frozen, hashable, equal by value) without arrays to train.
    `check(input, target)` raises for bad values (a class 0); it runs wherever these can be looked at.
    """

    def __call__(self, input: Any, target: Any) -> jax.Array:
        input, target = jax.tree.map(jnp.asarray, as_arrays(input)), as_arrays(target)
        if all(is_concrete(leaf) for leaf in jax.tree.leaves(target)):
            self.check(input, target)
        with jax.named_scope(type(self).__name__):
            return self.loss(input, jax.tree.map(jnp.asarray, target))

    def loss(self, input: Any, target: Any) -> jax.Array:
        """The loss of arrays (or tables of arrays)."""
        raise NotImplementedError(f"{self.torch_name()} must define loss(input, target)")

    def check(self, input: Any, target: Any) -> None:
        """Raises ValueError for target values that make no sense; a concrete target is given."""

    def forward(self, params: Any, buffers: Any, input: Any, *, key: Any, train: bool) -> tuple[Any, Any]:
        """As a module: the loss of the table [input, target]."""
        return self(*input), buffers
