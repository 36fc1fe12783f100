"""Cross-correlation of images with kernels; on CPUs in the form that took the least time for such sizes.

docs/performance-notes.md has the times. The rule is a convolution with the channels last, with gradients of the same
kind (`channels_last.py`). The gradient of the images is one in a border of zeros, with a window for each pixel. That of
the kernels is slow if they have few taps and there are many windows, as in the first layer of a network. XLA has no
fast way for groups (`kernels_of_groups.py`), nor for volumes, which are computed frame by frame instead.
"""

import math
from collections.abc import Callable
from functools import cache, partial

import jax
import jax.numpy as jnp
from jax import lax

from ..core import may_have_copies, traced_for, varying, wide_on_cpu
from ..core.types import Array
from .bilinear import Product, bilinear
from .channels_last import borders_back, convolved, images_back, kernels_back
from .kernels_of_groups import kernels_by_rows, rows_pay
from .phases import kernels_of_phases, side_by_side
from .windows import Steps, in_whole_planes, offsets, slices

_MORE_PIXELS = 1.3
"""With this ratio of pixels to windows the border becomes expensive."""

_VALUES, _VALUES_OF_VOLUMES = range(2**14, 2**22), range(2**14, 2**19)
"""Limits of the number of values in all windows: fewer gain nothing, larger matrices are far from the processor."""

_MANY_PLANES = 16
"""Groups of at least this many planes are separate convolutions."""

_FEW_MULTIPLES = 150
"""At most this many elements of kernels are added in one pass; XLA takes long to compile more."""

_VECTOR, _MANY_ROWS = 16, 40
"""The largest number of values in a vector register; and enough planes for products that have them as rows."""

_FEW_TAPS, _MANY_VALUES = 30, 400_000
"""For kernels of at most this many taps, and outputs of this many values, the kernels' gradient is faster by rows."""


@wide_on_cpu
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
    if may_have_copies():  # along which XLA adds the gradient of kernels in groups (jaxlib 0.10.2)
        return _by_taps(x, weight, how) if groups > 1 else in_whole_planes(_by_xla)(x, weight, how)
    sizes_known = all(isinstance(size, int) for size in x.shape)  # in exported programs sizes may be names
    return on_cpu(x, weight, how) if traced_for() == "cpu" and sizes_known else _by_xla(x, weight, how)


def _by_xla(x: Array, weight: Array, how: Steps) -> Array:
    edges = [(p, p) for p in how.padding]
    return lax.conv_general_dilated(
        x, weight, how.stride, edges, rhs_dilation=how.dilation, feature_group_count=how.groups
    )


def on_cpu(x: Array, weight: Array, how: Steps) -> Array:
    """The fastest form for such sizes."""
    kernel = weight.shape[2:]
    ones = (1,) * len(kernel)
    if how.groups > 1 and weight.shape[1] >= _MANY_PLANES:
        parts = zip(jnp.split(x, how.groups, 1), jnp.split(weight, how.groups), strict=True)
        return jnp.concatenate([on_cpu(*part, how._replace(groups=1)) for part in parts], 1)
    if how.groups > 1:
        return _small_groups(x, weight, how)(x, weight, how)
    if kernel == ones and not any(how.padding):
        strided = x[:, :, *(slice(None, None, step) for step in how.stride)]
        return jnp.einsum("oc,nc...->no...", weight.reshape(weight.shape[:2]), strided)
    windows = math.prod(how.counts(x.shape[2:], kernel))
    values = len(x) * windows * weight[0].size
    by_product = _windows_pay(math.prod(x.shape[2:]), windows, values, how)
    if by_product and (len(kernel) == 3 or _fit_no_vectors(len(weight))):
        return by_windows(x, weight, how)
    in_frames = len(kernel) == 3
    product, of_images, of_kernels = (_by_frames,) * 3 if in_frames else (convolved, _of_images, _of_kernels)
    by_images = by_windows if by_product else _of_phases if _phases_pay(weight, how) else of_images
    is_long = weight[0].size <= _FEW_TAPS and len(x) * windows * len(weight) >= _MANY_VALUES
    by_row = is_long and len(kernel) == 2 and max(how.stride) <= 2
    return _convolution(product, by_images, _by_rows if by_row else of_kernels)(x, weight, how)


