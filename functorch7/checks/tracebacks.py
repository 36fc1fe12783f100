"""Tracebacks without this package's frames: an error shows the user's code, and the line of ours that raised."""

import os
from pathlib import Path
from types import TracebackType

import jax

PACKAGE = str(Path(__file__).parent.parent) + os.sep


def shorten(error: BaseException) -> None:
    """Takes this package's frames out of an error's traceback, but for the last.

    As those of JAX they stay if `jax.config.jax_traceback_filtering` is "off". It is called where the package is
    entered, with a bare `raise` after it, which adds no frame.
    """
    if jax.config.jax_traceback_filtering == "off":  # type: ignore[attr-defined]
        return
    entries, entry = [], error.__traceback__
    while entry is not None:
        entries.append(entry)
        entry = entry.tb_next
    kept, last = None, True
    for each in reversed(entries):
        ours = each.tb_frame.f_code.co_filename.startswith(PACKAGE)
        if last or not ours:
            kept = TracebackType(kept, each.tb_frame, each.tb_lasti, each.tb_lineno)
        last = last and not ours
    error.__traceback__ = kept
