"""What the examples share: scikit-learn's digits, and pictures of many small images."""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits


def digits() -> tuple[np.ndarray, np.ndarray]:
    """The 1,797 images, (N, 64) with values from 0 to 1, and their classes (N,), from 1: digit d is class d + 1."""
    images, labels = load_digits(return_X_y=True)
    return (images / 16).astype(np.float32), (labels + 1).astype(np.int32)


def options(said: str | None, steps: int) -> argparse.ArgumentParser:
    """What the examples can be told."""
    parser = argparse.ArgumentParser(description=said, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=steps, help=f"updates ({steps})")
    parser.add_argument("--output", type=Path, help="the picture, a PNG")
    return parser


def save_rows(path: Path, rows: dict[str, np.ndarray], shape: tuple[int, ...] = (8, 8)) -> None:
    """Writes a picture of rows of images, each with what it shows."""
    columns = max(map(len, rows.values()))
    figure = Figure(figsize=(columns * 0.55 + 1.4, len(rows) * 0.6), dpi=110)
    for i, (title, images) in enumerate(rows.items()):
        for j, image in enumerate(images):
            axes = figure.add_subplot(len(rows), columns, i * columns + j + 1)
            axes.imshow(np.clip(np.reshape(image, shape), 0, 1), cmap="gray_r", vmin=0, vmax=1)
            axes.set(xticks=[], yticks=[])
            if j == 0:
                axes.set_ylabel(title, rotation=0, ha="right", va="center", fontsize=8)
    figure.savefig(path, bbox_inches="tight")
