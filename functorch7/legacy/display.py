"""Torch's package display: pictures, plots and texts; files here take the place of windows in a browser.

Each window is a file, named after its title, and written again when the window is shown again; in notebooks it is
shown below the cell. Source: szym/display.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np

from ..core.types import Value
from .image.display import minmax, show, show_or_write
from .image.pillow import to_picture
from .itorch import html
from .optim.pictures import new_figure
from .tensors.tensor import Tensor
from .tensors.values import unwrapped

Options = Mapping[str, Value] | None

_numbers = count(1)
_titles: dict[str, str] = {}


def configure(config: Options = None) -> None:
    """Takes a server's address, which is not needed here."""


def _window(options: Mapping[str, Value]) -> tuple[str, str]:
    """A window's name, a new one unless `win` is given, and its file's name."""
    window = str(options.get("win") or f"pane_{next(_numbers)}")
    title = _titles[window] = str(options.get("title") or _titles.get(window, window))
    return window, title.replace(os.sep, "_")


def image(img: Tensor | Sequence[Tensor], opts: Options = None) -> str:
    """Shows an image, or several in a grid, from the least number (`min`) to the greatest (`max`). Returns the window.

    Options: `title`, `win` (the window of an earlier call), `width` in pixels. Raises ImportError without Pillow,
    ValueError for anything but an image.
    """
    options = opts or {}
    if not isinstance(img, Tensor) or img.dim() == 4 or (img.dim() == 3 and img.size(1) > 3):
        return images(list(img), opts)
    picture = to_picture("display.image", minmax(img, options.get("min"), options.get("max")))
    if "width" in options:
        width = int(options["width"])
        picture = picture.resize((width, max(round(picture.height * width / picture.width), 1)))
    window, title = _window(options)
    show(picture, title)
    return window


def images(images: Sequence[Tensor], opts: Options = None) -> str:
    """Shows images in a grid, `nperrow` in each row; `normalize` scales each by itself. Returns the window.

    Further options as those of `image`. Raises ImportError without Pillow, ValueError for no images.
    """
    options = opts or {}
    scaled = [
        minmax(each, options.get("min"), options.get("max")) if options.get("normalize") else each for each in images
    ]
    found = [np.asarray(each)[None] if each.dim() == 2 else np.asarray(each) for each in scaled]
    if not found:
        raise ValueError("display.images: expected one image or more, got none")
    columns = int(options.get("nperrow") or math.ceil(math.sqrt(len(found))))
    planes, height, width = np.max([each.shape for each in found], 0)
    grid = np.full((planes, height * math.ceil(len(found) / columns), width * columns), 0.5, np.float32)
    for at, each in enumerate(found):
        top, left = at // columns * height, at % columns * width
        grid[:, top : top + each.shape[1], left : left + each.shape[2]] = each
    return image(Tensor.of(grid), opts)


def plot(data: Tensor | Sequence[Sequence[float]], opts: Options = None) -> str:
    """Draws rows [x, y1, y2, ...], a line for each y. Returns the window.

    Options: `labels` (a name for each column), `title`, `win`, `xlabel`, `ylabel`. Raises ImportError without
    matplotlib, ValueError for rows of different lengths or of one number.
    """
    options: dict[str, Any] = dict(opts or {})
    rows = np.asarray(unwrapped(data), np.float64)
    if rows.ndim != 2 or rows.shape[1] < 2:
        raise ValueError(f"display.plot: expected rows of x and one y or more, got shape {rows.shape}")
    window, title = _window(options)
    figure = new_figure("display.plot", False)
    axes = figure.add_subplot()
    labels = list(options.get("labels") or [])
    for column in range(1, rows.shape[1]):
        axes.plot(rows[:, 0], rows[:, column], label=labels[column] if column < len(labels) else None)
    if len(labels) > 1:
        axes.legend()
    axes.set(title=title, xlabel=options.get("xlabel") or (labels or [""])[0], ylabel=options.get("ylabel") or "")
    show_or_write(figure, title, figure.savefig)
    return window


def text(text: str, opts: Options = None) -> str:
    """Shows HTML. Options: `title`, `win`. Returns the window."""
    window, title = _window(opts or {})
    html(text, title)
    return window
