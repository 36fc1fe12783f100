"""Compiled functions that look at values."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import jax
from jax.experimental import checkify


def checked(function: Callable) -> Callable:
    """`function`, compiled, with all checks of values: classes, indices, probabilities, signs.

    Under `jax.jit` alone shapes are checked, but not values, which are known only when the program runs. A checked
    function raises the same ValueError as the eager one; it costs the checks, and a look at their result at every
    call. Arguments are arrays or trees of them, as for `jax.jit`. Checks made inside a `lax.scan` that is
    differentiated in reverse are left out by JAX; the criterions of sequences check before they scan.
    Raises: ValueError for the first wrong value; what the function raises.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> loss = f7.checked(f7.ClassNLLCriterion())
    >>> loss(jnp.zeros((2, 3)), jnp.array([1, 4]))
    Traceback (most recent call last):
    ValueError: nn.ClassNLLCriterion: target 4 at position 2; classes count from 1 to 3
    """
    compiled = jax.jit(checkify.checkify(function, errors=checkify.user_checks))

    @wraps(function, assigned=("__doc__", "__name__"), updated=())
    def run(*args: Any, **kwargs: Any) -> Any:
        error, result = compiled(*args, **kwargs)
        message = error.get()
        if message is not None:
            raise ValueError(message.removesuffix(" (`check` failed)"))
        return result

    return run
