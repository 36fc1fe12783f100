"""Poolings."""

from functools import partial
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from ..core import Map, builder, check_positive, expected, expose


def pooled_size(size: int, k: int, d: int, pad: int, ceil: bool) -> int:
    """Torch's output size: floor or ceil of (size + 2 pad - k) / d, plus 1; no window starts beyond the image."""
    steps = size + 2 * pad - k
    out = (-(-steps // d) if ceil else steps // d) + 1
    return out - 1 if pad and (out - 1) * d >= size + pad else out


@partial(jax.custom_jvp, nondiff_argnums=(1, 2, 3, 4))
def max_pool(x, kernel, stride, padding, out):
    """Maximum and its position (row-major in the plane, from 0) in each window of B x H x W; the first of equals.

    The window's offsets are compared one by one, as whole shifted images: on CPU several times faster than
    `lax.reduce_window`, whose gradient is slower still.
    """
    _, height, width = x.shape
    reach = [(o - 1) * d + k for o, d, k in zip(out, stride, kernel, strict=True)]
    after = [r - size - p for r, size, p in zip(reach, (height, width), padding, strict=True)]
    edges = [(0, 0, 0), *((p, a, 0) for p, a in zip(padding, after, strict=True))]
    x = jax.lax.pad(x, jnp.asarray(-jnp.inf, x.dtype), edges)
    best: Any = None
    position: Any = None
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            here = x[:, i : reach[0] - kernel[0] + i + 1 : stride[0], j : reach[1] - kernel[1] + j + 1 : stride[1]]
            rows = jnp.arange(out[0]) * stride[0] + (i - padding[0])
            columns = jnp.arange(out[1]) * stride[1] + (j - padding[1])
            index = jnp.broadcast_to(rows[:, None] * width + columns[None, :], here.shape)
            if best is None:
                best, position = here, index
            else:
                better = here > best
                best, position = jnp.where(better, here, best), jnp.where(better, index, position)
    return best, position


@max_pool.defjvp
def _(kernel, stride, padding, out, primals, tangents):
    best, position = max_pool(*primals, kernel, stride, padding, out)
    planes = tangents[0].shape[0]
    moved = jnp.take_along_axis(tangents[0].reshape(planes, -1), position.reshape(planes, -1), 1)
    return (best, position), (moved.reshape(best.shape), jnp.zeros(position.shape, jax.dtypes.float0))


class SpatialMaxPooling(Map):
    """Maximum over kw x kh windows of each plane, every dw, dh pixels; padding counts as -inf.

    Shape: (C, H, W) or (B, C, H, W) -> op((size + 2 pad - k) / d) + 1 pixels, op being floor, or ceil after
    `ceil()`. The gradient goes to each window's first maximum.
    Exposes: indices, each maximum's row-major position in its plane, counted from 1.
    Raises: ValueError for other ranks, padding above half the kernel, and images smaller than a window.
    Source: nn/doc/convolution.md#nn.SpatialMaxPooling.
    """

    exposes: ClassVar[tuple[str, ...]] = ("indices",)

    kw: int
    kh: int
    dw: int | None = None
    dh: int | None = None
    padw: int = 0
    padh: int = 0
    ceil_mode: bool = False

    def __post_init__(self) -> None:
        self._set(dw=self.kw if self.dw is None else self.dw, dh=self.kh if self.dh is None else self.dh)
        check_positive(self, kw=self.kw, kh=self.kh, dw=self.dw, dh=self.dh)
        if self.padw > self.kw / 2 or self.padh > self.kh / 2:
            raise ValueError(
                f"{self}: pad should be smaller than half of kernel size, but got padW = {self.padw}, "
                f"padH = {self.padh}, kW = {self.kw}, kH = {self.kh}"
            )

    def f(self, input: Any) -> Any:
        if input.ndim not in (3, 4):
            raise expected(self, "a 3D or 4D tensor", input)
        stride, padding = (self.dh or self.kh, self.dw or self.kw), (self.padh, self.padw)
        sizes = zip(input.shape[-2:], (self.kh, self.kw), stride, padding, strict=True)
        out = tuple(pooled_size(*each, self.ceil_mode) for each in sizes)
        if min(out) < 1:
            raise expected(self, "images no smaller than a window", input)
        planes = input.reshape((-1, *input.shape[-2:]))
        best, position = max_pool(planes, (self.kh, self.kw), stride, padding, out)
        expose(indices=position.reshape(input.shape[:-2] + out) + 1)
        return best.reshape(input.shape[:-2] + out)

    @builder
    def ceil(self) -> "SpatialMaxPooling":
        """The same pooling with output sizes rounded up."""
        return self.replace(ceil_mode=True)

    @builder
    def floor(self) -> "SpatialMaxPooling":
        """The same pooling with output sizes rounded down (the default)."""
        return self.replace(ceil_mode=False)

    def printed(self) -> str:
        padding = f", {self.padw},{self.padh}" if self.padw or self.padh else ""
        return f"{self.torch_name()}({self.kw}x{self.kh}, {self.dw},{self.dh}{padding})"


class FeatureLPPooling(Map):
    """y_j = (sum_i x_i^power)^(1/power) over windows of `width` features, every `stride`.

    Shape: (F), (F, d1) or (F, d1, d2), or with `batch_mode` one of these after a batch dimension ->
    floor((F - width) / stride) + 1 features. The gradient is 0 where y is 0.
    Raises: ValueError for other ranks and for fewer features than the width.
    Source: nn, FeatureLPPooling.lua.
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

    def f(self, input: Any) -> Any:
        along = 1 if self.batch_mode else 0
        if not 1 <= input.ndim - along <= 3 or input.shape[along] < self.width:
            raise expected(self, f"1 to 3 dimensions per example, with at least {self.width} features", input)
        count = (input.shape[along] - self.width) // self.stride + 1
        powers = input**self.power
        end = (count - 1) * self.stride + 1
        windows = [jax.lax.slice_in_dim(powers, i, i + end, self.stride, along) for i in range(self.width)]
        total = sum(windows[1:], windows[0])
        zero = total == 0
        return jnp.where(zero, 0, jnp.where(zero, 1, total) ** (1 / self.power))

    def printed(self) -> str:
        batch = str(self.batch_mode).lower()
        return f"nn.FeatureLPPooling(w{self.width} s{self.stride} power {self.power:g} batch {batch}"
