"""Cross-correlation of images with kernels, on CPUs by whatever took the least time for such sizes.

docs/performance.md has the times. XLA computes the gradient of the images as a convolution of the output's gradient in
a border of zeros, which has a window for each pixel; and it has no quick way for volumes, nor for groups.
"""

import math
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from ..core import traced_for
from ..core.types import Array
from .bilinear import bilinear
from .windows import offsets, slices, window_count

_MORE_PIXELS = 1.3
"""So many times as many pixels as windows make the border dear."""

_VALUES = range(2**14, 2**22)
"""The values in all windows: with fewer there is nothing to gain, and a matrix of more is far from the processor."""

_MANY_PLANES = 16
"""Groups of so many planes are convolutions of their own."""


class Steps(NamedTuple):
    """How kernels go over images, a number for each dimension."""

    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    groups: int = 1

    def counts(self, sizes: tuple[int, ...], kernel: tuple[int, ...]) -> tuple[int, ...]:
        """The windows of images, along each dimension."""
        return tuple(map(window_count, sizes, kernel, *self[:3]))


def convolve(
    x: Array,
    weight: Array,
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...] = (),
    groups: int = 1,
) -> Array:
    """Cross-correlation of B x C x sizes with O x C/groups x kernel."""
    how = Steps(stride, padding, dilation or (1,) * len(stride), groups)
    sizes_known = all(isinstance(size, int) for size in x.shape)  # in exported programs they may have names instead
    return _on_cpu(x, weight, how) if traced_for() == "cpu" and sizes_known else _by_xla(x, weight, how)


def _by_xla(x: Array, weight: Array, how: Steps) -> Array:
    edges = [(p, p) for p in how.padding]
    return lax.conv_general_dilated(
        x, weight, how.stride, edges, rhs_dilation=how.dilation, feature_group_count=how.groups
    )


def _on_cpu(x: Array, weight: Array, how: Steps) -> Array:
    kernel = weight.shape[2:]
    ones = (1,) * len(kernel)
    if how.groups > 1 and weight.shape[1] >= _MANY_PLANES:
        parts = zip(jnp.split(x, how.groups, 1), jnp.split(weight, how.groups), strict=True)
        return jnp.concatenate([_on_cpu(*part, how._replace(groups=1)) for part in parts], 1)
    if how.groups == 1 and kernel == ones and not any(how.padding):
        strided = x[:, :, *(slice(None, None, step) for step in how.stride)]
        return jnp.einsum("oc,nc...->no...", weight.reshape(weight.shape[:2]), strided)
    windows = math.prod(how.counts(x.shape[2:], kernel))
    values = len(x) * windows * weight[0].size
    if how.groups > 1 and values in _VALUES:
        return _by_taps(x, weight, how)
    if not windows_pay(math.prod(x.shape[2:]), windows, values, how):
        return _by_xla(x, weight, how)
    return by_windows(x, weight, how) if len(kernel) == 3 else _with_windows_behind(x, weight, how)


def windows_pay(pixels: int, windows: int, values: int, how: Steps) -> bool:
    """Whether the gradient of images of so many pixels is quicker as a product of matrices, of so many windows each.

    `values` are those in the windows of all images.
    """
    ones = (1,) * len(how.stride)
    is_bordered = how.stride == how.dilation == ones and pixels >= _MORE_PIXELS * windows
    return windows > 0 and values in _VALUES and (is_bordered or len(ones) == 3)


# The ways back keep the images and kernels that they are given, and neither transposed nor shifted copies.
_frugally = partial(jax.checkpoint, prevent_cse=False, static_argnums=(2,))


@_frugally
def by_windows(x: Array, weight: Array, how: Steps) -> Array:
    """As one product of matrices: every window is a row of one. Of one group."""
    counts = how.counts(x.shape[2:], weight.shape[2:])
    x = jnp.pad(jnp.moveaxis(x, 1, -1), ((0, 0), *((p, p) for p in how.padding), (0, 0)))
    windows = [x]
    # One dimension after the other: on the way back they are added up in as few steps.
    for axis, (k, count, step, far) in enumerate(
        zip(weight.shape[2:], counts, how.stride, how.dilation, strict=True), 1
    ):
        ends = [(i * far, i * far + (count - 1) * step + 1) for i in range(k)]
        windows = [lax.slice_in_dim(part, *end, step, axis) for part in windows for end in ends]
    rows = jnp.concatenate(windows, -1).reshape(-1, weight[0].size)
    product = rows @ jnp.moveaxis(weight, 1, -1).reshape(len(weight), -1).T
    return jnp.moveaxis(product.reshape(len(x), *counts, len(weight)), -1, 1)


@_frugally
def _by_taps(x: Array, weight: Array, how: Steps) -> Array:
    """As a sum of one product for each element of the kernels, of all groups together."""
    kernel, groups = weight.shape[2:], how.groups
    counts = how.counts(x.shape[2:], kernel)
    wide = jnp.pad(x, ((0, 0), (0, 0), *((p, p) for p in how.padding)))
    wide = wide.reshape(len(x), groups, -1, *wide.shape[2:])
    taps = weight.reshape(groups, -1, *weight.shape[1:2], math.prod(kernel))

    def product(number: int, tap: tuple[int, ...]) -> Array:
        place = tuple(i * far for i, far in zip(tap, how.dilation, strict=True))
        return jnp.einsum("goc,bgc...->bgo...", taps[..., number], slices(wide, place, counts, how.stride))

    products = [product(number, tap) for number, tap in enumerate(offsets(kernel))]
    return sum(products[1:], products[0]).reshape(len(x), len(weight), *counts)


_with_windows_behind = bilinear(_by_xla, by_windows, _by_xla)
"""XLA's convolution, of which the gradient of the images is a product of matrices."""
