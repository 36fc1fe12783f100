"""Rectifiers without a kink: the transfer functions of today's networks."""

import math

import jax
import jax.numpy as jnp

from ..core.precision import in_float32
from .transfer import Transfer


class GELU(Transfer):
    """y = x * Phi(x), where Phi is the normal distribution's function; `approximate`: by a tanh, as in BERT and GPT-2.

    Shape: any, kept.
    Raises: TypeError for integers.
    Source: Hendrycks & Gimpel, 2016; torch.nn.GELU.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> [f"{y:.4f}" for y in f7.GELU().apply({}, {}, jnp.array([-1.0, 0.0, 1.0]))[0]]
    ['-0.1587', '0.0000', '0.8413']
    """

    approximate: bool = False

    @in_float32
    def f(self, input: jax.Array) -> jax.Array:
        if self.approximate:
            near = jnp.clip(input, -10, 10)  # outside, y is 0 or x, and the cube of x may overflow
            return input * jax.nn.sigmoid(math.sqrt(8 / math.pi) * (near + 0.044715 * near**3))
        return input / 2 * jax.lax.erfc(input / -math.sqrt(2))


class SiLU(Transfer):
    """y = x / (1 + exp(-x)), which is also called Swish.

    Shape: any, kept.
    Raises: TypeError for integers.
    Source: Elfwing et al., 2017; torch.nn.SiLU.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> [f"{y:.4f}" for y in f7.SiLU().apply({}, {}, jnp.array([-1.0, 0.0, 1.0]))[0]]
    ['-0.2689', '0.0000', '0.7311']
    """

    @in_float32
    def f(self, input: jax.Array) -> jax.Array:
        return input * jax.nn.sigmoid(input)


class Mish(Transfer):
    """y = x * tanh(ln(1 + exp(x))).

    Shape: any, kept.
    Raises: TypeError for integers.
    Source: Misra, 2019; torch.nn.Mish.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> [f"{y:.4f}" for y in f7.Mish().apply({}, {}, jnp.array([-1.0, 0.0, 1.0]))[0]]
    ['-0.3034', '0.0000', '0.8651']
    """

    @in_float32
    def f(self, input: jax.Array) -> jax.Array:
        return input * jnp.tanh(jax.nn.softplus(input))
