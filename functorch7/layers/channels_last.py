"""Convolutions with the channels in the last dimension, the only order for which XLA has a fast way on CPUs.

XLA brings a program's convolutions into that order itself, except those in a loop (`lax.scan`, `lax.map`), where other
orders take fifteen times as long and more. So the gradients are such convolutions, too; differentiation would give
others. docs/performance-notes.md has the times.
"""

import math

import jax
import jax.numpy as jnp
from jax import lax

from ..core import may_be_split
from ..core.types import Array
from ..core.varying import scan, varying_as
from .windows import Steps

_WINDOWS, _VALUES = 2**12, 2**18
"""This many windows, and the values of a plane for all of them, stay close to the processor."""

_IS_UNEVEN = jax.__version_info__ < (0, 11)
"""Whether XLA is several times slower for some numbers of planes; with JAX 0.12 it is not."""

_NARROW, _WIDE = 16, 20
"""Numbers of planes: up to here products are slow, and from there on they are fast again."""

_KERNELS = range(9, 122)
"""With so many taps. Fewer gain nothing, and more are images in the place of kernels."""

_MOST_VALUES = 2**24
"""Larger images are not made wider than by one plane, which would take more memory than time is worth."""


def convolved(x: Array, weight: Array, how: Steps) -> Array:
    """Cross-correlation of B x C x sizes with O x C x kernel, as B x O x windows."""
    edges = [(p, p) for p in how.padding]
    kernels = jnp.moveaxis(weight, (1, 0), (-2, -1))
    return jnp.moveaxis(_product(jnp.moveaxis(x, 1, -1), kernels, how.stride, edges, how.dilation), -1, 1)


def images_back(y: Array, weight: Array, how: Steps, sizes: tuple[int, ...]) -> Array:
    """The transpose of `convolved` by the images: from y, B x O x windows, to images B x C x sizes."""
    axes = range(2, weight.ndim)
    kernels = jnp.moveaxis(jnp.flip(weight, axes), (0, 1), (-2, -1))
    edges = borders_back(y.shape[2:], weight.shape[2:], how, sizes)
    ones = (1,) * len(sizes)
    images = _product(jnp.moveaxis(y, 1, -1), kernels, ones, edges, how.dilation, how.stride)
    return jnp.moveaxis(images, -1, 1)


def borders_back(
    counts: tuple[int, ...], kernel: tuple[int, ...], how: Steps, sizes: tuple[int, ...]
) -> list[tuple[int, int]]:
    """The border around this many windows, with zeros between them, so that kernels reach images of these sizes."""
    edges = []
    for size, count, k, step, p, far in zip(sizes, counts, kernel, *how[:3], strict=True):
        before, reached = far * (k - 1) - p, (count - 1) * step + 1
        edges.append((before, size + p - reached))
    return edges


