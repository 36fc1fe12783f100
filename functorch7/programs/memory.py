"""What the C library does with the memory that programs have freed."""

import ctypes
import platform

from jax._src import xla_bridge  # whether threads have been started has no public name

_TRIM_THRESHOLD, _MMAP_MAX, _ARENA_MAX = -1, -4, -8
"""Options of `mallopt`, by their numbers in glibc's malloc.h."""


def keep_freed_memory() -> bool:
    """Lets this process keep the memory that it frees for what it needs next: large steps on CPUs get quicker.

    XLA takes memory for a program's temporary arrays anew in every call. glibc gives large pieces back to the system,
    which has to clear every page when they are taken again: a third of a language model's step, or of inception's
    (docs/performance.md). From now on all comes out of one pool, which stays as large as it has been. Small networks
    gain nothing, and accelerators have memory of their own. `functorch7 launch`, `train`, `run` and `lua` ask for huge
    pages instead, which do as much, but have to be asked for before a process starts.

    Returns: whether the C library can do so (glibc can).
    Raises: RuntimeError after JAX's first computation, whose threads have pools of their own.
    Source: mallopt(3).

    The first lines of a program that trains on a CPU:

        import functorch7 as f7

        f7.keep_freed_memory()
    """
    if xla_bridge.backends_are_initialized():
        raise RuntimeError("keep_freed_memory: call it before JAX's first computation, whose threads keep their own")
    if platform.libc_ver()[0] != "glibc":
        return False
    mallopt = ctypes.CDLL(None).mallopt
    return all([mallopt(_MMAP_MAX, 0), mallopt(_TRIM_THRESHOLD, -1), mallopt(_ARENA_MAX, 1)])
