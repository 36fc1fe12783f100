"""matplotlib's figures (`pip install functorch7[viz]`), on the screen only if there is one."""

from __future__ import annotations

import os
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...interop.packages import package
from ...interop.writing import replacing_by_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def new_figure(who: str, window: bool, number: int | None = None, **options: Any) -> Figure:
    """An empty figure; with `window` it is pyplot's, with this number if it is given and still exists.

    Raises ImportError, naming who asked, without matplotlib.
    """
    if not window:
        return package("matplotlib.figure", "functorch7[viz]", who).Figure(**options)
    pyplot = package("matplotlib.pyplot", "functorch7[viz]", who)
    if number is not None and pyplot.fignum_exists(number):
        return pyplot.figure(number, clear=True)
    return pyplot.figure(number, **options)


def show(figure: Figure) -> None:
    """Opens or refreshes the window of a figure of pyplot, without waiting; drops it if there is no screen."""
    from matplotlib import pyplot

    if figure.canvas.required_interactive_framework is None:
        pyplot.close(figure)
    else:
        pyplot.show(block=False)
        pyplot.pause(0.001)


def write(figure: Figure, path: str | os.PathLike, **options: Any) -> None:
    """Writes a figure to a file, whole or not at all; options are those of `savefig`."""
    options.setdefault("format", Path(path).suffix[1:] or None)
    with replacing_by_bytes(path) as written:
        figure.savefig(written, **options)


def pixels(figure: Figure) -> np.ndarray:
    """The figure as an image, height x width x 3 from 0 to 1."""
    from matplotlib.image import imread

    image = BytesIO()
    figure.savefig(image, format="png", dpi=figure.dpi)
    image.seek(0)
    return imread(image)[..., :3]
