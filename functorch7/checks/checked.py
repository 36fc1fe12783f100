"""Compiled functions that look at values."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import jax
from jax._src.checkify import ErrorEffect  # neither what a check does nor what is kept of it has a public name
from jax._src.effects import partial_eval_kept_effects
from jax.experimental import checkify

from ..programs import Compiled
from .errors import looking
from .tracebacks import shorten

# Else JAX drops the checks of a scan that is differentiated in reverse: when it moves what no step changes out of it.
partial_eval_kept_effects.add_type(ErrorEffect)


def reporting(function: Callable) -> Callable:
    """(error, result) of `function`: what its checks of values find, for `raise_found`; to be compiled or transformed.

    Nothing is computed for a function without such checks.
    """

    def run(*args: Any, **kwargs: Any) -> Any:
        with looking():
            return function(*args, **kwargs)

    return checkify.checkify(run, errors=checkify.user_checks)


def raise_found(error: checkify.Error) -> None:
    """Raises ValueError for the first wrong value that a compiled function reported, with the way to the module."""
    try:
        text = error.get()
    except jax.errors.TracerBoolConversionError:
        raise TypeError(
            "functorch7.checked: values cannot be looked at inside of another jax.jit, grad, vmap or scan; put checked "
            "around the whole: checked(jax.grad(loss))"
        ) from None
    if text is not None:
        message, *places = text.removesuffix(" (`check` failed)").split("\n")
        found = ValueError(message)
        for place in places:
            found.add_note(place)
        raise found


def checked(function: Callable, **options: Any) -> Callable:
    """`function`, compiled, with all checks of values: classes, indices, probabilities, signs.

    Under `jax.jit` alone shapes are checked, but not values, which are known only when the program runs. A checked
    function raises the same ValueError as the eager one; it costs the checks, and a look at their result at every
    call. Arguments are arrays or trees of them, as for `jax.jit`, whose options may be given. Put it around the
    whole: `checked(jax.grad(loss))`.
    Raises: ValueError for the first wrong value; the errors of the function.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> loss = f7.checked(f7.ClassNLLCriterion())
    >>> loss(jnp.zeros((2, 3)), jnp.array([1, 4]))
    Traceback (most recent call last):
    ValueError: nn.ClassNLLCriterion: target 4 at position 2; classes count from 1 to 3
    """
    compiled = Compiled(jax.jit(reporting(function), **options))

    @wraps(function, assigned=("__doc__", "__name__"), updated=())
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            found, result = compiled(*args, **kwargs)
            raise_found(found)
        except Exception as error:
            shorten(error)
            raise
        return result

    return run
