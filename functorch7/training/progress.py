"""The bar of a run, on terminals and in notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.display import in_notebook

if TYPE_CHECKING:
    from tqdm import tqdm


def progress_bar(total: int | None, done: int, shown: bool) -> tqdm:
    """tqdm's bar of steps, in the form for the place where the program runs; hidden in files and pipes."""
    from tqdm.auto import tqdm  # looks at that place when it is imported, and warns in notebooks without widgets

    hidden = True if not shown else False if in_notebook() else None  # None: but on terminals
    return tqdm(total=total, initial=done, unit="step", disable=hidden)
