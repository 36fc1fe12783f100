"""Layers that pad images and volumes at their borders."""

from typing import ClassVar, Literal

import jax.numpy as jnp
import numpy as np
from jax import lax

from ..core import Map, expected
from ..core.types import Array


class Border(Map, abstract=True):
    """Layers with a width for each side, by default that of the left one. Subclasses declare the fields."""

    sides: ClassVar[tuple[tuple[str, str], ...]] = (("pad_t", "pad_b"), ("pad_l", "pad_r"))
    mode: ClassVar[Literal["edge", "reflect"]] = "edge"

    def __post_init__(self) -> None:
        for name in (name for side in self.sides for name in side):
            if getattr(self, name) is None:
                self._set(**{name: getattr(self, self.sides[-1][0])})

    def widths(self) -> list[tuple[int, int]]:
        """The widths before and after, axis by axis of the tensor."""
        return [(getattr(self, before), getattr(self, behind)) for before, behind in self.sides]

    def check(self, input: Array) -> None:
        """Refuses other ranks, and inputs that are cut away entirely."""
        dims = len(self.sides) + 1
        if input.ndim not in (dims, dims + 1):
            raise expected(self, f"a {dims}D or {dims + 1}D tensor", input)
        sizes = zip(input.shape[1 - dims :], self.widths(), strict=True)
        if any(size + before + behind < 1 or min(before, behind) <= -size for size, (before, behind) in sizes):
            raise expected(self, "an input that is larger than what is cut off", input)

    def f(self, input: Array) -> Array:
        self.check(input)
        cut = [(min(before, 0), min(behind, 0), 0) for before, behind in self.widths()]
        wide = [(max(before, 0), max(behind, 0)) for before, behind in self.widths()]
        leading = input.ndim - len(cut)
        inner = lax.pad(input, np.zeros((), input.dtype), [(0, 0, 0)] * leading + cut)
        return jnp.pad(inner, [(0, 0)] * leading + wide, self.mode)

    def printed(self) -> str:
        widths = ", ".join(f"{side}={getattr(self, 'pad_' + side)}" for side in "lrtb")
        return f"{self.type_name()}({widths})"


class SpatialBorder(Border, abstract=True):
    """Layers that widen images."""

    pad_l: int
    pad_r: int | None = None
    pad_t: int | None = None
    pad_b: int | None = None


class SpatialZeroPadding(SpatialBorder):
    """y[i, j] = x[i - pad_t, j - pad_l] where 0 <= i - pad_t < H and 0 <= j - pad_l < W, else 0: zeros around each
    plane; negative widths cut off.

    Shape: (C, H, W) or (B, C, H, W) -> height + pad_t + pad_b, width + pad_l + pad_r.
    Raises: ValueError for other ranks and for images that are cut away.
    Source: nn/doc/convolution.md#nn.SpatialZeroPadding.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.SpatialZeroPadding(1, 1, 0, 0).apply({}, {}, jnp.array([[[1.0, 2.0]]]))[0].tolist()
    [[[0.0, 1.0, 2.0, 0.0]]]
    """

    def f(self, input: Array) -> Array:
        self.check(input)
        edges = [(before, behind, 0) for before, behind in self.widths()]
        return lax.pad(input, np.zeros((), input.dtype), [(0, 0, 0)] * (input.ndim - 2) + edges)


class SpatialReflectionPadding(SpatialBorder):
    """y[i, j] = x[r_H(i - pad_t), r_W(j - pad_l)]; r_n(i) = min(|i|, 2 (n - 1) - |i|): the planes mirrored at their
    borders, which are not repeated; negative widths cut off.

    Shape: (C, H, W) or (B, C, H, W) -> height + pad_t + pad_b, width + pad_l + pad_r.
    Raises: ValueError for other ranks, and for images no larger than the padding.
    Source: nn/doc/convolution.md#nn.SpatialReflectionPadding.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.SpatialReflectionPadding(2, 1, 0, 0).apply({}, {}, jnp.array([[[1.0, 2.0, 3.0]]]))[0].tolist()
    [[[3.0, 2.0, 1.0, 2.0, 3.0, 2.0]]]
    """

    mode: ClassVar[Literal["edge", "reflect"]] = "reflect"

    def check(self, input: Array) -> None:
        super().check(input)
        if any(max(width) >= size for size, width in zip(input.shape[-2:], self.widths(), strict=True)):
            raise expected(self, "images larger than the padding", input)


class SpatialReplicationPadding(SpatialBorder):
    """y[i, j] = x[min(max(i - pad_t, 0), H - 1), min(max(j - pad_l, 0), W - 1)]: the planes' border values, repeated
    outwards; negative widths cut off.

    Shape: (C, H, W) or (B, C, H, W) -> height + pad_t + pad_b, width + pad_l + pad_r.
    Raises: ValueError for other ranks and for images that are cut away.
    Source: nn/doc/convolution.md#nn.SpatialReplicationPadding.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.SpatialReplicationPadding(2, 1, 0, 0).apply({}, {}, jnp.array([[[1.0, 2.0, 3.0]]]))[0].tolist()
    [[[1.0, 1.0, 1.0, 2.0, 3.0, 3.0]]]
    """


class VolumetricReplicationPadding(Border):
    """y[t, i, j] = x[r_T(t - pfront), r_H(i - ptop), r_W(j - pleft)]; r_n(i) = min(max(i, 0), n - 1): the volumes'
    border values, repeated outwards; negative widths cut off.

    Shape: (C, T, H, W) or (B, C, T, H, W) -> T + pfront + pback, H + ptop + pbottom, W + pleft + pright.
    Raises: ValueError for other ranks and for volumes that are cut away.
    Source: nn, VolumetricReplicationPadding.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.VolumetricReplicationPadding(1, 1, 2, 2, 0, 3), (8, 3, 4, 5, 6))
    (8, 3, 7, 9, 8)
    """

    sides: ClassVar[tuple[tuple[str, str], ...]] = (
        ("pfront", "pback"), ("ptop", "pbottom"), ("pleft", "pright"),
    )  # fmt: skip

    pleft: int
    pright: int | None = None
    ptop: int | None = None
    pbottom: int | None = None
    pfront: int | None = None
    pback: int | None = None

    def printed(self) -> str:
        sides = ("left", "right", "top", "bottom", "front", "back")
        widths = ", ".join(f"{side}={getattr(self, 'p' + side)}" for side in sides)
        return f"{self.type_name()}({widths})"
