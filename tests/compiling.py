"""What makes the suite's programs quick to compile. None of it changes what a program computes, or how often JAX asks.

Nearly all of the suite's time is tracing and compilation of programs that run once.
"""

import functools
import hashlib
import os
import subprocess
import sys

import jax
import program_files
from jax._src import compiler
from jax._src.interpreters import mlir

from functorch7 import programs
from functorch7.programs import cache

FLAGS = (
    "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1"
)
MOST = 5000
"""So many programs are kept: each holds memory maps, of which a process may have only so many."""

LOOK_EVERY_BY_DEFAULT = cache.LOOK_EVERY
compile_anew = compiler.backend_compile_and_load
_compiled: dict = {}


def set_flags() -> None:
    """Sets the flags for this process and its workers, unless XLA_FLAGS is given or this XLA has no such flags.

    XLA ends a process that has flags unknown to it, so another process asks.
    """
    if "XLA_FLAGS" in os.environ:
        return
    flags = {"XLA_FLAGS": FLAGS, "JAX_PLATFORMS": "cpu"}
    known = subprocess.run(
        [sys.executable, "-c", "import jax; jax.devices()"], env=os.environ | flags, capture_output=True
    )
    if known.returncode == 0:
        os.environ["XLA_FLAGS"] = FLAGS


def compile_once(backend, module, devices, options, callbacks):
    """Compiles the module, or gives the executable of an equal one: tests trace equal functions again and again.

    Equal are those of the same operations, for the same devices and by the same options, whatever their names. What
    calls Python is compiled each time, as the text does not say what is called.
    """
    if callbacks:
        return compile_anew(backend, module, devices, options, callbacks)
    head, _, operations = module.operation.get_asm(enable_debug_info=False, assume_verified=True).partition("\n")
    attributes, text = head.partition(" attributes ")[2], hashlib.sha256(operations.encode()).digest()
    key = attributes, text, tuple(devices), options.SerializeAsString()
    if key not in _compiled:
        _compiled[key] = _read_or_compiled(key, backend, module, devices, options)
    return _compiled[key]


def _read_or_compiled(key, backend, module, devices, options):
    """The executable that another process has written, or a new one, written for others."""
    attributes, text, on, how = key
    path = program_files.file_of(attributes, text, how) if len(on) == 1 else None
    executable = path and program_files.read(path, backend, devices, options)
    if executable is None:
        executable = compile_anew(backend, module, devices, options, [])
        if path:
            program_files.write(path, executable)
    return executable


def compile_quickly() -> None:
    """For the rest of this process."""
    jax.config.update("jax_traceback_in_locations_limit", 0)
    jax.config.update("jax_enable_compilation_cache", False)  # whose keys JAX makes even where it has no folder
    # JAX makes a context for every program, which costs a fifth of the time, and a megabyte that the program holds.
    mlir.make_ir_context = functools.cache(mlir.make_ir_context)
    compiler.backend_compile_and_load = compile_once
    programs.cache_limit(programs=MOST)  # what tests share they need not compile again
    cache.LOOK_EVERY = 512  # nor trace: what JAX has traced of its own functions goes at each look


def let_too_many_go() -> None:
    """Lets the programs go where there are too many."""
    if len(_compiled) > MOST:
        let_programs_go()


def let_programs_go() -> None:
    """Lets go all that has been compiled, and traced."""
    _compiled.clear()
    jax.clear_caches()
    mlir.make_ir_context.cache_clear()
