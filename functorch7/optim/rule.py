"""Common parts of all rules: the arrays that they accept, and the type in which they compute."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from ..checks.declared import is_array
from ..checks.kinds import fault_of, is_kind
from ..core.precision import widened


def rule_of(
    name: str, first: optax.GradientTransformation, *others: optax.GradientTransformation
) -> optax.GradientTransformation:
    """The parts, one after the other, as a rule of this name: for trees of floating-point numbers, of any types.

    Numbers of 16 bits are converted to float32, and so is all state: in bfloat16 an average that moves by 0.001 of the
    way would not change, and in float16 the square of 0.0001, and an epsilon of 1e-8, are 0.
    Raises, when it is used: TypeError for other numbers, naming the place.
    """
    inner = optax.chain(first, *others) if others else first

    def init(params: Any) -> Any:
        return inner.init(widened(_arrays(name, "parameters", params)))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        updates, params = _arrays(name, "gradients", updates), _arrays(name, "parameters", params)
        found, state = inner.update(widened(updates), state, widened(params))
        return jax.tree.map(lambda new, given: new.astype(given.dtype), found, updates), state

    return optax.GradientTransformation(init, update)


def _arrays(name: str, what: str, tree: Any) -> Any:
    """The tree, with numbers as arrays; anything but floating-point numbers is refused."""

    def one(path: Any, leaf: Any) -> Any:
        wanted = f"{what} of floating-point numbers"
        fault = fault_of(leaf, wanted)
        if fault is None:
            array = leaf if is_array(leaf) else np.asarray(leaf)
            if is_kind(array.dtype, np.floating):
                return leaf if array is leaf else jnp.asarray(leaf)
            fault = TypeError(f"expected {wanted}, got {array.dtype}")
        place = f" at {jax.tree_util.keystr(path)}" if path else ""
        raise type(fault)(f"optim.{name}: {fault}{place}; optax.masked leaves arrays out")

    return jax.tree.map_with_path(one, tree)