def _small_groups(x: Array, weight: Array, how: Steps) -> Product:
    """The form for groups of few planes: multiples of planes, if they are not too many to add in one pass."""
    kernel, planes = weight.shape[2:], max(weight.shape[1], len(weight) // how.groups)
    by_kernels = _of_rows if rows_pay(x, weight, how) else _by_taps
    if planes * math.prod(kernel) > _FEW_MULTIPLES:
        return _convolution(_by_taps, _by_taps, by_kernels)
    return _convolution(_by_planes, _of_turned, by_kernels)


def _windows_pay(pixels: int, windows: int, values: int, how: Steps) -> bool:
    """Whether the gradient of images with this many pixels is faster as a product of matrices, with this many windows.

    `values` is the number of values in the windows of all images.
    """
    ones = (1,) * len(how.stride)
    is_bordered = how.stride == how.dilation == ones and pixels >= _MORE_PIXELS * windows
    if len(ones) == 3:
        return windows > 0 and values in _VALUES_OF_VOLUMES and how.stride != ones
    return windows > 0 and values in _VALUES and is_bordered


def _fit_no_vectors(planes: int) -> bool:
    """Whether XLA is slow with this many planes as columns of a product, and not as rows."""
    return planes > _MANY_ROWS and planes % _VECTOR != 0


# The gradients keep the given images and kernels, and neither transposed nor shifted copies.
_frugally = partial(jax.checkpoint, prevent_cse=False, static_argnums=(2,))


@_frugally
def by_windows(x: Array, weight: Array, how: Steps) -> Array:
    """One product of matrices: every window is a row of one of them. For one group."""
    counts = how.counts(x.shape[2:], weight.shape[2:])
    x = jnp.pad(jnp.moveaxis(x, 1, -1), ((0, 0), *((p, p) for p in how.padding), (0, 0)))
    windows = [x]
    # One dimension after the other: in the backward pass they are added in as few steps.
    for axis, (k, count, step, far) in enumerate(
        zip(weight.shape[2:], counts, how.stride, how.dilation, strict=True), 1
    ):
        ends = [(i * far, i * far + (count - 1) * step + 1) for i in range(k)]
        windows = [lax.slice_in_dim(part, *end, step, axis) for part in windows for end in ends]
    rows = jnp.concatenate(windows, -1).reshape(-1, weight[0].size)
    kernels = jnp.moveaxis(weight, 1, -1).reshape(len(weight), -1)
    if _fit_no_vectors(len(weight)):  # with planes as rows of the products
        return jnp.swapaxes(jnp.einsum("ok,pk->op", kernels, rows).reshape(len(weight), len(x), *counts), 0, 1)
    return jnp.moveaxis((rows @ kernels.T).reshape(len(x), *counts, len(weight)), -1, 1)


@_frugally
def _by_taps(x: Array, weight: Array, how: Steps) -> Array:
    """A sum of one product for each element of the kernels, for all groups together."""
    return _sum_of([jnp.einsum("goc,bgc...->bgo...", *tap) for tap in _taps(x, weight, how)], x, weight)


@_frugally
def _by_planes(x: Array, weight: Array, how: Steps) -> Array:
    """A sum of multiples of planes, added in one pass, for groups with few planes."""
    ones = (1,) * len(how.stride)
    found = [
        multiples[None, :, :, plane].reshape(1, how.groups, -1, *ones) * part[:, :, None, plane]
        for multiples, part in _taps(x, weight, how)
        for plane in range(weight.shape[1])
    ]
    return _sum_of(found, x, weight)


def _taps(x: Array, weight: Array, how: Steps) -> list[tuple[Array, Array]]:
    """For each element of the kernels, its numbers (groups x O x C) and their factors (B x groups x C x windows)."""
    kernel, groups = weight.shape[2:], how.groups
    counts = how.counts(x.shape[2:], kernel)
    wide = jnp.pad(x, ((0, 0), (0, 0), *((p, p) for p in how.padding)))
    wide = wide.reshape(len(x), groups, x.shape[1] // groups, *wide.shape[2:])
    taps = weight.reshape(groups, -1, *weight.shape[1:2], math.prod(kernel))
    places = [tuple(i * far for i, far in zip(tap, how.dilation, strict=True)) for tap in offsets(kernel)]
    return [(taps[..., n], slices(wide, place, counts, how.stride)) for n, place in enumerate(places)]


def _sum_of(groups: list[Array], x: Array, weight: Array) -> Array:
    """The sums of the groups' planes, in one dimension again."""
    total = sum(groups[1:], groups[0])
    return total.reshape(len(x), len(weight), *total.shape[3:])


@_frugally
def _by_rows(x: Array, weight: Array, how: Steps) -> Array:
    """A sum of one product for each row of the kernels and each image; only there are images copied for each tap."""
    (height, width), (far, far_across) = weight.shape[2:], how.dilation
    counts = how.counts(x.shape[2:], (height, width))
    x = jnp.pad(x, ((0, 0), (0, 0), *((p, p) for p in how.padding)))
    across = [slices(x, (j * far_across,), counts[1:], how.stride[1:]) for j in range(width)]
    rows = jnp.stack(across, 2).reshape(len(x), -1, x.shape[2], counts[1])

    def product(i: int) -> Array:
        taps = weight[:, :, i].reshape(len(weight), -1)
        each = lax.slice_in_dim(rows, i * far, i * far + (counts[0] - 1) * how.stride[0] + 1, how.stride[0], 2)
        # One product for each image, which the gradient adds; for all at once the planes would have to come first.
        return jnp.broadcast_to(taps, (len(x), *taps.shape)) @ each.reshape(*rows.shape[:2], -1)

    products = [product(i) for i in range(height)]
    return sum(products[1:], products[0]).reshape(len(x), len(weight), *counts)


@_frugally
def _by_frames(x: Array, weight: Array, how: Steps) -> Array:
    """Volumes, as images with the planes of all the frames that a kernel reaches. For one group."""
    kernel, (step, *_), (border, *_), (far, *_) = weight.shape[2:], *how[:3]
    count, *_ = how.counts(x.shape[2:], kernel)
    x = jnp.pad(x, ((0, 0), (0, 0), (border, border), (0, 0), (0, 0)))
    reached = [lax.slice_in_dim(x, i * far, i * far + (count - 1) * step + 1, step, 2) for i in range(kernel[0])]
    planes = jnp.moveaxis(jnp.stack(reached, 2), 3, 1)
    images = planes.reshape(len(x) * count, x.shape[1] * kernel[0], *x.shape[3:])
    within = Steps(how.stride[1:], how.padding[1:], how.dilation[1:])
    found = on_cpu(images, weight.reshape(len(weight), -1, *kernel[1:]), within)
    return jnp.moveaxis(found.reshape(len(x), count, *found.shape[1:]), 1, 2)


def _phases_pay(weight: Array, how: Steps) -> bool:
    """Whether the gradient of images is faster by phases: if there are several, with equal taps, and enough planes."""
    is_even = all(k % step == 0 for k, step in zip(weight.shape[2:], how.stride, strict=True))
    phases = math.prod(how.stride)
    return phases > 1 and max(how.dilation) == 1 and is_even and phases * weight.shape[1] >= _VECTOR


def _by_phases(x: Array, weight: Array, how: Steps, sizes: tuple[int, ...]) -> Array:
    """The transpose of a convolution with steps of images of these sizes, as a convolution without steps."""
    kernels = kernels_of_phases(weight, how.stride)
    ones = (1,) * len(sizes)
    planes = on_cpu(x, kernels, Steps(ones, tuple(taps - 1 for taps in kernels.shape[2:]), ones))
    return side_by_side(planes, how.stride, how.padding, sizes)


def _by_turned(y: Array, weight: Array, how: Steps, sizes: tuple[int, ...]) -> Array:
    """The transpose of a convolution of images of these sizes, as one with the kernels turned around, without steps."""
    kernel, groups = weight.shape[2:], how.groups
    apart = weight.reshape(groups, -1, *weight.shape[1:])
    turned = jnp.flip(jnp.swapaxes(apart, 1, 2), range(3, apart.ndim)).reshape(-1, len(weight) // groups, *kernel)
    around = borders_back(y.shape[2:], kernel, how, sizes)
    edges = [(*border, step - 1) for border, step in zip(around, how.stride, strict=True)]
    wide = lax.pad(y, jnp.zeros((), y.dtype), [(0, 0, 0)] * 2 + edges)
    nothing, ones = (0,) * len(kernel), (1,) * len(kernel)
    return _by_planes(wide, turned, how._replace(stride=ones, padding=nothing))


def _transposed(back: Callable[..., Array], x: Array, weight: Array, how: Steps) -> Array:
    """The transpose of the transpose of `back`, so that the gradient is `back` itself."""
    (found,) = jax.linear_transpose(lambda y: back(y, weight, how, x.shape[2:]), _outputs(x, weight, how))(x)
    return found


def _outputs(x: Array, weight: Array, how: Steps) -> jax.ShapeDtypeStruct:
    return varying.shaped((len(x), len(weight), *how.counts(x.shape[2:], weight.shape[2:])), x)


_of_images, _of_phases, _of_turned = (
    _frugally(partial(_transposed, back)) for back in (images_back, _by_phases, _by_turned)
)


def _kernels_transposed(back: Callable[..., Array], x: Array, weight: Array, how: Steps) -> Array:
    """The same for the kernels."""
    by_outputs = partial(back, x, how=how, kernel=weight.shape[2:])
    (found,) = jax.linear_transpose(by_outputs, _outputs(x, weight, how))(weight)
    return found


_of_kernels, _of_rows = (_frugally(partial(_kernels_transposed, back)) for back in (kernels_back, kernels_by_rows))


@cache
def _convolution(product: Product, by_images: Product, by_kernels: Product) -> Product:
    """A convolution with these gradients of the images and of the kernels."""
    return product if by_images is by_kernels is product else bilinear(product, by_images, by_kernels)
