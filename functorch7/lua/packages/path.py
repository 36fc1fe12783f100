"""The most used functions of Penlight's pl.path, for when Penlight is not on LUA_PATH."""

from __future__ import annotations

import os

from ...legacy.paths import tmpname as tmpname
from .lfs import chdir as chdir
from .lfs import currentdir as currentdir
from .lfs import dir as dir
from .lfs import mkdir as mkdir
from .lfs import rmdir as rmdir

sep = os.sep


def join(*parts: str) -> str:
    """The parts with separators between them; an absolute one begins anew."""
    return os.path.join(*parts)


def exists(path: str) -> str | None:
    """The path if there is such a file or folder."""
    return path if os.path.exists(path) else None


def isfile(path: str) -> bool:
    """Whether there is such a file."""
    return os.path.isfile(path)


def isdir(path: str) -> bool:
    """Whether there is such a folder."""
    return os.path.isdir(path)


def isabs(path: str) -> bool:
    """Whether it begins at the root."""
    return os.path.isabs(path)


def basename(path: str) -> str:
    """The last part."""
    return os.path.basename(path)


def dirname(path: str) -> str:
    """All but the last part."""
    return os.path.dirname(path)


def splitpath(path: str) -> tuple[str, str]:
    """The folder and the last part."""
    return os.path.split(path)


def splitext(path: str) -> tuple[str, str]:
    """The path without its ending, and the ending with its dot; a name may begin with a dot.

    >>> splitext("data/images.t7"), splitext(".bashrc"), splitext("a.b/c")
    (('data/images', '.t7'), ('', '.bashrc'), ('a.b/c', ''))
    """
    root, dot, ending = path.rpartition(".")
    return (root, dot + ending) if dot and sep not in ending else (path, "")


def extension(path: str) -> str:
    """The ending with its dot."""
    return splitext(path)[1]


def abspath(path: str, pwd: str | None = None) -> str:
    """The path from the root."""
    return os.path.abspath(os.path.join(pwd or "", path))


def normpath(path: str) -> str:
    """The path without "." and ".."."""
    return os.path.normpath(path)


def relpath(path: str, start: str | None = None) -> str:
    """The path from a folder, the current one by default."""
    return os.path.relpath(path, start)


def getsize(path: str) -> int | None:
    """The bytes of a file."""
    return os.path.getsize(path) if os.path.exists(path) else None


def getmtime(path: str) -> float | None:
    """When a file was changed."""
    return os.path.getmtime(path) if os.path.exists(path) else None


def expanduser(path: str) -> str:
    """The path with the home folder for ~."""
    return os.path.expanduser(path)
