"""Layers that change gradients or add penalties, and leave values as they are."""

from functools import partial
from typing import Any

import jax
from jax import lax

from ..core import Emitted, Map, Module, builder, check_floating


class L1Penalty(Module):
    """y = x, with the penalty l1weight * sum |x| (divided by the element count if size_average) as a side output.

    Shape: any, kept.  With provide_output False, only the penalty's gradient reaches the input.
    Buffers: loss, the penalty (a side output; `functorch7.penalty(buffers)` adds them up). |x| has gradient 0 at 0.
    Source: nn/doc/simple.md#nn.L1Penalty.
    """

    l1weight: float
    size_average: bool = False
    provide_output: bool = True

    def init_buffers(self) -> dict[str, Any]:
        return {"loss": Emitted(None, "loss")}

    def forward(self, params: Any, buffers: Any, input: Any, *, key: Any, train: bool) -> tuple[Any, Any]:
        check_floating(self, input)
        sign = lax.stop_gradient(jax.numpy.sign(input))
        weight = self.l1weight / input.size if self.size_average else self.l1weight
        output = input if self.provide_output else lax.stop_gradient(input)
        return output, {"loss": Emitted(weight * (input * sign).sum(), "loss")}


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def _reversed(input, factor):
    return input


@_reversed.defjvp
def _(factor, primals, tangents):
    return primals[0], jax.tree.map(lambda t: -factor * t, tangents[0])


class GradientReversal(Map):
    """y = x, but the gradient is multiplied by -lambda (by definition, not by calculus).

    Shape: any, kept.
    Source: nn/doc/simple.md#nn.GradientReversal; Ganin & Lempitsky, 2015.
    """

    lambda_: float = 1

    def f(self, input: Any) -> Any:
        return _reversed(input, self.lambda_)

    @builder
    def set_lambda(self, lambda_: float) -> "GradientReversal":
        """The same layer with another factor."""
        return self.replace(lambda_=lambda_)
