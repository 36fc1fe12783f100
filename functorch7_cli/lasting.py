"""Imports that last: what they make is there until the process ends, so that nobody need look whether it is garbage.

JAX and functorch7 are 120,000 objects. Python looks at all of them now and then while they are imported, once more in
the first step, and when the process ends, which takes as long as a quarter of the whole of a short one.
"""

from __future__ import annotations

import contextlib
import gc
import signal
import sys
import threading
from collections.abc import Iterator

THRESHOLDS = 10_000, 2, 1
"""After so many new objects Python looks whether they are garbage, and at older ones after 30,000 and 60,000.

By default it looks at new ones after 700, most of which a training step still needs; at old ones as often as here.
"""


@contextlib.contextmanager
def lasting() -> Iterator[None]:
    """A block of imports, after which all that there is lasts; not in a program that has functorch7 already.

    Ctrl-C ends the program at once: modules in C make other errors of it while they are imported, or none.
    """
    if "functorch7" in sys.modules or threading.current_thread() is not threading.main_thread():
        yield
        return
    gc.disable()
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        gc.freeze()
        gc.set_threshold(*THRESHOLDS)
        gc.enable()
