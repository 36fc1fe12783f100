"""What happens to memory that is freed, in processes of their own."""

import platform
import subprocess
import sys

import pytest

PROGRAM = """
import sys
import numpy as np
import functorch7 as f7
from jax._src import xla_bridge

if "keep" in sys.argv:
    print(f7.keep_freed_memory(), xla_bridge.backends_are_initialized())
resident = lambda: int(open("/proc/self/statm").read().split()[1]) * 4096
before = resident()
large = np.ones(2**26, np.uint8)
del large
print(resident() - before > 2**25)
import jax.numpy
jax.numpy.ones(1)
try:
    f7.keep_freed_memory()
except RuntimeError as error:
    print(error)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is another")
@pytest.mark.parametrize("keeps", [True, False])
def test_memory_that_is_freed_stays_where_a_program_asks_for_that(keeps):
    command = [sys.executable, "-c", PROGRAM, *(["keep"] if keeps else [])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    *asked, stays, error = done.stdout.splitlines()
    assert asked == (["True False"] if keeps else []) and stays == str(keeps)
    assert error.startswith("keep_freed_memory: call it before JAX's first computation")
