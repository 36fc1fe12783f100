"""JAX's devices, which a command finds while it imports the rest: to start CUDA takes half a second."""

from __future__ import annotations

import contextlib
import threading


def find_meanwhile() -> None:
    """Has another thread look for the devices; an error there is told to whoever asks for them next."""
    threading.Thread(target=_find, name="devices").start()


def _find() -> None:
    import jax

    with contextlib.suppress(RuntimeError):
        jax.devices()
