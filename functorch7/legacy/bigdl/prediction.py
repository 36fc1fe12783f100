"""Predictions for arrays and for tables of images, with BigDL's calls."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from ..tensors.values import Input, Output, unwrapped, wrapped
from .evaluation import Evaluation

Image = dict[str, Any]


class Prediction(Evaluation):
    """Module's methods that predict; `predict` and `predictClass` are in `Evaluation`."""

    def predictLocal(self, x: Input, batchSize: int = -1) -> Output:
        """As `predict`, from arrays to NumPy arrays; a list holds several inputs, and -1 takes all samples at once.

        Raises ValueError for no samples.
        """
        return jax.tree.map(np.asarray, unwrapped(self.predict(*self._local(x, batchSize))))

    def predictClassLocal(self, x: Input, batchSize: int = -1) -> np.ndarray:
        """As `predictClass`, with the arguments of `predictLocal`."""
        return self.predictClass(*self._local(x, batchSize)).numpy()

    def _local(self, x: Any, size: int) -> tuple[Any, int]:
        """(arrays, the size of batches)."""
        arrays = [np.asarray(each) for each in x] if isinstance(x, (list, tuple)) else np.asarray(x)
        samples = {len(each) if each.ndim else 0 for each in jax.tree.leaves(arrays)}
        if samples <= {0}:
            raise ValueError(f"{self.title()}: Error when checking: empty input")
        return arrays, max(samples) if size == -1 else size

    def predictImage(
        self, imageFrame: list[Image], outputLayer: str | None = None, batchPerPartition: int = 4,
        predictKey: str = "predict",
    ) -> list[Image]:  # fmt: skip
        """Adds each image's output under `predictKey` to its dict, in which "image" is C x H x W.

        With an outputLayer, the output of the module of this name. Evaluation mode, in batches of batchPerPartition;
        returns the list. Raises ValueError, before anything is added, for no images, for images without an array of
        three dimensions and for arrays of different shapes; KeyError for an unknown name.
        """
        from ...training import validation

        images = [np.asarray(image.get("image", ()) if isinstance(image, dict) else ()) for image in imageFrame]
        shapes = {image.shape for image in images}
        if len(shapes) != 1 or images[0].ndim != 3:
            raise ValueError(
                f'{self.title()}: expected an "image", C x H x W, in each dict, of one shape; got {shapes}'
            )
        if batchPerPartition < 1:
            raise ValueError(f"{self.title()}: expected batchPerPartition above 0, got {batchPerPartition}")
        looked_at = self if outputLayer is None else self[outputLayer]  # type: ignore[index]
        found = []
        with self._evaluating():
            for first in range(0, len(images), batchPerPartition):
                self.forward(np.stack(images[first : first + batchPerPartition]))  # type: ignore[attr-defined]
                found.append(jax.device_get(unwrapped(looked_at.output)))
        whole = validation.joined_batches(found, len(images))
        for i, image in enumerate(imageFrame):
            image[predictKey] = wrapped(jax.tree.map(lambda leaf, i=i: leaf[i], whole))
        return imageFrame
