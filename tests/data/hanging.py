"""Loaders that hang, and a program that is interrupted while it waits for one (in "threads" or "processes")."""

import os
import signal
import sys
import threading
import time

import numpy as np

from functorch7.data import AsyncIterator, TensorLoader


class Hanging(TensorLoader):
    """Its third sample never comes."""

    def index(self, indices, **options):
        if 3 in np.asarray(indices):
            time.sleep(1000)
        return super().index(indices, **options)


class HangingProcess(Hanging):
    in_processes = True


class Deadly(TensorLoader):
    """Its third sample ends the process."""

    in_processes = True

    def index(self, indices, **options):
        if 3 in np.asarray(indices):
            os._exit(7)
        return super().index(indices, **options)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a parent in the background has ignored
    kind = {"threads": Hanging, "processes": HangingProcess}[sys.argv[1]]
    data = np.arange(6.0)
    threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with AsyncIterator(kind(data, data), 2) as loader:
        for _ in loader.subiter(1):
            print("batch", flush=True)
