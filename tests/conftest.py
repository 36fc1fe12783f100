"""Strictness for all tests: no silent change of dtype, no silent broadcast between ranks. Programs compile fast."""

import functools
import gc
import math
import os
import subprocess
import sys
from collections import defaultdict

import jax
import pytest
from jax._src.interpreters import mlir

from functorch7 import programs
from functorch7_cli import tuning

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_numpy_dtype_promotion", "strict")
jax.config.update("jax_numpy_rank_promotion", "raise")
jax.config.update("jax_traceback_in_locations_limit", 0)

# Nearly all of the suite's time is compilation of programs that run once: these make it several times as fast.
_compile_fast = (
    "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1"
)

# JAX makes a context for every program, which costs a fifth of the time, and a megabyte that the program holds.
mlir.make_ir_context = functools.cache(mlir.make_ir_context)

_compiled = []  # the seconds of each program that this process holds


def pytest_addoption(parser):
    parser.addoption("--sample", type=int, metavar="N", help="of a test with many cases, run N of them")


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


def pytest_collection_modifyitems(config, items):
    """Leaves N cases of each test for --sample=N, spread evenly; all of those that only look at the source."""
    most = config.getoption("sample")
    if most is None:
        return
    cases = defaultdict(list)
    for item in items:
        cases[item.nodeid.split("[")[0]].append(item)
    chosen = {
        item.nodeid
        for each in cases.values()
        for item in (each if each[0].get_closest_marker("structure") else each[:: math.ceil(len(each) / most)])
    }
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in chosen])
    items[:] = [item for item in items if item.nodeid in chosen]


@pytest.fixture(autouse=True)
def keeps_no_programs(monkeypatch):
    """Commands that run in the tests' own process keep no programs."""
    monkeypatch.setattr(tuning, "keep_programs", lambda: None)


def pytest_collection_finish():
    """What is there now stays to the end: the garbage collector need not look at it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def _note(event, seconds, **_):
    if event == "/jax/core/compile/backend_compile_duration":
        _compiled.append(seconds)


jax.monitoring.register_event_duration_secs_listener(_note)
programs.cache_limit(programs=5000)  # what tests share they need not compile again


def pytest_runtest_teardown():
    """Lets compiled programs go now and then: each holds memory maps, of which a process may have only so many."""
    if len(_compiled) > 5000:
        jax.clear_caches()
        mlir.make_ir_context.cache_clear()
        _compiled.clear()


@pytest.fixture
def key():
    return jax.random.key(0)
