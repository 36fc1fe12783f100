"""Torch's errors for files that cannot be opened."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

CLOSED = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError)


@contextlib.contextmanager
def opening(who: str, name: str | os.PathLike, mode: str) -> Iterator[None]:
    """A block in which errors of opening a file are Torch's: `cannot open <NAME> in mode r`."""
    try:
        yield
    except CLOSED as error:
        raise type(error)(f"{who}: cannot open <{name}> in mode {mode}: {error.strerror or error}") from None
