"""The gallery: a page with a picture of every transfer function."""

import os
from pathlib import Path

from .. import layers
from ..interop.writing import replacing
from .transfer import plot_transfer

GALLERY = {
    "Transfer functions": [
        layers.Tanh(), layers.Sigmoid(), layers.ReLU(), layers.ReLU6(), layers.LeakyReLU(0.1), layers.PReLU(),
        layers.RReLU(), layers.ELU(), layers.GELU(), layers.SiLU(), layers.Mish(),
        layers.Threshold(0.5, -1), layers.HardTanh(), layers.HardShrink(0.85), layers.SoftShrink(0.85),
        layers.TanhShrink(), layers.SoftPlus(), layers.SoftSign(), layers.LogSigmoid(),
        layers.SoftMax(), layers.SoftMin(), layers.LogSoftMax(), layers.SpatialSoftMax(), layers.SpatialLogSoftMax(),
    ],
    "Arithmetic": [
        layers.Abs(), layers.Exp(), layers.Log(), layers.Square(), layers.Sqrt(), layers.Power(1.25),
        layers.AddConstant(1), layers.MulConstant(2), layers.Clamp(-0.5, 0.5),
    ],
}  # fmt: skip
"""The modules of the gallery, by heading."""


def write_gallery(folder: str | os.PathLike) -> Path:
    """Draws everything in GALLERY into folder/gallery and writes folder/gallery.md, which is returned."""
    pictures = Path(folder, "gallery")
    pictures.mkdir(parents=True, exist_ok=True)
    lines = ["# Gallery", "", "Transfer functions (solid) and their derivatives (dashed), drawn by `make gallery`.", ""]
    for heading, modules in GALLERY.items():
        lines += [f"## {heading}", ""]
        for module in modules:
            name = type(module).__name__
            plot_transfer(module, path=pictures / f"{name}.png")
            formula = (type(module).__doc__ or "").splitlines()[0]
            lines += [f"**{name}**: {formula}", "", f'<img src="gallery/{name}.png" alt="{name}" width="360">', ""]
    page = Path(folder, "gallery.md")
    with replacing(page) as draft:
        draft.write_text("\n".join(lines), encoding="utf-8")
    return page
