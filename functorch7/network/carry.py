"""Recurrent state as a separate tree: taken from the buffers, put back, forgotten."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike

from ..checks.errors import expected
from ..core.module import Module
from ..core.tree import join, mapped
from ..core.types import Array, Tree, Value
from .fitting import check_module
from .kinds import map_state, state_names


def forget(module: Module, buffers: Tree, rows: Value = None) -> Value:
    """`buffers` with recurrent state forgotten: the next call starts a new sequence.

    With `rows` (B), only the state of examples for which it is true is forgotten.
    Raises: ValueError for `rows` of another size than the state's batch, and if they are given to a module whose first
    step is not a step from zeros: Recurrent, and cells with dropout, whose masks are drawn for all examples together.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> cell = f7.GRU(3, 2)
    >>> params, buffers = cell.init(jax.random.key(0))
    >>> _, after = cell.apply(params, buffers, jnp.ones((2, 3)))
    >>> f7.forget(cell, after, rows=jnp.array([True, False]))["output"].shape, f7.forget(cell, after)["output"]
    ((2, 2), None)
    """
    if rows is None:
        return map_state(module, buffers, lambda _: None)
    if not module.traits.starts_at_zero:
        raise ValueError(f"{module.torch_name()}: forget(rows=...) needs modules that start from zeros")

    forgotten = jnp.asarray(rows, bool)

    def cleared(axis: int, leaf: Any) -> Array:
        if forgotten.shape != leaf.shape[axis : axis + 1]:
            raise expected(module, f"rows for {leaf.shape[axis : axis + 1]} examples", forgotten)
        return jnp.where(jnp.expand_dims(forgotten, [each for each in range(leaf.ndim) if each != axis]), 0, leaf)

    def changed(module: Module, own: dict[str, Any]) -> dict[str, Any]:
        along = partial(cleared, module.traits.state_axis)
        return own | {name: jax.tree.map(along, own[name]) for name in state_names(module, own)}

    return mapped(module, changed, buffers)


def without_draws(module: Module, buffers: Tree) -> Value:
    """`buffers` without what is drawn once for a sequence (masks of dropout), of which the next one draws its own."""
    return mapped(module, lambda module, own: own | {n: None for n in module.traits.drawn if n in own}, buffers)


def carry_of(module: Module, buffers: Tree) -> Value:
    """Only the recurrent state: a tree like the buffers', which can be saved, sharded, and passed on.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> cell = f7.GRU(3, 2)
    >>> params, buffers = cell.init(jax.random.key(0))
    >>> _, after = jax.eval_shape(cell.apply, params, buffers, jnp.ones((4, 3)))
    >>> f7.carry_of(cell, after)["output"].shape
    (4, 2)
    """
    return mapped(module, lambda module, own: {name: own[name] for name in state_names(module, own)}, buffers)


def with_carry(module: Module, buffers: Tree, carry: Tree) -> Tree:
    """`buffers` with this recurrent state, such as that of another network (`carry_of`), in the same structure.

    Raises: ValueError if the structures differ.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> cell = f7.Sequential(f7.GRU(3, 2))
    >>> buffers = [{"output": None, "i2g": {}, "o2g": {}, "i2h": {}, "o2h": {}}]
    >>> f7.with_carry(cell, buffers, f7.init_carry(cell, 1))[0]["output"].tolist()
    [[0.0, 0.0]]
    """
    form = mapped(module, lambda module, own: dict.fromkeys(state_names(module, own), 0), buffers)
    try:
        jax.tree.structure(form).flatten_up_to(carry)
    except (ValueError, TypeError):
        own = carry_of(module, buffers)
        raise ValueError(f"{module.torch_name()}: expected a carry like {own}, got {carry}") from None
    return mapped(module, lambda _, own, new: own | new, buffers, carry)


def init_carry(module: Module, batch: int | tuple[int, ...] | None = None, dtype: DTypeLike = jnp.float32) -> Tree:
    """The state before the first step, for a batch of this size (None: one example): a tree like that of `carry_of`.

    State that only a first step can make (Recurrent's output, dropout masks) is None, and so is that of sequencers that
    never remember: a call leaves none, so that buffers keep their structure in a `lax.scan` of calls.
    Raises: TypeError for anything but a description.

    >>> import functorch7 as f7, jax
    >>> {name: state.shape for name, state in f7.init_carry(f7.FastLSTM(3, 2), 4).items() if len(state)}
    {'output': (4, 2), 'cell': (4, 2)}
    """
    check_module("init_carry", module)
    shape = () if batch is None else (int(batch),) if isinstance(batch, (int, np.integer)) else tuple(batch)
    names = module.init_buffers()
    own = {n: state for n, state in module.initial_state(shape, dtype).items() if n in names}
    carry = join(module, own, [init_carry(child, shape, dtype) for child in module.child_modules()])
    remembers = getattr(module, "has_memory", None)
    return carry if remembers is None or remembers(True) or remembers(False) else forget(module, carry)
