"""A rule that uses only the signs of gradients."""

from typing import Any

import jax
import jax.numpy as jnp
import optax

from ..core import is_concrete
from ..core.types import Scalar
from .arguments import check_numbers
from .rule import rule_of


def rprop(
    stepsize: Scalar = 0.1,
    etaplus: Scalar = 1.2,
    etaminus: Scalar = 0.5,
    stepsizemax: Scalar = 50.0,
    stepsizemin: Scalar = 1e-6,
) -> optax.GradientTransformation:
    """x = x - sign(g) * step; a step grows by etaplus while the sign of g stays and shrinks by etaminus when it turns.

    Every element has its own step, which starts at stepsize and stays within [stepsizemin, stepsizemax]. When its sign
    has turned, the element pauses for one update.
    Differs from Torch7: a stepsize outside of its bounds is refused, not moved to the nearest.
    Raises: TypeError for values other than numbers; ValueError for a stepsize outside of its bounds.
    Source: optim/doc/algos.md, rprop; Riedmiller & Braun, 1993.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> rule, x = f7.optim.rprop(0.5), jnp.array([3.0, 4.0])
    >>> jax.jit(rule.update)(jnp.array([1.0, -2.0]), rule.init(x), x)[0].tolist()
    [-0.5, 0.5]
    """
    sizes = {"stepsize": stepsize, "stepsizemax": stepsizemax, "stepsizemin": stepsizemin}
    check_numbers("rprop", **sizes, etaplus=etaplus, etaminus=etaminus)
    if all(map(is_concrete, sizes.values())) and not stepsizemin <= stepsize <= stepsizemax:
        raise ValueError(f"optim.rprop: expected a stepsize from {stepsizemin} to {stepsizemax}, got {stepsize}")
    inner = optax.scale_by_rprop(stepsize, etaminus, etaplus, stepsizemin, stepsizemax)

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        # The step of this gradient is in the new state; what optax 0.2.8 returns is that of the gradient before. Of the
        # last step its signs alone matter: kept is the gradient, as in Torch, without the elements that have rested.
        _, new = inner.update(updates, state)
        steps: Any = new.prev_updates  # type: ignore[union-attr]
        kept = jax.tree.map(lambda step, gradient: jnp.where(step == 0, 0, gradient), steps, updates)
        return steps, new._replace(prev_updates=kept)  # type: ignore[union-attr]

    return rule_of("rprop", optax.GradientTransformation(inner.init, update), optax.scale(-1.0))