def kernels_back(x: Array, y: Array, how: Steps, kernel: tuple[int, ...]) -> Array:
    """The transpose of `convolved` by the kernels: from y, B x O x windows, to kernels O x C x kernel.

    Many windows are processed in parts, since products over more than fits the processor's cache take three times as
    long.
    """
    if may_be_split() or not y.size:  # each device has its own part, and would have to send values for the next
        return _of_kernels(x, y, how, kernel)
    most = max(_WINDOWS, _VALUES // max(x.shape[1], y.shape[1]))
    x, y, how = _in_bands(x, y, how, kernel, most)
    count = _images_at_once(most // math.prod(y.shape[2:]), y.shape[1])
    if len(x) <= count:
        return _of_kernels(x, y, how, kernel)

    def add(total: Array, part: tuple[Array, Array]) -> tuple[Array, None]:
        return total + _of_kernels(part[0], part[1], how, kernel), None

    batches = tuple(_split(each, math.ceil(len(x) / count), count) for each in (x, y))
    nothing = varying_as(jnp.zeros((y.shape[1], x.shape[1], *kernel), x.dtype), (x, y))
    return scan(add, nothing, batches)[0]


def _images_at_once(most: int, outputs: int) -> int:
    """How many images are processed at once, which are planes there: a number with which XLA is fast."""
    if not _IS_UNEVEN:
        return max(1, most)
    return max(1, most // 2 * 2) if outputs > _NARROW else max(_WIDE, most // 4 * 4)


def _of_kernels(x: Array, y: Array, how: Steps, kernel: tuple[int, ...]) -> Array:
    edges = []
    for size, count, k, step, p, far in zip(x.shape[2:], y.shape[2:], kernel, *how[:3], strict=True):
        edges.append((p, (count - 1) * step + 1 + (k - 1) * far - size - p))
    # The planes take the role of examples here, and the examples that of planes.
    images, kernels = jnp.moveaxis(x, (1, 0), (0, -1)), jnp.moveaxis(y, (0, 1), (-2, -1))
    return jnp.moveaxis(_product(images, kernels, how.dilation, edges, how.stride), (-1, 0), (0, 1))


def _in_bands(
    x: Array, y: Array, how: Steps, kernel: tuple[int, ...], most: int
) -> tuple[Array, Array, Steps]:  # fmt: skip
    """Splits images of more than `most` windows into several, by rows of windows; the last one ends with zeros."""
    rows, bands = y.shape[2], math.ceil(math.prod(y.shape[2:]) / most)
    if bands < 2:
        return x, y, how
    high = math.ceil(rows / bands)
    bands = math.ceil(rows / high)
    (step, *_), (p, *_), (far, *_) = how[:3]
    reach = (high - 1) * step + (kernel[0] - 1) * far + 1
    behind = (bands - 1) * high * step + reach - x.shape[2] - p
    edges = [(p, behind, 0) if axis == 2 else (0, 0, 0) for axis in range(x.ndim)]
    wide = lax.pad(x, jnp.zeros((), x.dtype), edges)
    starts = [i * high * step for i in range(bands)]
    parts = jnp.stack([lax.slice_in_dim(wide, start, start + reach, axis=2) for start in starts])
    of_parts = jnp.moveaxis(_split(jnp.moveaxis(y, 2, 0), bands, high), 1, 3)
    within = how._replace(padding=(0, *how.padding[1:]))
    return parts.reshape(-1, *parts.shape[2:]), of_parts.reshape(-1, *of_parts.shape[2:]), within


def _split(x: Array, parts: int, count: int) -> Array:
    """This many parts of this many elements of the first dimension, with zeros at the end."""
    x = jnp.pad(x, ((0, parts * count - len(x)), *((0, 0),) * (x.ndim - 1)))
    return x.reshape(parts, count, *x.shape[1:])


def _product(
    images: Array,
    kernels: Array,
    stride: tuple[int, ...],
    edges: list[tuple[int, int]],
    dilation: tuple[int, ...],
    gaps: tuple[int, ...] | None = None,
) -> Array:
    """From B x sizes x C with kernel x C x O to B x windows x O."""
    axes = images.ndim - 2
    gaps = gaps or (1,) * axes
    if _may_be_swapped(images.shape[1:-1], kernels.shape[:-2], gaps):
        images = _with_surroundings(images, kernels.shape[:-2], edges, gaps)
        edges, gaps = [(0, 0)] * axes, (1,) * axes
    of_images, of_kernels = (0, axes + 1, *range(1, axes + 1)), (axes + 1, axes, *range(axes))
    order = lax.ConvDimensionNumbers(of_images, of_kernels, of_images)
    outputs = kernels.shape[-1]
    images, kernels = _with_zeros(images, kernels)
    found = lax.conv_general_dilated(images, kernels, stride, edges, gaps, dilation, dimension_numbers=order)
    return lax.slice_in_dim(found, 0, outputs, axis=-1)


def _with_zeros(images: Array, kernels: Array) -> tuple[Array, Array]:
    """Both with planes of zeros, where XLA multiplies matrices several times faster with them."""
    if may_be_split() or not _IS_UNEVEN:  # the planes may be examples, of which each device has its own
        return images, kernels
    *taps, planes, outputs = kernels.shape
    is_small = math.prod(images.shape[:-1]) * _WIDE <= _MOST_VALUES
    wide, many = _fast_sizes(math.prod(taps) if is_small else 0, planes, outputs)
    if (wide, many) == (planes, outputs):
        return images, kernels
    borders = [(0, 0)] * (images.ndim - 1)
    images = jnp.pad(images, [*borders, (0, wide - planes)])
    return images, jnp.pad(kernels, [*borders[1:], (0, wide - planes), (0, many - outputs)])


def _fast_sizes(taps: int, planes: int, outputs: int) -> tuple[int, int]:
    """How many planes of images, and of outputs, take the least time in place of these (jaxlib 0.10.2).

    More than `_NARROW` outputs are fast for an even number of planes, fewer for `_WIDE` planes or more by fours.
    """
    is_even_faster = outputs % 64 != 0 and (planes > 3 or outputs <= 32)
    even = planes + planes % 2 if planes > 1 and is_even_faster else planes
    if outputs > _NARROW:
        return even, outputs
    if taps not in _KERNELS:
        return planes, outputs
    if planes >= outputs and planes > _WIDE // 4:
        return max(_WIDE, planes + -planes % 4), outputs
    return (even, _WIDE) if outputs > _WIDE // 8 else (planes, outputs)


def _may_be_swapped(sizes: tuple[int, ...], kernel: tuple[int, ...], gaps: tuple[int, ...]) -> bool:
    """Whether XLA would use the images as kernels, because these are larger.

    With a border around the images the swapped convolution is up to a hundred times slower, and with some gaps between
    their pixels it aborts the process (jaxlib 0.10.2 to 0.12.0). With gaps XLA ignores some of the axes.
    """
    if max(gaps) == 1:
        return math.prod(sizes) < math.prod(kernel)
    return any(taps > size for taps, size in zip(kernel, sizes, strict=True))


def _with_surroundings(
    images: Array, kernel: tuple[int, ...], edges: list[tuple[int, int]], gaps: tuple[int, ...]
) -> Array:  # fmt: skip
    """Images with their border and the zeros in their gaps, after which XLA does not swap them with the kernels."""
    around = [(*edge, gap - 1) for edge, gap in zip(edges, gaps, strict=True)]
    wide = lax.pad(images, jnp.zeros((), images.dtype), [(0, 0, 0), *around, (0, 0, 0)])
    # XLA moves the padding back into the convolution, unless a barrier stops it. If only gaps are moved back, it uses
    # them to save work, but an axis where a kernel of 2 meets gaps of 2 without a border is what aborts the process.
    must_stay = max(gaps) == 1 or (2, 2, (0, 0)) in zip(kernel, gaps, edges, strict=True)
    return lax.optimization_barrier(wide) if must_stay else wide
