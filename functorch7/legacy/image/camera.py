"""Pictures from a camera, by OpenCV."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...interop.packages import package
from ..tensors.tensor import Tensor
from .results import by_default


class Camera:
    """A camera by its number, from 0: `forward()` returns a picture, 3 x height x width from 0 to 1.

    Raises: ImportError without OpenCV (`pip install opencv-python`), RuntimeError without such a camera.
    """

    def __init__(self, idx: int = 0, width: int = 640, height: int = 480):
        cv2 = package("cv2", "opencv-python", "image.Camera")
        self._camera: Any = cv2.VideoCapture(idx)
        self._camera.set(cv2.CAP_PROP_FRAME_WIDTH, width)
        self._camera.set(cv2.CAP_PROP_FRAME_HEIGHT, height)

    def forward(self) -> Tensor:
        """The next picture. Raises RuntimeError if there is none."""
        there, picture = self._camera.read()
        if not there:
            raise RuntimeError("image.Camera: no picture")
        planes = np.moveaxis(picture[..., ::-1], 2, 0)  # OpenCV has blue first
        return Tensor.of(by_default(planes / 255))

    def stop(self) -> None:
        """Releases the camera."""
        self._camera.release()
