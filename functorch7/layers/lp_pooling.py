"""Poolings by L_p norms."""

import jax
import jax.numpy as jnp
from jax import lax

from ..core import Map, Module, expected
from ..core.precision import in_float32
from ..core.types import Array, Key, Tree
from .containers import Sequential
from .pointwise import MulConstant, Power, Sqrt, Square
from .pooling import SpatialAveragePooling


def stopped_at_zero(x: Array) -> Array:
    """The same, without a gradient where it is 0: there an infinite derivative times one of 0 would be NaN."""
    return jnp.where(x == 0, lax.stop_gradient(x), x)


def _check_power(module: Module, power: float) -> None:
    if not power:
        raise ValueError(f"{module.torch_name()}: expected a power that is not 0, got {power}")


class SpatialLPPooling(Sequential):
    """y = (sum x^p)^(1 / p), over kw x kh windows of each plane, every dw, dh pixels; no absolute values.

    Shape: (C, H, W) or (B, C, H, W) -> floor((size - k) / d) + 1 pixels; without a stride, windows are adjacent.
    Where a sum is 0 the gradient is 0, and with p < 1 where x is 0.
    Raises: ValueError for a pnorm of 0; as SpatialAveragePooling.
    Source: nn/doc/convolution.md#nn.SpatialLPPooling.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SpatialLPPooling(16, 2, 3, 3), (8, 16, 12, 12))
    (8, 16, 4, 4)
    """

    def __init__(
        self, n_input_plane: int, pnorm: float, kw: int, kh: int, dw: int | None = None, dh: int | None = None
    ):
        _check_power(self, pnorm)
        mean = SpatialAveragePooling(kw, kh, kw if dw is None else dw, kh if dh is None else dh)
        power, root = (Square(), Sqrt()) if pnorm == 2 else (Power(pnorm), Power(1 / pnorm))
        super().__init__(power, mean, MulConstant(kw * kh), root)

    @in_float32
    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        (*before, root), new = range(len(self.modules)), list(buffers)
        power = self.modules[0]
        sums = stopped_at_zero(input) if isinstance(power, Power) and power.pow < 1 else input
        for i in before:
            sums, new[i] = self.call(i, params, buffers, sums, key=key, train=train)
        output, new[root] = self.call(root, params, buffers, stopped_at_zero(sums), key=key, train=train)
        return jnp.where(sums == 0, 0, output), new


class FeatureLPPooling(Map):
    """y_j = (sum_i x_i^power)^(1/power) over windows of `width` features, every `stride`.

    Shape: (F), (F, d1) or (F, d1, d2), or with `batch_mode` one of these after a batch dimension ->
    floor((F - width) / stride) + 1 features. The gradient is 0 where y is 0, and with a power below 1 where x is 0.
    Raises: ValueError for another width or stride, a power of 0, other ranks, and fewer features than the width.
    Source: nn, FeatureLPPooling.lua.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.FeatureLPPooling(2, 2, 2).apply({}, {}, jnp.array([3.0, 4.0, 6.0, 8.0]))[0].tolist()
    [5.0, 10.0]
    """

    width: int
    stride: int
    power: float
    batch_mode: bool = False

    def __post_init__(self) -> None:
        if not 2 <= self.width <= 16 or not 1 <= self.stride <= 4:
            raise ValueError(
                f"nn.FeatureLPPooling: expected a width from 2 to 16 and a stride from 1 to 4, "
                f"got {self.width} and {self.stride}"
            )
        _check_power(self, self.power)

    @in_float32
    def f(self, input: Array) -> Array:
        along = 1 if self.batch_mode else 0
        if not 1 <= input.ndim - along <= 3 or input.shape[along] < self.width:
            raise expected(self, f"1 to 3 dimensions per example, with at least {self.width} features", input)
        count = (input.shape[along] - self.width) // self.stride + 1
        powers = (stopped_at_zero(input) if self.power < 1 else input) ** self.power
        end = (count - 1) * self.stride + 1
        windows = [jax.lax.slice_in_dim(powers, i, i + end, self.stride, along) for i in range(self.width)]
        total = sum(windows[1:], windows[0])
        zero = total == 0
        return jnp.where(zero, 0, jnp.where(zero, 1, total) ** (1 / self.power))

    def printed(self) -> str:
        batch = str(self.batch_mode).lower()
        return f"{self.type_name()}(w{self.width} s{self.stride} power {self.power:g} batch {batch}"
