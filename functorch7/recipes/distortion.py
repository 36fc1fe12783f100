"""Images that are a little different each time they are read."""

import numpy as np

from ..core.types import Indices
from ..data import DataLoader
from ..data.seeds import Seed, generator


class Distorted(DataLoader):
    """Images of another loader, each turned, scaled and moved at random about its centre; what comes in is black.

    Angles are drawn from +-rotation degrees, factors of each direction from 1 +- zoom, and ways from +-shift pixels.
    Source: LeCun et al., 1998; Simard et al., 2003.
    """

    draws = True

    def __init__(self, loader: DataLoader, rotation: float, zoom: float, shift: float):
        self.loader, self.rotation, self.zoom, self.shift = loader, rotation, zoom, shift

    def size(self) -> int:
        return self.loader.size()

    def index(self, indices: Indices, *, seed: Seed = None) -> tuple[np.ndarray, np.ndarray]:
        from scipy.ndimage import affine_transform  # takes a third of a second, and few recipes have it

        images, classes = self.loader.index(indices)
        random, count = generator(seed, "Distorted.index"), len(images)
        angles = np.radians(random.uniform(-self.rotation, self.rotation, count))
        factors = random.uniform(1 - self.zoom, 1 + self.zoom, (count, 2, 1))
        ways = random.uniform(-self.shift, self.shift, (count, 2))
        turns = np.moveaxis(np.array([[np.cos(angles), -np.sin(angles)], [np.sin(angles), np.cos(angles)]]), 2, 0)
        drawn: np.ndarray = np.empty(images.shape, np.float32)
        centre = (np.array(images.shape[2:]) - 1) / 2
        for to, image, matrix, way in zip(drawn, images, turns * factors, ways, strict=True):
            for plane, of in zip(to, image, strict=True):
                affine_transform(of, matrix, centre - matrix @ centre + way, output=plane, order=1)
        return drawn, classes
