"""dataload's helpers for the machine: its name, unique names, the working directory."""

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
    """A unique name: namespace (default: the machine's name), seconds since 1970, and the call's number from 1."""
    return separator.join([hostname() if namespace is None else namespace, str(int(time.time())), str(next(_calls))])


def withcwd(path: str | os.PathLike, fn: Callable[[], Result]) -> Result:
    """The result of fn() with `path` as working directory, which is restored afterwards, even if fn raises."""
    with contextlib.chdir(path):
        return fn()
