"""Layers of 8-bit weights, and what comes before them: observed ranges, and training with rounded numbers."""

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jax import lax

from ..core import Module, Variables
from .convolution import (
    SpatialConvolution,
    SpatialConvolutionMM,
    SpatialDilatedConvolution,
    VolumetricConvolution,
    VolumetricDilatedConvolution,
)  # fmt: skip
from .linear import Linear
from .lookup import LookupTable
from .temporal import TemporalConvolution
from .transposed import SpatialFullConvolution, VolumetricFullConvolution

CHANNELS: dict[type[Module], int] = {
    Linear: 0, LookupTable: 0, SpatialConvolution: 0, SpatialConvolutionMM: 0, SpatialDilatedConvolution: 0,
    TemporalConvolution: 0, VolumetricConvolution: 0, VolumetricDilatedConvolution: 0,
    SpatialFullConvolution: 1, VolumetricFullConvolution: 1,
}  # fmt: skip
"""The layers whose weight can have 8 bits, with the axis of the weight that is given a scale for each index."""

LARGEST = 127


def scale_of(values: Any, axes: tuple[int, ...]) -> Any:
    """What 1 stands for, so that the largest value along the axes is 127; they are kept, with size 1."""
    largest = jnp.abs(values).max(axes, keepdims=True)
    return jnp.where(largest > 0, largest / LARGEST, jnp.ones((), largest.dtype))


def rounded(values: Any, scale: Any) -> Any:
    """The nearest multiples of the scale, as whole numbers from -127 to 127, in the values' dtype."""
    return jnp.clip(jnp.round(values / scale), -LARGEST, LARGEST)


@jax.custom_jvp
def fake_quantized(values: Any, scale: Any) -> Any:
    """The nearest multiples of the scale that 8 bits can say; the derivative is the identity's ("straight through").

    Source: Bengio, Léonard & Courville, 2013; Jacob et al., 2018.
    """
    return rounded(values, scale) * scale


@fake_quantized.defjvp
def _(primals, tangents):
    return fake_quantized(*primals), tangents[0]


@jax.custom_jvp
def integer_product(input: Any, input_scale: Any, weight: Any, weight_scale: Any) -> Any:
    """input @ weight.T in whole numbers: int8 by int8, summed as int32. weight is int8, weight_scale (outputs, 1).

    The derivative is that without rounding, and 0 where the input is beyond 127 scales.
    """
    whole = rounded(input, input_scale).astype(jnp.int8)
    sums = lax.dot_general(whole, weight, (((input.ndim - 1,), (1,)), ((), ())), preferred_element_type=jnp.int32)
    scale = input_scale * weight_scale.reshape((1,) * (input.ndim - 1) + (-1,))
    return sums.astype(input.dtype) * scale


@integer_product.defjvp
def _(primals, tangents):
    input, scale, weight, weight_scale = primals
    moved = jnp.where(jnp.abs(input) <= LARGEST * scale, tangents[0], 0)
    by_input = lax.dot_general(moved, weight.astype(input.dtype) * weight_scale, (((input.ndim - 1,), (1,)), ((), ())))
    return integer_product(*primals), by_input


class _OfLayer(Module, abstract=True):
    """One of the layers in CHANNELS, run in another way."""

    module: Module

    def __post_init__(self) -> None:
        if type(self.module) not in CHANNELS:
            raise TypeError(f"{self.torch_name()}: expected one of {_names()}, got {self.module!r}")
        if isinstance(self.module, LookupTable) and self.module.max_norm is not None:
            raise ValueError(f"{self.torch_name()}: a LookupTable whose rows are scaled down in use keeps its floats")

    @property
    def axis(self) -> int:
        """The axis of the weight whose indices have a scale each."""
        return CHANNELS[type(self.module)]

    @property
    def is_product(self) -> bool:
        """Whether inputs can be rounded, too."""
        return type(self.module) is Linear

    @property
    def checks_values(self) -> bool:
        return self.module.checks_values

    def weight_scale(self, weight: Any) -> Any:
        """A scale for each output channel."""
        return scale_of(weight, tuple(axis for axis in range(weight.ndim) if axis != self.axis))

    def run(self, params: Any, input: Any, *, key: Any, train: bool) -> Any:
        """The layer's own output."""
        return self.module.forward(params, {}, input, key=key, train=train)[0]

    def printed(self) -> str:
        return f"{self.torch_name()} @ {self.module}"


def _names() -> str:
    return ", ".join(each.torch_name() for each in CHANNELS)


def _input_scale(input: Any) -> Any:
    """One for each example (row), so that no example's output depends on the others."""
    return lax.stop_gradient(scale_of(input, (input.ndim - 1,)))


