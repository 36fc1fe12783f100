"""Transposed convolutions by steps as convolutions without: each pixel between two places of a kernel is a plane.

Pixel step * i + r of the output is the sum of x_(i - j) times tap step * j + r of the kernels, over j.
"""

import math

import jax.numpy as jnp
from jax import lax

from ..core.types import Array


def kernels_of_phases(weight: Array, stride: tuple[int, ...]) -> Array:
    """C x O x kernel as a convolution's kernels, (O * all steps) x C x (kernel / stride), grouped by phase."""
    dims = len(stride)
    taps = [k // step for k, step in zip(weight.shape[2:], stride, strict=True)]
    split = weight.reshape(*weight.shape[:2], *(size for pair in zip(taps, stride, strict=True) for size in pair))
    apart = split.transpose(1, *range(3, 3 + 2 * dims, 2), 0, *range(2, 2 + 2 * dims, 2))
    return jnp.flip(apart.reshape(-1, len(weight), *taps), range(2, 2 + dims))


def side_by_side(
    planes: Array, stride: tuple[int, ...], padding: tuple[int, ...], sizes: tuple[int, ...]
) -> Array:  # fmt: skip
    """B x (O * all steps) x (places) as images of these sizes without the padding; missing pixels are 0."""
    dims, count = len(stride), planes.shape[1] // math.prod(stride)
    apart = planes.reshape(len(planes), count, *stride, *planes.shape[2:])
    pixels = apart.transpose(0, 1, *(axis for i in range(2, 2 + dims) for axis in (i + dims, i)))
    found = [places * step for places, step in zip(planes.shape[2:], stride, strict=True)]
    edges = [(-p, size + p - many, 0) for many, p, size in zip(found, padding, sizes, strict=True)]
    images = pixels.reshape(len(planes), count, *found)
    return lax.pad(images, jnp.zeros((), planes.dtype), [(0, 0, 0), (0, 0, 0), *edges])
