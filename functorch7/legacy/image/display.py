"""Images in a grid, scaled for display, and displayed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...core.display import in_notebook
from ...core.types import Value
from ...interop.writing import replacing
from ..tensors.arguments import sizes_text
from ..tensors.tensor import Tensor
from .pillow import to_picture
from .results import by_default, by_name


@by_name
def minmax(
    tensor: Tensor, min: float | None = None, max: float | None = None, symm: bool = False, inplace: bool = False,
    saturate: bool = False, tensorOut: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """(tensor - min) / (max - min), by default with its own extremes; a new float tensor.

    With `symm`, 0 becomes 0.5; with `saturate` and a `min` or `max`, numbers outside become 0 or 1. The result goes
    into the tensor itself (`inplace`) or into tensorOut.
    """
    values = tensor.numpy()
    values = values if values.dtype.kind == "f" else by_default(values)
    largest = float(np.abs(values).max())
    saturate = saturate and (min is not None or max is not None)
    low = min if min is not None else -largest if symm else float(values.min())
    span = max - low if max is not None else 2 * largest if symm else float((values - low).max())
    values = (values - low) / (span or 1)
    values = np.clip(values, 0, 1) if saturate else values
    result = tensorOut if tensorOut is not None else tensor if inplace else None
    return Tensor.of(values) if result is None else result.resize(*values.shape).copy(values)


@by_name
def toDisplayTensor(
    input: Tensor | Sequence[Tensor], padding: int = 0, nrow: int = 6, scaleeach: bool = False,
    min: float | None = None, max: float | None = None, symmetric: bool = False, saturate: bool = True,
) -> Tensor:  # fmt: skip
    """One image, scaled by `minmax`: of H x W, K x H x W, K x 3 x H x W or a list of images, all in a grid.

    A row has `nrow` images, with `padding` pixels of the largest value between them; `scaleeach` scales each by
    itself. Raises ValueError for other sizes.
    """
    packed = _packed(input)
    options = {"min": min, "max": max, "symm": symmetric, "saturate": saturate}
    single = packed.ndim == 2 or (packed.ndim == 3 and packed.shape[0] in (1, 3))
    if not single and packed.ndim != 3 and not (packed.ndim == 4 and packed.shape[1] in (1, 3)):
        wanted = "a HxW or KxHxW or Kx3xHxW tensor, or a list of tensors"
        raise ValueError(f"image.toDisplayTensor: expected {wanted}, got {sizes_text(packed.shape)}")
    if single:
        return minmax(Tensor.of(packed), **options)
    if scaleeach:
        packed = np.stack([minmax(Tensor.of(each), **options).numpy() for each in packed])
    grid = Tensor.of(_grid(packed, padding, nrow))
    return grid if scaleeach else minmax(grid, **options)


def _packed(images: Any) -> np.ndarray:
    """The images as one array."""
    if isinstance(images, Tensor):
        return by_default(images.numpy())
    arrays = [by_default(each.numpy()) for each in images]
    return np.stack([each[None] if each.ndim == 2 else each for each in arrays])


def _grid(images: np.ndarray, padding: int, nrow: int) -> np.ndarray:
    count, (height, width) = len(images), images.shape[-2:]
    columns = min(nrow, count)
    rows = math.ceil(count / columns)
    sizes = (rows * (height + padding), columns * (width + padding))
    grid = np.full((*images.shape[1:-2], *sizes), images.max(), images.dtype)
    for i, image in enumerate(images):
        top, left = (i // columns) * (height + padding) + padding // 2, (i % columns) * (width + padding) + padding // 2
        grid[..., top : top + height, left : left + width] = image
    return grid


@by_name
def display(
    image: Tensor | Sequence[Tensor], zoom: float = 1, min: float | None = None, max: float | None = None,
    legend: str = "image.display", padding: int = 0, symmetric: bool = False, nrow: int = 6, saturate: bool = True,
    scaleeach: bool = False, **window: object,
) -> None:  # fmt: skip
    """Shows an image, or several in a grid as `toDisplayTensor` makes it, in a notebook; else in the file LEGEND.png.

    Options for windows (`win`, `x`, `y`, `gui`, `offscreen`) are accepted, but there are no windows. Raises TypeError
    for other arguments, ValueError for anything but images, ImportError without Pillow.
    """
    unknown = {*window} - {"win", "x", "y", "gui", "offscreen"}
    if unknown:
        raise TypeError(f"image.display: unknown arguments {sorted(unknown)}")
    shown = toDisplayTensor(image, padding, nrow, scaleeach, min, max, symmetric, saturate)
    picture = to_picture("display", shown)
    show(picture.resize((round(picture.width * zoom), round(picture.height * zoom))) if zoom != 1 else picture, legend)


def show(picture: Value, legend: str) -> None:
    """Shows Pillow's picture in a notebook, or writes a file and prints its name."""
    show_or_write(picture, legend, picture.save)


def show_or_write(picture: Value, legend: str, write: Callable[[Path], object]) -> None:
    """Shows a picture in a notebook, or lets `write` write a file named after its legend and prints the name."""
    if in_notebook():
        show_below(picture)
        return
    name = f"{legend}.png"
    with replacing(name) as draft:
        write(draft)
    print(f"{legend}: written to {name}")


def show_below(picture: Value) -> None:
    """Shows a picture below the running cell of a notebook."""
    from IPython.display import display  # type: ignore[import-not-found]

    display(picture)
