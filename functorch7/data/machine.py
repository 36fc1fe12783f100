"""dataload's helpers around the machine: its name, names that are unique, the working directory."""

import contextlib
import itertools
import os
import platform
import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

_calls = itertools.count(1)


def hostname() -> str:
    """The machine's name; localhost if it has none."""
    return platform.node() or "localhost"


def uniqueid(namespace: str | None = None, separator: str = ":") -> str:
    """A name that no other call gives: namespace (the machine's name), seconds since 1970, the call's number from 1."""
    return separator.join([hostname() if namespace is None else namespace, str(int(time.time())), str(next(_calls))])


def withcwd(path: str | os.PathLike, fn: Callable[[], Result]) -> Result:
    """fn(), called with `path` as working directory, which is as before afterwards (also if fn raises)."""
    with contextlib.chdir(path):
        return fn()
