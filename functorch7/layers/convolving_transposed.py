"""Transposed convolutions, the gradients of convolutions by their images; on CPUs by what took the least time."""

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from ..core import traced_for, wide_on_cpu
from ..core.types import Array
from .bilinear import Product, bilinear
from .convolving import Steps, by_windows, on_cpu, windows_pay


class Places(NamedTuple):
    """How kernels are placed on the output, a number for each dimension."""

    stride: tuple[int, ...]
    padding: tuple[int, ...]
    adjustment: tuple[int, ...]

    def sizes(self, sizes: tuple[int, ...], kernel: tuple[int, ...]) -> tuple[int, ...]:
        """The output's."""
        rows = zip(sizes, kernel, *self, strict=True)
        return tuple((s - 1) * step - 2 * p + k + more for s, k, step, p, more in rows)

    def back(self) -> Steps:
        """How the same kernels go over the output, to give images as large as the input."""
        return Steps(self.stride, self.padding, (1,) * len(self.stride))


@wide_on_cpu
def convolve_transposed(
    x: Array, weight: Array, stride: tuple[int, ...], padding: tuple[int, ...], adjustment: tuple[int, ...]
) -> Array:
    """Each element of B x C x sizes adds its kernels (C x O x kernel) to the output, at its place times the stride."""
    how = Places(stride, padding, adjustment)
    sizes_known = all(isinstance(size, int) for size in x.shape)  # in exported programs they may have names instead
    if traced_for() != "cpu" or not sizes_known:
        return _by_xla(x, weight, how)
    if len(stride) == 3:
        return _as_gradient(on_cpu, x, weight, how)
    pixels, windows = math.prod(how.sizes(x.shape[2:], weight.shape[2:])), math.prod(x.shape[2:])
    quickly = windows_pay(pixels, windows, len(x) * windows * weight[0].size, how.back())
    return _as_gradient(by_windows, x, weight, how) if quickly else _by_gradients(x, weight, how)


def _by_xla(x: Array, weight: Array, how: Places) -> Array:
    axes = tuple(range(2, weight.ndim))
    edges = [
        (k - 1 - p, k - 1 - p + more) for k, p, more in zip(weight.shape[2:], how.padding, how.adjustment, strict=True)
    ]
    flipped = jnp.flip(weight, axes).swapaxes(0, 1)
    return lax.conv_general_dilated(x, flipped, (1,) * len(axes), edges, lhs_dilation=how.stride)


def _of_kernels(x: Array, weight: Array, how: Places) -> Array:
    """The same with the kernels for images and the images for kernels.

    Transposed, it is to XLA the gradient of a convolution's kernels; that of `_by_xla` takes 50 times as long on CPUs.
    """
    axes = tuple(range(2, weight.ndim))
    reach = [(size - 1) * step - p for size, step, p in zip(x.shape[2:], how.stride, how.padding, strict=True)]
    edges = [(far, far + more) for far, more in zip(reach, how.adjustment, strict=True)]
    flipped = jnp.flip(x, axes)
    found = lax.conv_general_dilated(weight.swapaxes(0, 1), flipped, (1,) * len(axes), edges, rhs_dilation=how.stride)
    return found.swapaxes(0, 1)


_by_gradients = bilinear(_by_xla, _by_xla, _of_kernels)


def _as_gradient(convolution: Product, x: Array, weight: Array, how: Places) -> Array:
    """As the gradient of a convolution of images."""
    images = jax.ShapeDtypeStruct((len(x), weight.shape[1], *how.sizes(x.shape[2:], weight.shape[2:])), x.dtype)
    (found,) = jax.linear_transpose(lambda y: convolution(y, weight, how.back()), images)(x)
    return found