class Quantized(_OfLayer):
    """A layer whose weight is int8: round(weight / scale), with a scale for each output channel.

    activations "float": computes as the layer does, with int8 * scale. For Linear, "dynamic" also rounds the input, by
    the largest of each example, and "static" by a range that was observed: products of int8, summed in int32.
    Shape: that of the layer.
    Parameters: the layer's without its weight. Buffers: weight, int8, shaped as the layer's; weight_scale, for each
    output channel largest |weight| / 127; with "static" input_scale ().
    Raises: TypeError for other layers; ValueError for other activations, and what the layer raises.
    Source: BigDL, AbstractModule.quantize; Jacob et al., Quantization and Training of Neural Networks, 2018.
    """

    parameter_order = ("bias",)
    ACTIVATIONS: ClassVar[tuple[str, ...]] = ("float", "dynamic", "static")

    activations: str = "float"

    def __post_init__(self) -> None:
        super().__post_init__()
        kinds = self.ACTIVATIONS if self.is_product else self.ACTIVATIONS[:1]
        if self.activations not in kinds:
            raise ValueError(f"{self}: expected activations {' or '.join(kinds)}, got {self.activations!r}")

    def init(self, key: jax.Array, stdv: float | None = None) -> Variables:
        params, buffers = self.module.init(key, stdv)
        return self.rounding(params, self.init_buffers() | buffers)

    def rounding(self, params: Any, buffers: Any) -> Variables:
        """The variables for a layer's params; input_scale is taken from `buffers`."""
        weight = params["weight"]
        scale = self.weight_scale(weight)
        made = {"weight": rounded(weight, scale).astype(jnp.int8), "weight_scale": scale}
        if self.activations == "static":
            made["input_scale"] = buffers["input_scale"]
        return Variables({name: value for name, value in params.items() if name != "weight"}, made)

    def init_params(self, key: jax.Array, stdv: float | None = None) -> dict[str, Any]:
        made = self.module.init_params(key, stdv)
        return {name: value for name, value in made.items() if name != "weight"}

    def init_buffers(self) -> dict[str, Any]:
        shape = jax.eval_shape(self.module.init_params, jax.random.key(0))["weight"].shape
        sizes = tuple(size if axis == self.axis else 1 for axis, size in enumerate(shape))
        made = {"weight": jnp.zeros(shape, jnp.int8), "weight_scale": jnp.ones(sizes)}
        return made | ({"input_scale": jnp.ones(())} if self.activations == "static" else {})

    def forward(self, params: Any, buffers: Any, input: Any, *, key: Any, train: bool) -> tuple[Any, Any]:
        weight, scale = buffers["weight"], buffers["weight_scale"]
        if isinstance(self.module, Linear) and self.activations != "float":
            input = self.module.checked_input(input, scale)
            by = _input_scale(input) if self.activations == "dynamic" else buffers["input_scale"]
            return self.module.with_bias(params, integer_product(input, by, weight, scale)), buffers
        params = {**params, "weight": weight.astype(scale.dtype) * scale}
        return self.run(params, input, key=key, train=train), buffers


class FakeQuantized(_OfLayer):
    """A layer that computes with rounded numbers, and learns as if they were not: quantisation-aware training.

    The weight is rounded as in Quantized, and with activations "dynamic" (for Linear) the input, too; the gradient goes
    straight through the rounding to the weight, which stays float.
    Shape: that of the layer.
    Parameters and buffers: the layer's.
    Raises: as Quantized.
    Source: Jacob et al., Quantization and Training of Neural Networks, 2018.
    """

    activations: str = "float"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.quantized()

    def quantized(self) -> Quantized:
        """The layer that this one is trained to be."""
        return Quantized(self.module, self.activations)

    def init_params(self, key: jax.Array, stdv: float | None = None) -> dict[str, Any]:
        return self.module.init_params(key, stdv)

    def forward(self, params: Any, buffers: Any, input: Any, *, key: Any, train: bool) -> tuple[Any, Any]:
        weight = jnp.asarray(params["weight"])
        params = {**params, "weight": fake_quantized(weight, lax.stop_gradient(self.weight_scale(weight)))}
        if isinstance(self.module, Linear) and self.activations != "float":
            input = self.module.checked_input(input, weight)
            input = fake_quantized(input, _input_scale(input))
        return self.run(params, input, key=key, train=train), buffers


class Observed(_OfLayer):
    """A Linear that notes the largest |input| that it has seen: what static quantisation needs to know.

    Shape: that of the layer.
    Parameters: the layer's. Buffers: input_range (), at first -1.
    Raises: TypeError for other layers than Linear, and what the layer raises.
    Source: torch.ao.quantization, MinMaxObserver.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.is_product:
            raise TypeError(f"{self.torch_name()}: expected nn.Linear, got {self.module!r}")

    def init_params(self, key: jax.Array, stdv: float | None = None) -> dict[str, Any]:
        return self.module.init_params(key, stdv)

    def init_buffers(self) -> dict[str, Any]:
        return {"input_range": -jnp.ones(())}

    def forward(self, params: Any, buffers: Any, input: Any, *, key: Any, train: bool) -> tuple[Any, Any]:
        output = self.run(params, input, key=key, train=train)
        before = jnp.asarray(buffers["input_range"])
        largest = lax.stop_gradient(jnp.abs(input).max().astype(before.dtype))
        return output, {"input_range": jnp.maximum(before, largest)}
