"""Programs of several processes, on one machine or many: `jax.distributed`, and what they have to agree on."""

import hashlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils


def initialize(
    coordinator: str | None = None, processes: int | None = None, process: int | None = None, **options: Any
) -> None:
    """`jax.distributed.initialize`: makes this process one of several; call it before anything else of JAX.

    `coordinator` is "host:port" of the first process, `processes` their number and `process`, from 0, which this is.
    On Cloud TPU, under Slurm and under Open MPI none of them is needed. On CPU the processes talk by Gloo.
    Afterwards `jax.devices()` are those of all processes, and so are the meshes of `data_parallel` and `fully_sharded`.
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


def is_first() -> bool:
    """Whether this is the process that writes what is to be written once: logs, pictures, results."""
    return jax.process_index() == 0


def check_agreement(name: str, tree: Any) -> None:
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
        raise RuntimeError(f"process {', '.join(map(str, np.flatnonzero(failed)))} failed, and says why")
