"""The bar of a run, on terminals and in notebooks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tqdm import tqdm


def progress_bar(total: int | None, done: int, shown: bool) -> tqdm:
    """tqdm's bar of steps, in the form for the place where the program runs; hidden in files and pipes."""
    from tqdm.auto import tqdm  # looks at that place when it is imported, and warns in notebooks without widgets

    hidden = True if not shown else False if in_notebook() else None  # None: but on terminals
    return tqdm(total=total, initial=done, unit="step", disable=hidden)


def in_notebook() -> bool:
    """Whether cells of a notebook are run, whose output is no terminal and yet somebody's to watch."""
    ask = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = ask() if ask else None
    return shell is not None and "IPKernelApp" in shell.config
