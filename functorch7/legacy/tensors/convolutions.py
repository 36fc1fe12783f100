"""Torch's convolutions of images and volumes with kernels: rows as those of `results.py`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .arguments import sizes_text
from .computing import accumulator
from .rows import Form, Row

_SHAPES = {
    0: "{out}{kernel},{kernel}->{out}", 1: "p{out}{kernel},p{kernel}->p{out}", 2: "p{out}{kernel},qp{kernel}->q{out}",
}  # fmt: skip
"""The sums, by the number of dimensions that kernels have in addition to the image's."""


def _correlated(m: Any, x: Any, kernel: Any, mode: str | None, name: str, axes: int, flips: bool) -> np.ndarray:
    """Cross-correlation over the last axes, or convolution if the kernel is flipped; 'F' pads."""
    x, kernel = np.asarray(x), np.asarray(kernel)
    over, more = tuple(range(-axes, 0)), kernel.ndim - axes
    size = kernel.shape[-axes:]
    fits = more in _SHAPES and x.ndim - axes == min(more, 1) and (more == 0 or x.shape[0] == kernel.shape[more - 1])
    if fits and mode == "F":
        x = np.pad(x, [(0, 0)] * (x.ndim - axes) + [(each - 1, each - 1) for each in size])
    if not fits or any(np.less(x.shape[-axes:], size)):
        raise ValueError(
            f"torch.{name}: expected an image and a kernel, planes with a kernel each, or planes with kernels of as "
            f"many, none smaller than its kernel; got sizes {sizes_text(x.shape)} and {sizes_text(kernel.shape)}"
        )
    windows = np.lib.stride_tricks.sliding_window_view(x, size, over)
    equation = _SHAPES[more].format(out="ijk"[:axes], kernel="abc"[:axes])
    kernel = np.flip(kernel, over) if flips else kernel
    return np.einsum(equation, windows, kernel, dtype=accumulator(np, x, 0))


def _row(name: str, words: str) -> Row:
    compute = partial(_correlated, name=name, axes=int(name[-1]), flips=name.startswith("conv"))
    return Row(name, (Form("xtC", compute, choices=("VF",)),), f"{words}, where they overlap wholly, or ('F') at all")


CONVOLUTIONS = {
    "conv2": _row("conv2", "images convolved with kernels"),
    "xcorr2": _row("xcorr2", "images correlated with kernels"),
    "conv3": _row("conv3", "volumes convolved with kernels"),
    "xcorr3": _row("xcorr3", "volumes correlated with kernels"),
}
"""The operations by name."""
