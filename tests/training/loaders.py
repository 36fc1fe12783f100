"""Loaders that processes of workers can import."""

import os
import signal

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


class Interrupted(TensorLoader):
    """Its process, and the one that reads, get SIGINT at the second batch, as from Ctrl-C."""

    in_processes = True
    made = 0

    def index(self, indices):
        type(self).made += 1
        if type(self).made == 2:
            os.kill(os.getppid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
        return super().index(np.asarray(indices))
