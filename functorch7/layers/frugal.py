"""Functions whose gradients keep only what their derivatives need."""

from collections.abc import Callable

import jax
import jax.numpy as jnp

from ..core.types import Array


def _of_output(change: Callable[[Array, Array], Array]) -> Callable[[Callable], Callable]:
    """For a function whose output y changes by `change(y, dx)`, so that the gradient keeps only y.

    JAX also keeps the slope, which costs another loop forward, and the same amount of memory again.
    """
    kept = jax.checkpoint(change, prevent_cse=False)

    def decorated(function: Callable) -> Callable:
        found = jax.custom_jvp(function)

        @found.defjvp
        def _(primals: tuple, tangents: tuple) -> tuple:
            output = found(*primals)
            return output, kept(output, *tangents)

        return jax.jit(found, inline=True)  # JAX 0.10 rejects NumPy's arrays for functions with a rule inside vmap

    return decorated


@_of_output(lambda y, dx: (dx + dx * y) * (1 - y))
def tanh(x: Array) -> Array:
    """(exp(x) - exp(-x)) / (exp(x) + exp(-x))."""
    return jnp.tanh(x)


@_of_output(lambda y, dx: dx * (y * (1 - y)))
def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x))."""
    return jax.nn.sigmoid(x)


where = jax.checkpoint(jnp.where, prevent_cse=False)
"""As jnp.where; the gradient keeps only the condition, where JAX also keeps zeros if one side is a number."""
