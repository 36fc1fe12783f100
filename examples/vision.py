"""dpnn's image layers on one of scikit-learn's photographs: crops, glimpses, region dropout, colour transforms.

    python examples/vision.py [--output vision.png]

Each row is one layer in training, with the random numbers of five keys.
"""

import argparse
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_sample_image

import functorch7 as f7

COLUMNS = 5


def photograph(size: int) -> jax.Array:
    """scikit-learn's photograph of a Chinese palace: 3 x size x (3/2 size), numbers from 0 to 1."""
    pixels = jnp.asarray(load_sample_image("china.jpg"), jnp.float32).transpose(2, 0, 1) / 255
    smaller = f7.SpatialAdaptiveAveragePooling(size * 3 // 2, size)
    return smaller.apply({}, {}, pixels)[0]


def colours(image: jax.Array) -> tuple[np.ndarray, np.ndarray]:
    """The eigenvectors (columns) and eigenvalues of the colours' covariance, as AlexNet's authors took them."""
    values, vectors = np.linalg.eigh(np.cov(np.asarray(image).reshape(3, -1)))
    return vectors, np.sqrt(values)


def rows(image: jax.Array) -> dict[str, list[Any]]:
    """The pictures of each row, by its title."""
    height, width = image.shape[1:]
    layers = {
        "SpatialUniformCrop": f7.SpatialUniformCrop(height // 2, width // 2),
        "SpatialRegionDropout": f7.SpatialRegionDropout(0.3),
        "SimpleColorTransform": f7.SimpleColorTransform(3, [0.2, 0.2, 0.2]),
        "PCAColorTransform": f7.PCAColorTransform(3, *colours(image), 0.5),
        "WhiteNoise": f7.WhiteNoise(0, 0.1),
    }
    keys = jax.random.split(jax.random.key(0), COLUMNS)
    found = {
        name: [layer.apply({}, {}, image, key=key, train=True)[0] for key in keys] for name, layer in layers.items()
    }
    glimpse = f7.SpatialGlimpse(height // 8, COLUMNS - 1)
    patches, _ = glimpse.apply({}, {}, [image, jnp.array([0.1, -0.1])])
    glimpses = [image, *patches.reshape(-1, 3, *patches.shape[1:])]
    return {"SpatialGlimpse, depth 4": glimpses, **found}


def picture(size: int = 160) -> Figure:
    """All rows in one figure."""
    found = rows(photograph(size))
    figure = Figure(figsize=(2.4 * COLUMNS, 2 * len(found)), layout="constrained")
    axes = figure.subplots(len(found), COLUMNS)
    for line, (title, images) in zip(axes, found.items(), strict=True):
        line[0].set_title(title, loc="left", fontsize="small")
        for place, image in zip(line, images, strict=True):
            place.imshow(np.clip(np.asarray(image).transpose(1, 2, 0), 0, 1))
            place.set_axis_off()
    return figure


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Draws what dpnn's image layers do.")
    parser.add_argument("--output", default="vision.png", help="the picture to write (vision.png)")
    options = parser.parse_args(arguments)
    picture().savefig(options.output, dpi=45)
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
