"""Products of two arrays, linear in each, whose derivatives are computed by separate formulas."""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero

from ..core.types import Array
from ..core.varying import varying_as

Product = Callable[..., Array]
"""A function of two arrays and a hashable description of how they are multiplied."""


def bilinear(product: Product, by_first: Product, by_second: Product) -> Product:
    """`product(x, y, how)`, whose derivative is `by_first(dx, y, how) + by_second(x, dy, how)`.

    These give the same numbers. In the backward pass they are transposed, which may be faster than transposing the
    product.
    """
    found = jax.custom_jvp(product, nondiff_argnums=(2,))

    @partial(found.defjvp, symbolic_zeros=True)
    def _(how: object, primals: tuple, tangents: tuple) -> tuple[Array, Array]:
        (x, y), (dx, dy) = primals, tangents
        output = found(x, y, how)
        changes = [] if type(dx) is SymbolicZero else [by_first(dx, y, how)]
        changes += [] if type(dy) is SymbolicZero else [by_second(x, dy, how)]
        return output, sum(changes[1:], changes[0]) if changes else jnp.zeros_like(output)

    return lambda x, y, how: found(*varying_as((x, y), (x, y)), how)
