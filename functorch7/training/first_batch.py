"""Compiled steps that look at the batch for which they are traced.

A compiled program does not look at values, but when it is made there is a batch to look at: so targets that count from
0, the commonest mistake, are told before the first step, and later steps cost nothing.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..checks.taken import check_taken
from ..core import is_concrete
from ..core.contexts import during
from ..core.types import Input, Value
from ..losses import Criterion
from ..programs import Compiled

_batch: ContextVar[Any] = ContextVar("batch", default=None)


class Step(Compiled):
    """A compiled function of a state, a batch, and more; with `waits`, a call returns when all of it is computed."""

    __slots__ = ("_waits",)

    def __init__(self, function: Callable, waits: bool = False):
        super().__init__(function)
        self._waits = waits

    def __call__(self, state: Value, batch: Value, *more: Value, **named: Value) -> Value:
        check_taken("a training step", batch)
        try:
            with during(_batch, batch):
                result = super().__call__(state, batch, *more, **named)
            return jax.block_until_ready(result) if self._waits else result
        except (ValueError, RuntimeError) as error:
            if any(leaf.is_deleted() for leaf in jax.tree.leaves(state) if isinstance(leaf, jax.Array)):
                error.add_note("a step reuses the memory of the state that it is given: go on with the one it returns")
            raise


def check_first(criterion: Criterion, output: Input, target: Input) -> None:
    """Raises ValueError, as the criterion does, for invalid targets in the batch for which a step is traced.

    Where a trace has a part of the batch only, or several processes share it, nothing is looked at.
    """
    batch = _batch.get()
    if batch is None or not criterion.traits.checks_values:
        return
    leaves, traced = jax.tree.leaves(batch[1]), jax.tree.leaves(target)
    whole = [jnp.shape(leaf) for leaf in leaves] == [jnp.shape(leaf) for leaf in traced]
    if whole and all(is_concrete(leaf) and getattr(leaf, "is_fully_addressable", True) for leaf in leaves):
        criterion.check(output, jax.tree.map(np.asarray, batch[1]))
