"""Spatial transformers: images sampled at places that a network chooses, by affine maps."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from ..core import Map, TableMap, check_floating, expected
from ..core.types import Array, Table
from .table import check_table


class AffineTransformMatrixGenerator(Map):
    """y = [s R | s R t], R = [[cos(a), -sin(a)], [sin(a), cos(a)]]: the matrices of affine maps out of an angle a, a
    scale s and a shift t, which are 0, 1 and 0 unless they are used; y = x as rows of 3, if none is.

    x has a (`use_rotation`), s (`use_scale`) and both parts of t (`use_translation`), in this order, or all 6 numbers.
    Shape: (B, n) -> (B, 2, 3), or without the batch; n is 1 to 4, or 6.
    Raises: ValueError for another number of parameters.
    Source: stnbhwd, AffineTransformMatrixGenerator.lua.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.AffineTransformMatrixGenerator(False, True, True).apply({}, {}, jnp.array([2.0, 1, 3]))[0].tolist()[1]
    [0.0, 2.0, 6.0]
    """

    use_rotation: bool = False
    use_scale: bool = False
    use_translation: bool = False

    def f(self, input: Array) -> Array:
        check_floating(self, input)
        rotates, scales, shifts = map(bool, (self.use_rotation, self.use_scale, self.use_translation))
        count = rotates + scales + 2 * shifts or 6
        if input.ndim not in (1, 2) or input.shape[-1] != count:
            raise expected(self, f"{count} parameters, or a batch of them", input)
        if count == 6:
            return input.reshape(*input.shape[:-1], 2, 3)
        zero = jnp.zeros_like(input[..., 0])
        angle = input[..., 0] if rotates else zero
        scale = input[..., int(rotates)] if scales else zero + 1
        cos, sin = scale * jnp.cos(angle), scale * jnp.sin(angle)
        across, down = (input[..., -2], input[..., -1]) if shifts else (zero, zero)
        rows = [[cos, -sin, cos * across - sin * down], [sin, cos, sin * across + cos * down]]
        return jnp.stack([jnp.stack(row, -1) for row in rows], -2)


class AffineGridGeneratorBHWD(Map):
    """y[i, j] = x [2 i / (height - 1) - 1, 2 j / (width - 1) - 1, 1]: the places to which an affine map sends a grid.

    Places are (down, across), from -1 at the first row or column of an image to 1 at the last one.
    Shape: (B, 2, 3) -> (B, height, width, 2), or without the batch.
    Raises: ValueError for other shapes, and for a height or width below 2.
    Source: stnbhwd, AffineGridGeneratorBHWD.lua.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.AffineGridGeneratorBHWD(2, 3).apply({}, {}, jnp.array([[1.0, 0, 0], [0, 1, 0]]))[0][0].tolist()
    [[-1.0, -1.0], [-1.0, 0.0], [-1.0, 1.0]]
    """

    height: int
    width: int

    def __post_init__(self) -> None:
        if not (self.height > 1 and self.width > 1):
            raise ValueError(
                f"{self.torch_name()}: expected a height and a width above 1, got {self.height} and {self.width}"
            )

    def f(self, input: Array) -> Array:
        check_floating(self, input)
        if input.ndim not in (2, 3) or input.shape[-2:] != (2, 3):
            raise expected(self, "matrices of affine maps, 2 x 3, or a batch of them", input)
        rows, columns = (jnp.linspace(-1, 1, count, dtype=input.dtype) for count in (self.height, self.width))
        down, across = jnp.meshgrid(rows, columns, indexing="ij")
        places = jnp.stack([down, across, jnp.ones_like(down)], -1)
        # The default products of accelerators are not precise enough for places in an image.
        return jnp.einsum("...rk,ijk->...ijr", input, places, precision="highest")


class BilinearSamplerBHWD(TableMap):
    """y[i, j, d] = sum_{p, q} max(0, 1 - |r - p|) max(0, 1 - |c - q|) x[p, q, d]; r = (g[i, j, 1] + 1) (H - 1) / 2;
    c = (g[i, j, 2] + 1) (W - 1) / 2: images x between their pixels, at the places of grids g; 0 outside.

    Places are (down, across) in [-1, 1], as AffineGridGeneratorBHWD gives them.
    Shape: [(B, H, W, D), (B, h, w, 2)] -> (B, h, w, D), or without the batch in both.
    Raises: ValueError for other shapes.
    Source: stnbhwd, BilinearSamplerBHWD.lua and its C code.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> image = jnp.array([[[1.0], [3.0]], [[5.0], [7.0]]])
    >>> f7.BilinearSamplerBHWD().apply({}, {}, [image, jnp.array([[[0.0, -1.0], [0.0, 0.0]]])])[0].tolist()
    [[[3.0], [4.0]]]
    """

    def f(self, input: Table) -> Array:
        images, grids = check_table(self, input, 2)[:2]
        check_floating(self, images)
        check_floating(self, grids)
        if images.ndim not in (3, 4) or grids.ndim != images.ndim or grids.shape[-1] != 2:
            raise expected(self, "images (..., height, width, depth) and grids (..., height, width, 2)", input)
        if images.ndim == 3:
            return _sampled(images, grids)
        if images.shape[0] != grids.shape[0]:
            raise expected(self, "as many grids as images", input)
        return jax.vmap(_sampled)(images, grids)


def _sampled(image: Array, grid: Array) -> Array:
    """An image between its pixels, at the places of a grid."""
    total = jnp.zeros((*grid.shape[:-1], image.shape[-1]), image.dtype)
    for row, of_row in _neighbours(grid[..., 0], image.shape[0]):
        for column, of_column in _neighbours(grid[..., 1], image.shape[1]):
            total += (of_row * of_column)[..., None].astype(image.dtype) * image[row, column]
    return total


def _neighbours(place: Array, size: int) -> list[tuple[Array, Array]]:
    """The two pixels around places in [-1, 1], and their weights, which are 0 outside of the image."""
    position = (place + 1) * ((size - 1) / 2)
    first = jnp.floor(position)
    beyond = position - first
    pairs = (first, 1 - beyond), (first + 1, beyond)
    return [(at.clip(0, size - 1).astype(int), jnp.where((at >= 0) & (at < size), part, 0)) for at, part in pairs]
