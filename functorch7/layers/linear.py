"""Layers that multiply by a learned matrix."""

from typing import ClassVar

import jax.numpy as jnp
import numpy as np
from jax import lax

from ..core import Layer, builder, check_floating, check_positive, const, expected, in_dtype_of, spread
from ..core.arrays import Numbers
from ..core.precision import at_least_float32, in_float32
from ..core.types import Array, Table, Tree
from .distances import norm
from .initializers import filled, normal, weight_and_bias
from .table import check_table


class FullyConnected(Layer, abstract=True):
    """Layers from input_size to output_size numbers, with a bias unless `bias` is False."""

    input_size: int
    output_size: int
    bias: bool = True

    def __post_init__(self) -> None:
        check_positive(self, input_size=self.input_size, output_size=self.output_size)

    def printed(self) -> str:
        return f"{self.type_name()}({self.input_size} -> {self.output_size})" + ("" if self.bias else " without bias")


class Linear(FullyConnected):
    """y = x A^T + b.

    Shape: (..., input_size) -> (..., output_size); Torch accepts one example (1-D) or a batch (2-D).
    Parameters: weight (output_size, input_size); bias (output_size,) unless `bias` is False;
    both uniform on +-1/sqrt(input_size), or +-stdv * sqrt(3).
    Raises: ValueError if the last dimension is not input_size.
    Source: nn/doc/simple.md#nn.Linear.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> arrays = {"weight": jnp.array([[1.0, 2.0]]), "bias": jnp.array([0.5])}
    >>> f7.Linear(2, 1).apply(arrays, {}, jnp.array([3.0, 4.0]))[0].tolist()
    [11.5]
    >>> f7.output_shape(f7.Linear(3, 4), (8, 3))
    (8, 4)
    """

    scaled_axes = {"weight": 0}

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        return weight_and_bias(key, (self.output_size, self.input_size), self.input_size, self.bias, stdv)

    def f(self, params: dict[str, Array], input: Array) -> Array:
        input = self.checked_input(input, params["weight"])
        # Contracting with the weight as it is stored: x @ weight.T would keep a transposed copy for the backward pass.
        return self.with_bias(params, lax.dot_general(input, params["weight"], (((input.ndim - 1,), (1,)), ((), ()))))

    def checked_input(self, input: Array, like: Array) -> Array:
        """The input in the dtype of `like`; ValueError unless it has the layer's size."""
        input = in_dtype_of(self, input, like)
        if input.ndim == 0 or input.shape[-1] != self.input_size:
            raise expected(self, f"input of size {self.input_size} in the last dimension", input)
        return input

    def with_bias(self, params: Tree, output: Array) -> Array:
        """The output with the bias added, if there is one."""
        return output + spread(params["bias"], output.shape, (1,) * (output.ndim - 1) + (-1,)) if self.bias else output

    @builder
    def no_bias(self) -> "Linear":
        """The same layer without bias."""
        return self.replace(bias=False)


class LinearWeightNorm(FullyConnected):
    """y = x A^T + b, with rows A_j = g_j v_j / max(||v_j||, eps).

    Shape: (..., input_size) -> (..., output_size).
    Parameters: v (output_size, input_size), as Linear's weight; g (output_size, 1), the norms of v's rows;
    bias (output_size,) unless `bias` is False.
    Raises: ValueError if the last dimension is not input_size.
    Source: nn, LinearWeightNorm.lua; Salimans & Kingma, 2016.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> arrays = {"v": jnp.array([[3.0, 4.0]]), "g": jnp.array([[10.0]])}  # twice as long as v
    >>> f7.LinearWeightNorm(2, 1, bias=False).apply(arrays, {}, jnp.array([1.0, 1.0]))[0].tolist()
    [14.0]
    """

    parameter_order = ("v", "g", "bias")

    eps: float = 1e-16

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        made = weight_and_bias(key, (self.output_size, self.input_size), self.input_size, self.bias, stdv)
        v = made.pop("weight")
        return {"v": v, "g": jnp.sqrt((v * v).sum(1, keepdims=True)), **made}

    @in_float32
    def weight(self, params: Tree) -> Array:
        """The matrix that v and g represent."""
        v = params["v"]
        return v * (params["g"] / jnp.maximum(norm(v, 1, 1e-16)[:, None], self.eps))

    def f(self, params: dict[str, Array], input: Array) -> Array:
        inner = Linear(self.input_size, self.output_size, self.bias)
        if input.ndim == 0 or input.shape[-1] != self.input_size:
            raise expected(self, f"input of size {self.input_size} in the last dimension", input)
        check_floating(self, input)
        return inner.f({**params, "weight": self.weight(params)}, input)


