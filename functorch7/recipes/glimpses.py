"""Where a network with recurrent attention looks at images."""

from pathlib import Path

import numpy as np

from ..core.types import Key, Tree, Value
from ..interop.packages import package
from ..interop.writing import replacing_by_bytes

COLUMNS = 4


def corners(places: np.ndarray, canvas: int, patch: int) -> np.ndarray:
    """The first pixel (y, x) of a glimpse's sharpest part, for places from -1 to 1; SpatialGlimpse's own rule."""
    pad = (patch - 1) // 2
    return np.floor((places + 1) / 2 * (canvas + 2 * pad - patch)) - pad


def draw(path: Path, images: np.ndarray, places: np.ndarray, patch: int) -> None:
    """Images (N, height, width), with a frame for each place (N, steps, 2), joined in their order.

    Raises: ImportError without matplotlib.
    """
    figure = package("matplotlib.figure", "functorch7[viz]").Figure(layout="constrained")
    rectangle = package("matplotlib.patches", "functorch7[viz]").Rectangle
    rows = -(-len(images) // COLUMNS)
    frames = figure.subplots(rows, COLUMNS, squeeze=False).flat
    for axes, image, path_of in zip(frames, images, corners(places, images.shape[-1], patch), strict=False):
        axes.imshow(image, cmap="gray")
        for number, (y, x) in enumerate(path_of):
            axes.add_patch(rectangle((x - 0.5, y - 0.5), patch, patch, fill=False, edgecolor=f"C{number}"))
        centres = path_of + (patch - 1) / 2
        axes.plot(centres[:, 1], centres[:, 0], "w.-", linewidth=0.8)
        axes.set(xticks=[], yticks=[], xlim=(-0.5, len(image[0]) - 0.5), ylim=(len(image) - 0.5, -0.5))
    with replacing_by_bytes(path) as written:
        figure.savefig(written, format=path.suffix[1:] or None)


def looked_at(attention: Value, params: Tree, buffers: Tree, images: Value, key: Key) -> np.ndarray:
    """The places (N, steps, 2), (y, x) from -1 to 1, that a RecurrentAttention looks at in evaluation."""
    seen, _ = attention.replace(forward_actions=True).apply(params, buffers, images, key=key)
    return np.stack([np.asarray(place) for _, place in seen], 1)
