"""Programs of several processes, on one machine or many: `jax.distributed`, and what they have to agree on."""

import atexit
import contextlib
import functools
import hashlib
import os
import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.distributed import global_state  # the key-value store has no public name
from jax.experimental import multihost_utils

from ..core.types import Tree

FAILED, HEARD = "functorch7/failed", "functorch7/heard"
"""Under what a process says that it has failed, and the others that they know."""
EVERY, LONGEST = 0.5, 10_000
"""Seconds between looks at the one, and milliseconds to wait for the other."""


def initialize(
    coordinator: str | None = None, processes: int | None = None, process: int | None = None, **options: Any
) -> None:
    """`jax.distributed.initialize`: makes this process one of several; call it before anything else of JAX.

    `coordinator` is "host:port" of the first process, `processes` their number and `process`, from 0, which this is.
    On Cloud TPU, under Slurm and under Open MPI none of them is needed. On CPU the processes talk by Gloo.
    Afterwards `jax.devices()` are those of all processes, and so are the meshes of `data_parallel` and `fully_sharded`.
    When one ends by an exception, the others say which and why, and end with 1, wherever they wait for it.
    Raises: ValueError if only some of the three are given, and what JAX raises if the others do not come.
    """
    given = [value is not None for value in (coordinator, processes, process)]
    if any(given) and not all(given):
        raise ValueError(
            "initialize: expected all of coordinator, processes and process, or none, "
            f"got {coordinator}, {processes} and {process}"
        )
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(coordinator, processes, process, **options)
    sys.excepthook = functools.partial(_tell_the_others, sys.excepthook)
    _watch_the_others()


def _tell_the_others(
    before: Callable, kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    """The hook for exceptions that nobody catches. The end that JAX knows waits for the others, who wait for this."""
    before(kind, error, traceback)
    client = global_state.client
    if client is not None:
        with contextlib.suppress(Exception):  # the others are no longer there
            said = f"process {jax.process_index()} failed: {kind.__name__}: {error}"
            client.key_value_set(FAILED, said, allow_overwrite=True)
            for other in set(range(jax.process_count())) - {jax.process_index()}:
                client.blocking_key_value_get(f"{HEARD}/{other}", LONGEST)
        _end(130 if issubclass(kind, KeyboardInterrupt) else 1)


def _watch_the_others() -> None:
    """Looks every now and then, until the program is over, whether a process has failed.

    By a thread: what waits for that process in a collective operation cannot be interrupted.
    """
    over = threading.Event()
    watching = threading.Thread(target=_end_with_the_others, args=(over,), daemon=True)
    atexit.register(lambda: (over.set(), watching.join()))  # before JAX leaves the others
    watching.start()


def _end_with_the_others(over: threading.Event) -> None:
    client: Any = global_state.client
    mine = f"process {jax.process_index()} "
    while not over.wait(EVERY):
        try:
            said = client.key_value_try_get(FAILED)
        except Exception:  # nobody has
            continue
        if said.startswith(mine):
            return
        with contextlib.suppress(Exception):
            client.key_value_set(f"{HEARD}/{jax.process_index()}", "", allow_overwrite=True)
        print(f"functorch7: {said}", file=sys.stderr)
        _end(1)


def _end(code: int) -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def is_first() -> bool:
    """Whether this is the process that writes what is to be written once: logs, pictures, results."""
    return jax.process_index() == 0


def check_agreement(name: str, tree: Tree) -> None:
    """Raises ValueError, in all processes, unless each has the same arrays (or keys, numbers, strings) in `tree`.

    For random keys, initial parameters and options, before a run: processes that differ in them train nonsense.
    """
    digest = hashlib.sha256(repr(jax.tree.structure(tree)).encode())
    for leaf in jax.tree.leaves(tree):
        is_key = isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
        value = np.asarray(jax.random.key_data(leaf) if is_key else leaf)
        digest.update(f"{value.dtype}{value.shape}".encode() + value.tobytes())
    mine = np.frombuffer(digest.digest(), np.uint8)
    digests = np.asarray(multihost_utils.process_allgather(mine)).reshape(-1, mine.size)
    different = [i for i, theirs in enumerate(digests) if (theirs != digests[0]).any()]
    if different:
        raise ValueError(f"check_agreement: {name} differs between process 0 and {', '.join(map(str, different))}")


def raise_together(error: Exception | None) -> None:
    """Raises in all processes, which have to call it together, if one of them has an error; so none goes on alone.

    Raises: the process's own error; else RuntimeError that says which processes have one.
    """
    failed = np.asarray(multihost_utils.process_allgather(np.int32(error is not None))).reshape(-1)
    if error is not None:
        raise error
    if failed.any():
        raise RuntimeError(f"process {', '.join(map(str, np.flatnonzero(failed)))} failed; its own output says why")