class Bilinear(Layer):
    """y_k = x1^T A_k x2 + b_k.

    Shape: [(B, input_size1), (B, input_size2)] -> (B, output_size).
    Parameters: weight (output_size, input_size1, input_size2); bias (output_size,) unless `bias` is False; both
    uniform on +-1/sqrt(input_size1), or +-stdv * sqrt(3).
    Raises: ValueError unless the input is a pair of matrices of these sizes.
    Differs from Torch7: `scale` also applies to the weight's gradient.
    Source: nn/doc/simple.md#nn.Bilinear.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.Bilinear(2, 3, 4), [(8, 2), (8, 3)])
    (8, 4)
    """

    takes_table: ClassVar[bool] = True

    input_size1: int
    input_size2: int
    output_size: int
    bias: bool = True

    def __post_init__(self) -> None:
        check_positive(self, input_size1=self.input_size1, input_size2=self.input_size2, output_size=self.output_size)

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        shape = (self.output_size, self.input_size1, self.input_size2)
        return weight_and_bias(key, shape, self.input_size1, self.bias, stdv)

    def f(self, params: Tree, input: Table) -> Array:
        first, second = check_table(self, input, 2)[:2]
        sizes = (self.input_size1, self.input_size2)
        if (
            (first.ndim, second.ndim) != (2, 2)
            or (first.shape[1], second.shape[1]) != sizes
            or first.shape[0] != second.shape[0]
        ):
            raise expected(self, f"two matrices, B x {sizes[0]} and B x {sizes[1]}", input)
        first, second = (in_dtype_of(self, x, params["weight"]) for x in (first, second))
        wide = at_least_float32(first.dtype)  # products of three numbers soon exceed float16
        output = jnp.einsum("bi,kij,bj->bk", first, params["weight"], second, preferred_element_type=wide)
        output = output.astype(first.dtype)
        return output + spread(params["bias"], output.shape, (1, -1)) if self.bias else output

    def printed(self) -> str:
        text = f"{self.type_name()}({self.input_size1}x{self.input_size2} -> {self.output_size}) "
        return text if self.bias else text + " without bias"


class PartialLinear(FullyConnected):
    """y = x A_p^T + b_p, for the outputs that the partition p names (all of them at first).

    Shape: (B, input_size) -> (B, outputs in the partition), in its order.
    Parameters: weight (output_size, input_size), standard normal; bias (1, output_size), zeros, unless `bias` is False.
    Raises: ValueError for other shapes, and for partitions outside 1..output_size.
    Source: nn/doc/simple.md#nn.PartialLinear.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.PartialLinear(3, 1000).set_partition([1, 7, 30]), (8, 3))
    (8, 3)
    """

    partition: Numbers | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(partition=const(self.partition))
        if self.partition is not None:
            p = self.partition.value
            if p.ndim != 1 or not p.size or p.min() < 1 or p.max() > self.output_size:
                raise ValueError(f"{self}: expected a partition of outputs from 1 to {self.output_size}, got {p}")

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        params = {"weight": normal(key, (self.output_size, self.input_size))}
        return {**params, "bias": filled((1, self.output_size), 0.0)} if self.bias else params

    def f(self, params: dict[str, Array], input: Array) -> Array:
        if input.ndim != 2 or input.shape[1] != self.input_size:
            raise expected(self, f"a 2D tensor, B x {self.input_size}", input)
        input, weight = in_dtype_of(self, input, params["weight"]), params["weight"]
        chosen = slice(None) if self.partition is None else np.asarray(self.partition.value, np.int32) - 1
        output = lax.dot_general(input, weight[chosen], (((1,), (1,)), ((), ())))
        return output + spread(params["bias"][:, chosen], output.shape) if self.bias else output

    @builder
    def set_partition(self, indices: Numbers) -> "PartialLinear":
        """The same layer, which computes only these outputs, counted from 1."""
        return self.replace(partition=const(indices))

    @builder
    def reset_partition(self) -> "PartialLinear":
        """The same layer, which computes all outputs."""
        return self.replace(partition=None)
