"""The loss of noise-contrastive estimation, which distinguishes data from noise."""

from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from ..core import expected
from ..core.types import Array, Value
from .base import Criterion

EPSILON = 1e-7


@jax.custom_jvp
def log_from_model(model: Array, noise: Array) -> jax.Array:
    """log(model / (model + noise)); `noise` is constant."""
    return jnp.log(model / (model + noise + EPSILON))


@log_from_model.defjvp
def _(primals: Any, tangents: Any) -> tuple[Any, Any]:
    # Torch's epsilons, which keep the slope finite where a mask has set zeros.
    model, noise = primals
    return log_from_model(model, noise), noise / ((model + noise + EPSILON) * (model + EPSILON)) * tangents[0]


@jax.custom_jvp
def log_from_noise(model: Array, noise: Array) -> jax.Array:
    """log(noise / (model + noise)); `noise` is constant."""
    return jnp.log(noise / (model + noise + EPSILON))


@log_from_noise.defjvp
def _(primals: Any, tangents: Any) -> tuple[Any, Any]:
    model, noise = primals
    return log_from_noise(model, noise), -model / ((model + noise + EPSILON) * (model + EPSILON)) * tangents[0]


class NCECriterion(Criterion):
    """-sum(log(Pmt / (Pmt + k Pnt + e))) - sum(log(k Pns / (Pms + k Pns + e))), e = 1e-7, over B if size_average.

    Shape: NCEModule's output [Pmt (B), Pms (B, k), Pnt (B), Pns (B, k)]: probabilities by the model and by the noise,
    of targets and of noise samples -> scalar. The criterion's target is not used; it may be None.
    The noise's probabilities get no gradient. As in Torch7, e is also added to Pmt and Pms in the gradient.
    Raises: ValueError for tables of other shapes.
    Source: dpnn/README.md#nn.NCECriterion; Chen et al., 2015, equations 5 to 7.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> half = jnp.full(1, 0.5), jnp.full((1, 1), 0.5)  # of the target, of one noise class
    >>> f"{jax.jit(f7.NCECriterion())([*half, *half], None).item():.3f}"  # 2 log 2
    '1.386'
    """

    takes_table: ClassVar[bool] = True

    size_average: bool = True

    def loss(self, input: Value, target: Value) -> jax.Array:
        shapes = [each.shape for each in input] if isinstance(input, (list, tuple)) else []
        if len(shapes) != 4 or [len(s) for s in shapes[:2]] != [1, 2] or shapes[:2] != shapes[2:]:
            raise expected(self, "NCEModule's table of B, B x k, B and B x k probabilities", input)
        if shapes[0] != shapes[1][:1]:
            raise expected(self, f"noise samples for each of {shapes[0][0]} targets", input)
        model_target, model_noise, noise_target, noise_noise = input
        k = shapes[1][1]
        data, noise = log_from_model(model_target, k * noise_target), log_from_noise(model_noise, k * noise_noise)
        total = -(data.sum() + noise.sum())
        return total / shapes[0][0] if self.size_average else total
