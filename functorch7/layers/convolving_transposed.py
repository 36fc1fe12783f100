"""Transposed convolutions, the gradients of convolutions by images; on CPUs in the form that took the least time.

Their gradients are those of a convolution: the gradient of the input is a convolution, that of the kernels is the
gradient of a convolution's kernels, with input and output exchanged. docs/performance-notes.md has the times.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from ..core import may_have_copies, traced_for, varying, wide_on_cpu
from ..core.types import Array
from .bilinear import bilinear
from .convolving import on_cpu
from .windows import Steps, in_whole_planes


class Places(NamedTuple):
    """How kernels are placed on the output, a number for each dimension."""

    stride: tuple[int, ...]
    padding: tuple[int, ...]
    adjustment: tuple[int, ...]

    def sizes(self, sizes: tuple[int, ...], kernel: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the output."""
        rows = zip(sizes, kernel, *self, strict=True)
        return tuple((s - 1) * step - 2 * p + k + more for s, k, step, p, more in rows)

    def images(self, x: Array, weight: Array) -> jax.ShapeDtypeStruct:
        """The shape and type of the output: the images of a convolution whose output is like x."""
        sizes = self.sizes(x.shape[2:], weight.shape[2:])
        return varying.shaped((len(x), weight.shape[1], *sizes), x)

    def back(self) -> Steps:
        """How the same kernels move over the output, to give images as large as the input."""
        return Steps(self.stride, self.padding, (1,) * len(self.stride))


@wide_on_cpu
def convolve_transposed(
    x: Array, weight: Array, stride: tuple[int, ...], padding: tuple[int, ...], adjustment: tuple[int, ...]
) -> Array:
    """Each element of B x C x sizes adds its kernels (C x O x kernel) to the output, at its place times the stride."""
    how = Places(stride, padding, adjustment)
    if may_have_copies():
        return in_whole_planes(_by_xla)(x, weight, how)
    sizes_known = all(isinstance(size, int) for size in x.shape)  # in exported programs sizes may be names
    return _on_cpu(x, weight, how) if traced_for() == "cpu" and sizes_known else _by_xla(x, weight, how)


def _by_xla(x: Array, weight: Array, how: Places) -> Array:
    axes = tuple(range(2, weight.ndim))
    edges = [
        (k - 1 - p, k - 1 - p + more) for k, p, more in zip(weight.shape[2:], how.padding, how.adjustment, strict=True)
    ]
    flipped = jnp.flip(weight, axes).swapaxes(0, 1)
    return lax.conv_general_dilated(x, flipped, (1,) * len(axes), edges, lhs_dilation=how.stride)


def _as_gradient(x: Array, weight: Array, how: Places) -> Array:
    """The gradient of a convolution's images, in its fastest form."""
    nothing = jnp.zeros_like(x, shape=how.images(x, weight).shape)
    _, pull = jax.vjp(lambda y: on_cpu(y, weight, how.back()), nothing)
    return pull(x)[0]


def _of_images(x: Array, weight: Array, how: Places) -> Array:
    """The transpose of a convolution, whose own transpose is that convolution again."""
    (found,) = jax.linear_transpose(lambda y: on_cpu(y, weight, how.back()), how.images(x, weight))(x)
    return found


def _of_kernels(x: Array, weight: Array, how: Places) -> Array:
    """The transpose of the gradient of a convolution's kernels, whose own transpose is that gradient again."""

    def gradient(y: Array) -> Array:
        _, pull = jax.vjp(lambda kernels: on_cpu(y, kernels, how.back()), jnp.zeros_like(weight))
        return pull(x)[0]

    (found,) = jax.linear_transpose(gradient, how.images(x, weight))(weight)
    return found


_on_cpu = bilinear(_as_gradient, _of_images, _of_kernels)
