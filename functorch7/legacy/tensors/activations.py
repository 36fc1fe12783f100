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


def _applied(function: Callable, input: Numbers, *args: Any, **options: Any) -> Tensor:
    """A function of arrays, applied to a tensor."""
    tensor = input if isinstance(input, Tensor) else Tensor.of(jnp.asarray(input))
    with precision(tensor.dtype):
        return Tensor.of(function(jnp.asarray(tensor.array), *args, **options))


def _element_wise(name: str, function: Callable, formula: str) -> Callable:
    """A function of each element."""

    def of_tensors(input: Numbers, *args: Any, **options: Any) -> Tensor:
        return _applied(function, input, *args, **options)

    return under_name(name, of_tensors, f"{formula}, element by element; a new tensor of the same shape.")


relu = _element_wise("relu", jax.nn.relu, "max(x, 0)")
leaky_relu = _element_wise("leaky_relu", jax.nn.leaky_relu, "x where x >= 0, else negative_slope * x (0.01)")
elu = _element_wise("elu", jax.nn.elu, "x where x > 0, else alpha * (exp(x) - 1)")
softplus = _element_wise("softplus", jax.nn.softplus, "log(1 + exp(x))")
silu = _element_wise("silu", jax.nn.silu, "x * sigmoid(x)")
sigmoid = _element_wise("sigmoid", jax.nn.sigmoid, "1 / (1 + exp(-x))")
tanh = _element_wise("tanh", jnp.tanh, "tanh(x)")


def gelu(input: Numbers, approximate: str = "none") -> Tensor:
    """x * Phi(x), where Phi is the normal distribution function; "tanh" approximates it."""
    return _applied(jax.nn.gelu, input, approximate=approximate == "tanh")


def softmax(input: Numbers, dim: int = -1) -> Tensor:
    """exp(x) / sum(exp(x)) along an axis, counted from 0 as in PyTorch."""
    return _applied(jax.nn.softmax, input, dim)


def log_softmax(input: Numbers, dim: int = -1) -> Tensor:
    """x - log(sum(exp(x))) along an axis, counted from 0 as in PyTorch."""
    return _applied(jax.nn.log_softmax, input, dim)
