"""Strictness for all tests: no silent change of dtype, no silent broadcast between ranks. Programs compile fast."""

import itertools
import os
import subprocess
import sys

import jax
import pytest

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_numpy_dtype_promotion", "strict")
jax.config.update("jax_numpy_rank_promotion", "raise")
jax.config.update("jax_traceback_in_locations_limit", 0)

# Nearly all of the suite's time is compilation of programs that run once: these halve it.
_compile_fast = (
    "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1"
)

_finished = itertools.count(1)


def pytest_configure(config):
    """Sets the flags for this process and its workers, unless XLA_FLAGS is given or this XLA has no such flags.

    XLA ends a process that has flags unknown to it, so another process asks.
    """
    if "XLA_FLAGS" in os.environ:
        return
    flags = {"XLA_FLAGS": _compile_fast, "JAX_PLATFORMS": "cpu"}
    known = subprocess.run(
        [sys.executable, "-c", "import jax; jax.devices()"], env=os.environ | flags, capture_output=True
    )
    if known.returncode == 0:
        os.environ["XLA_FLAGS"] = _compile_fast


def pytest_runtest_teardown():
    """Lets compiled programs go now and then: each holds memory maps, of which a process may have only so many."""
    if next(_finished) % 250000 == 0:
        jax.clear_caches()


@pytest.fixture
def key():
    return jax.random.key(0)
