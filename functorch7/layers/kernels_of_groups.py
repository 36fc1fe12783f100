"""The gradient of kernels in groups of few planes, by one product of matrices for each row of a kernel.

All columns of the images are multiplied with all columns of the outputs; only the diagonals of the products are used,
one for each tap. These are few, but XLA multiplies matrices so much faster than it adds products of shifted planes that
this takes half of the time or less, and less memory. docs/performance-notes.md has the times.
"""

import jax.numpy as jnp
from jax import lax

from ..core.types import Array
from .windows import Steps, offsets, slices

_FEW_PRODUCTS = 16
"""The largest number of a group's planes: with more, products for each tap are matrices themselves."""

_MOST_COLUMNS = 128
"""The largest width of images: of wider ones too few products are used."""


def rows_pay(x: Array, weight: Array, how: Steps) -> bool:
    """Whether this is faster for a convolution of such sizes."""
    products = weight.shape[1] * len(weight) // how.groups
    return products <= _FEW_PRODUCTS and how.stride[-1] == 1 and x.shape[-1] <= _MOST_COLUMNS


def kernels_by_rows(x: Array, y: Array, how: Steps, kernel: tuple[int, ...]) -> Array:
    """From images B x C x sizes and y, B x O x windows, to kernels O x C/groups x kernel, the sum over all windows.

    Kernels have steps of one along the last dimension.
    """
    wide = _by_row(jnp.pad(x, ((0, 0), (0, 0), *((p, p) for p in how.padding))), how.groups)
    (*above, columns), (*steps, _), (*fars, far) = y.shape[2:], how.stride, how.dilation
    outputs, found = _of_all(_by_row(y, how.groups)), []
    for place in offsets(kernel[:-1]):
        start = (*(i * each for i, each in zip(place, fars, strict=True)), 0, 0)
        met = slices(wide, start, (*above, *wide.shape[-2:]), (*steps, 1, 1))
        products = lax.collapse(jnp.einsum("gnpv,gnqw->gqpvw", _of_all(met), outputs), 3)
        for i in range(kernel[-1]):  # in columns x columns, row by row, a diagonal is every (columns + 1)-th element
            first, last = i * far * columns, (i * far + columns) * columns
            found.append(lax.slice_in_dim(products, first, last, columns + 1, axis=3).sum(-1))
    return jnp.stack(found, -1).reshape(y.shape[1], -1, *kernel)


def _by_row(planes: Array, groups: int) -> Array:
    """Planes B x C x sizes as groups x B x sizes without the last x C/groups x columns."""
    apart = planes.reshape(len(planes), groups, -1, *planes.shape[2:])
    return jnp.moveaxis(apart, (1, 2), (0, -2))


def _of_all(rows: Array) -> Array:
    """The rows of all images, groups x rows x C/groups x columns."""
    return rows.reshape(len(rows), -1, *rows.shape[-2:])
