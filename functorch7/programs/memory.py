"""How the C library treats memory that programs have freed."""

import ctypes
import platform

from jax._src import xla_bridge  # whether threads were started has no public name

_TRIM_THRESHOLD, _MMAP_MAX, _ARENA_MAX = -1, -4, -8
"""Options of `mallopt`, by their numbers in glibc's malloc.h."""


def keep_freed_memory() -> bool:
    """Makes this process keep freed memory for later use: large steps on CPUs get faster.

    XLA allocates memory for a program's temporary arrays in every call. glibc returns large pieces to the system, which
    has to clear every page when they are allocated again: a third of a language model's step, or of inception's
    (docs/performance.md). After this call all memory comes from one pool, which never shrinks. Small networks gain
    nothing, and accelerators have their own memory. `functorch7 launch`, `train`, `run` and `lua` use huge pages
    instead, which have the same effect, but have to be requested before a process starts.

    Returns: whether the C library supports this (glibc does).
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
