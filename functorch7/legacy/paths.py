"""Torch's package paths: names of files and folders."""

import contextlib
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from .program.running import run_file
from .tensors.named_errors import name_errors_in

home = os.path.expanduser("~")
"""The user's home folder."""


def filep(path: str) -> bool:
    """Whether there is a file of this name."""
    return os.path.exists(path) and not os.path.isdir(path)


def dirp(path: str) -> bool:
    """Whether there is a folder of this name."""
    return os.path.isdir(path)


def basename(path: str, suffix: str = "") -> str:
    """The last part of a path, without a suffix such as "lua" or ".lua" if it is given.

    >>> basename("/tmp/data/images.t7", ".t7")
    'images'
    """
    name = os.path.basename(path.rstrip("/") or path)
    return name.removesuffix("." + suffix.removeprefix(".")) if suffix.removeprefix(".") else name


def dirname(path: str) -> str:
    """The folder of a path; "." if it names none.

    >>> dirname("/tmp/data/images.t7"), dirname("images.t7")
    ('/tmp/data', '.')
    """
    return os.path.dirname(path.rstrip("/") or path) or "."


def extname(path: str) -> str | None:
    """The text after the last dot of a path; None without one."""
    return path.rpartition(".")[2] if "." in path else None


def concat(*parts: str) -> str:
    """The full path of the parts, each inside the one before, the first inside the current folder.

    >>> concat("/tmp", "data", "../images")
    '/tmp/images'
    """
    return os.path.normpath(os.path.join(os.getcwd(), *parts))


def cwd() -> str:
    """The current folder."""
    return os.getcwd()


def execdir() -> str:
    """The folder of the running Python."""
    return os.path.dirname(sys.executable)


def tmpname() -> str:
    """The name of a new temporary file."""
    handle, name = tempfile.mkstemp()
    os.close(handle)
    return name


def dir(dname: str) -> list[str] | None:
    """The names in a folder, "." and ".." too; None if there is no such folder."""
    return [".", "..", *sorted(os.listdir(dname))] if os.path.isdir(dname) else None


def files(s: str, f: str | Callable[[str], object] | None = None) -> Iterator[str]:
    """The names in a folder, with "." and "..": those for which f is true, or which contain the regular expression f.

    Nothing if there is no such folder.
    """
    chosen = (lambda name: re.search(f, name)) if isinstance(f, str) else f
    return (name for name in dir(s) or [] if chosen is None or chosen(name))


def iterdirs(s: str) -> Iterator[str]:
    """The names of the folders in a folder."""
    return files(s, lambda name: name not in (".", "..") and dirp(os.path.join(s, name)))


def iterfiles(s: str) -> Iterator[str]:
    """The names of the files in a folder."""
    return files(s, lambda name: filep(os.path.join(s, name)))


class IndexedFiles:
    """The files that `indexdir` found: `size()`, and `filename(i)`, counted from 1."""

    def __init__(self, names: list[str]):
        self._names = names

    def size(self) -> int:
        """The number of files."""
        return len(self._names)

    def filename(self, idx: int) -> str:
        """The path of a file. Raises IndexError for a number outside 1 to size()."""
        if not 1 <= idx <= len(self._names):
            raise IndexError(f"paths.indexdir: file {idx} of {len(self._names)}; they count from 1")
        return self._names[idx - 1]


IMAGES = ("jpg", "png", "JPG", "PNG", "JPEG", "ppm", "PPM", "bmp", "BMP")


def indexdir(paths: str | list[str], extensionList: str | tuple[str, ...] | list[str] = IMAGES) -> IndexedFiles:
    """The files below folders with an image's extension, or with the given ones, sorted by name.

    Source: torchx, paths.indexdir.
    """
    endings = (extensionList,) if isinstance(extensionList, str) else tuple(extensionList)
    found = [
        os.path.join(inside, name)
        for folder in ([paths] if isinstance(paths, str) else paths)
        for inside, _, names in os.walk(folder)
        for name in names
        if name.endswith(tuple(f".{ending}" for ending in endings))
    ]
    return IndexedFiles(sorted(found))


def _done(action: Callable[[], Any]) -> bool:
    with contextlib.suppress(OSError):
        action()
        return True
    return False


def mkdir(s: str) -> bool:
    """Makes a folder, and those above it; whether it was made."""
    return _done(lambda: os.makedirs(s))


def rmdir(s: str) -> bool:
    """Deletes an empty folder; whether it did."""
    return _done(lambda: os.rmdir(s))


def rmall(d: str, more: str) -> bool:
    """Deletes a file, or a folder with its contents; whether it did. Raises ValueError unless `more` is "yes"."""
    if more != "yes":
        raise ValueError("paths.rmall: missing second argument ('yes')")
    return _done(lambda: shutil.rmtree(d) if os.path.isdir(d) and not os.path.islink(d) else os.remove(d))


def uname() -> tuple[str, str, str]:
    """The operating system ("Linux", "Darwin", "Windows"), the machine's name, and its processor."""
    found = platform.uname()
    return found.system, found.node, found.machine


def is_win() -> bool:
    """Whether this is Windows."""
    return uname()[0] == "Windows"


def is_mac() -> bool:
    """Whether this is a Mac."""
    return uname()[0] == "Darwin"


def findprogram(*names: str) -> str | None:
    """The full path of the first of these programs that exists."""
    return next(filter(None, map(shutil.which, names)), None)


def file_of(frame: FrameType) -> str | None:
    """The full path of the file that a frame runs; None for typed input."""
    name = frame.f_code.co_filename
    return None if name.startswith("<") else os.path.abspath(name)


def thisfile(arg: str | None = None) -> str | None:
    """The full path of the file that calls this; with `arg`, of the file of that name beside it."""
    here = file_of(sys._getframe(1))
    return here if arg is None else arg if here is None else concat(os.path.dirname(here), arg)


def dofile(f: str) -> None:
    """Runs a Python file with the caller's global names; its path starts at the folder of the file that calls this.

    The caller has its definitions afterwards, as in Lua. Raises OSError if it cannot be read.
    """
    frame = sys._getframe(1)
    here = file_of(frame)
    path = os.path.abspath(f) if here is None else concat(os.path.dirname(here), f)
    run_file(path, frame.f_globals)


name_errors_in(globals(), besides=("thisfile", "dofile", "file_of"))
