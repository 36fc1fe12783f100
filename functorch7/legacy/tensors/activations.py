"""PyTorch's `nn.functional`, the part that has no state and draws nothing: functions of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from ...interop.pytorch_elsewhere import instead
from .devices import precision
from .kinds import Numbers
from .named import under_name
from .tensor import Tensor


def __getattr__(name: str) -> Any:
    raise AttributeError(f"nn.functional has no {name!r}{instead(f'functional.{name}')}")


def mapped(name: str, function: Callable, formula: str) -> Callable:
    """A function of arrays as one of tensors."""

    def of_tensors(input: Any, *args: Any, **options: Any) -> Tensor:
        tensor = input if isinstance(input, Tensor) else Tensor.of(jnp.asarray(input))
        with precision(tensor.dtype):
            return Tensor.of(function(jnp.asarray(tensor.array), *args, **options))

    return under_name(name, of_tensors, f"{formula}, element by element; a new tensor of the same shape.")


relu = mapped("relu", jax.nn.relu, "max(x, 0)")
leaky_relu = mapped("leaky_relu", jax.nn.leaky_relu, "x where x >= 0, else negative_slope * x (0.01)")
elu = mapped("elu", jax.nn.elu, "x where x > 0, else alpha * (exp(x) - 1)")
softplus = mapped("softplus", jax.nn.softplus, "log(1 + exp(x))")
silu = mapped("silu", jax.nn.silu, "x * sigmoid(x)")
sigmoid = mapped("sigmoid", jax.nn.sigmoid, "1 / (1 + exp(-x))")
tanh = mapped("tanh", jnp.tanh, "tanh(x)")


def gelu(input: Numbers, approximate: str = "none") -> Tensor:
    """x * Phi(x), Phi the normal distribution's function; "tanh" approximates it."""
    return mapped("gelu", lambda x: jax.nn.gelu(x, approximate=approximate == "tanh"), "")(input)


def softmax(input: Numbers, dim: int = -1) -> Tensor:
    """exp(x) / sum(exp(x)) along an axis, counted from 0 as in PyTorch."""
    return mapped("softmax", lambda x: jax.nn.softmax(x, axis=dim), "")(input)


def log_softmax(input: Numbers, dim: int = -1) -> Tensor:
    """x - log(sum(exp(x))) along an axis, counted from 0 as in PyTorch."""
    return mapped("log_softmax", lambda x: jax.nn.log_softmax(x, axis=dim), "")(input)
