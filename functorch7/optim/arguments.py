"""Checks of the rules' arguments."""

from typing import Any

import jax
import jax.numpy as jnp

from ..checks.errors import describe, expected
from ..checks.kinds import is_real_number
from ..core import is_concrete
from ..core.types import Input, Scalar, Tree, Value


def check_numbers(rule: str, **values: object) -> None:
    """Refuses anything but numbers (Python's, NumPy's, or JAX scalars, traced or not), naming the argument."""
    for name, value in values.items():
        if isinstance(value, bool) or not is_real_number(value):
            remedy = "; optax.inject_hyperparams takes schedules" if callable(value) else ""
            raise TypeError(f"optim.{rule}: expected a number {name}, got {describe(value)}{remedy}")
        if is_concrete(value) and value != value:
            raise ValueError(f"optim.{rule}: expected a number {name}, got nan")


def check_fraction(rule: str, **values: Scalar) -> None:
    """Refuses numbers outside of [0, 1), if their values are known, naming the argument."""
    check_numbers(rule, **values)
    for name, value in values.items():
        if is_concrete(value) and not 0 <= value < 1:
            raise ValueError(f"optim.{rule}: expected 0 <= {name} < 1, got {value}")


def is_fixed(value: Scalar) -> bool:
    """Whether a number is Python's, so that the parts of a rule, and its state, may depend on it.

    One in an array does not decide: `optax.inject_hyperparams` gives known ones to init and traced ones to update.
    """
    return isinstance(value, (int, float))


def matters(value: Scalar) -> bool:
    """Whether a number may be nonzero; one in an array may have any value."""
    return not is_fixed(value) or bool(value != 0)


def spread(rule: str, name: str, values: Input | None, tree: Value) -> Value:
    """`values`, one array or a tree of them, broadcast to the arrays of `tree`."""

    def one(value: Any, leaf: Any) -> jax.Array:
        try:
            return jnp.broadcast_to(jnp.asarray(value, leaf.dtype), leaf.shape)
        except ValueError:
            raise expected(f"optim.{rule}", f"{name} that broadcast to the parameters' {leaf.shape}", value) from None

    try:
        each = jax.tree.broadcast(values, tree)
    except ValueError:
        raise expected(f"optim.{rule}", f"{name} as one array, or a tree as the parameters are", values) from None
    return jax.tree.map(one, each, tree)


def need_params(rule: str, params: Tree | None) -> None:
    """Refuses a missing third argument of `update`."""
    if params is None:
        raise ValueError(f"optim.{rule}: expected the parameters as third argument: update(gradients, state, params)")
