"""Loaders that processes of workers can import."""

import os

import numpy as np

from functorch7.data import TensorLoader


class Dying(TensorLoader):
    """Its process ends at the fifth batch."""

    in_processes = True
    made = 0

    def index(self, indices):
        type(self).made += 1
        if type(self).made > 4:
            os._exit(1)
        return super().index(np.asarray(indices))
