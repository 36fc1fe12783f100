"""Layers that multiply by a matrix."""

from typing import Any

import jax
from jax import lax

from ..core import Layer, builder, check_positive, expected, in_dtype_of
from ..core.initializers import weight_and_bias


class Linear(Layer):
    """y = x A^T + b.

    Shape: (..., input_size) -> (..., output_size); Torch knows one example (1-D) and a batch (2-D).
    Parameters: weight (output_size, input_size); bias (output_size,) unless `bias` is False;
    both uniform on +-1/sqrt(input_size), or +-stdv * sqrt(3).
    Raises: ValueError if the last dimension is not input_size.
    Source: nn/doc/simple.md#nn.Linear.
    """

    input_size: int
    output_size: int
    bias: bool = True

    def __post_init__(self) -> None:
        check_positive(self, input_size=self.input_size, output_size=self.output_size)

    def init_params(self, key: jax.Array, stdv: float | None = None) -> dict[str, Any]:
        return weight_and_bias(key, (self.output_size, self.input_size), self.input_size, self.bias, stdv)

    def f(self, params: Any, input: Any) -> Any:
        input = in_dtype_of(self, input, params["weight"])
        if input.ndim == 0 or input.shape[-1] != self.input_size:
            raise expected(self, f"input of size {self.input_size} in the last dimension", input)
        # Contracting with the weight as it lies: x @ weight.T would keep a transposed copy for the backward pass.
        output = lax.dot_general(input, params["weight"], (((input.ndim - 1,), (1,)), ((), ())))
        return output + params["bias"].reshape((1,) * (output.ndim - 1) + (-1,)) if self.bias else output

    @builder
    def no_bias(self) -> "Linear":
        """The same layer without bias."""
        return self.replace(bias=False)

    def printed(self) -> str:
        return f"{self.torch_name()}({self.input_size} -> {self.output_size})" + ("" if self.bias else " without bias")
