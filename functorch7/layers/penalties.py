"""Layers that change gradients or add penalties, and leave values unchanged."""

from functools import partial
from typing import ClassVar

import jax
import jax.numpy as jnp
from jax import lax

from ..core import Emitted, Map, Module, builder, check_floating, expected, expose
from ..core.precision import in_float32, is_inexact
from ..core.types import Array, Key, State, Tree


class L1Penalty(Module):
    """y = x, with the penalty l1weight * sum |x| (divided by the element count if size_average) as a side output.

    Shape: any, kept.  With provide_output False, only the penalty's gradient reaches the input.
    Buffers: loss, the penalty (a side output; `functorch7.penalty(buffers)` adds them up). |x| has gradient 0 at 0.
    Raises: TypeError for integers.
    Source: nn/doc/simple.md#nn.L1Penalty.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> layer = f7.L1Penalty(0.5)
    >>> y, buffers = layer.apply({}, layer.init_buffers(), jnp.array([-1.0, 0.0, 2.0]), train=True)
    >>> y.tolist(), f7.penalty(buffers).item()
    ([-1.0, 0.0, 2.0], 1.5)
    """

    l1weight: float
    size_average: bool = False
    provide_output: bool = True

    @property
    def tunable(self) -> tuple[str, ...]:  # type: ignore[override]
        return () if self.size_average else ("l1weight",)  # otherwise it is divided by the input's size

    def init_buffers(self) -> State:
        return {"loss": Emitted(None, "loss")}

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        check_floating(self, input)
        output = input if self.provide_output else lax.stop_gradient(input)
        return output, {"loss": Emitted(self._penalty(input), "loss")}

    @in_float32
    def _penalty(self, input: Array) -> Array:
        sign = lax.stop_gradient(jnp.sign(input))
        weight = self.l1weight / input.size if self.size_average else self.l1weight
        return weight * (input * sign).sum()


class CategoricalEntropy(Module):
    """y = x, with the penalty -scale * H / B as a side output: H = -sum_i q_i ln(q_i + 1e-6) is the entropy of the
    batch's distribution q_i = sum_b x_bi / sum(x), and is maximized.

    Shape: probabilities (B, n), kept.  With min_entropy, nothing is added where H is not below it; without
    size_average the penalty is not divided by B. The sum of all probabilities counts as a constant.
    Buffers: loss, the penalty (a side output; `functorch7.penalty(buffers)` adds them up).
    Exposes: entropy, H.
    Raises: ValueError for other ranks.
    Source: dpnn, CategoricalEntropy.lua.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> layer = f7.CategoricalEntropy()
    >>> batch = jnp.array([[1.0, 0.0], [0.0, 1.0]])  # as spread as can be: entropy log 2, over 2 examples
    >>> _, buffers = layer.apply({}, layer.init_buffers(), batch, train=True)
    >>> f"{f7.penalty(buffers).item():.3f}"
    '-0.347'
    """

    exposes: ClassVar[tuple[str, ...]] = ("entropy",)
    tunable: ClassVar[tuple[str, ...]] = ("scale",)

    scale: float = 1
    min_entropy: float | None = None
    size_average: bool = True

    def init_buffers(self) -> State:
        return {"loss": Emitted(None, "loss")}

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        check_floating(self, input)
        if input.ndim != 2:
            raise expected(self, "a batch (2 dimensions)", input)
        entropy, loss = self._penalized(input)
        expose(entropy=entropy)
        return input, {"loss": Emitted(loss, "loss")}

    @in_float32
    def _penalized(self, input: Array) -> tuple[Array, Array]:
        """The entropy, and the penalty."""
        distribution = input.sum(0) / lax.stop_gradient(input.sum())
        entropy = -(distribution * jnp.log(distribution + 1e-6)).sum()
        loss = -self.scale * entropy / (input.shape[0] if self.size_average else 1)
        return entropy, loss if self.min_entropy is None else jnp.where(entropy < self.min_entropy, loss, 0)


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def _reversed(input, factor):
    return input


@_reversed.defjvp
def _(factor, primals, tangents):
    return _reversed(*primals, factor), -factor * tangents[0]  # so that the value's gradient is also reversed


class GradientReversal(Map):
    """y = x, but the gradient is multiplied by -lambda (by definition, not by calculus).

    Shape: any, tables too; kept.
    Source: nn/doc/simple.md#nn.GradientReversal; Ganin & Lempitsky, 2015.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> def loss(x):
    ...     return f7.GradientReversal(0.5).apply({}, {}, x)[0].sum()
    >>> jax.grad(loss)(jnp.ones(3)).tolist()
    [-0.5, -0.5, -0.5]
    """

    tunable: ClassVar[tuple[str, ...]] = ("lambda_",)

    lambda_: float = 1

    def f(self, input: Array) -> Array:
        return jax.tree.map(lambda leaf: _reversed(leaf, self.lambda_) if is_inexact(leaf) else leaf, input)

    @builder
    def set_lambda(self, lambda_: float) -> "GradientReversal":
        """The same layer with another factor."""
        return self.replace(lambda_=lambda_)
