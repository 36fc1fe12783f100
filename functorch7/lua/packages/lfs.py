"""LuaFileSystem: folders and attributes of files. A failure returns nil and a message, as there."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator
from typing import Any

from ..kinds import Crossing

KINDS = ((stat.S_ISDIR, "directory"), (stat.S_ISREG, "file"), (stat.S_ISLNK, "link"), (stat.S_ISFIFO, "named pipe"))


def _tried(function: Callable[..., Any], *given: Any) -> Any:
    try:
        function(*given)
    except OSError as error:
        return None, f"{error.filename}: {error.strerror}", error.errno
    return True


def attributes(filepath: str, request: str | None = None) -> Crossing:
    """A file's attributes: "mode", "size", "modification" and others, or one of these."""
    return _attributes(os.stat, filepath, request)


def symlinkattributes(filepath: str, request: str | None = None) -> Crossing:
    """The same for a link itself."""
    return _attributes(os.lstat, filepath, request)


def _attributes(look: Callable[[str], os.stat_result], path: str, request: str | None) -> Any:
    try:
        found = look(path)
    except OSError as error:
        return None, f"cannot obtain information from file '{path}': {error.strerror}", error.errno
    known = {
        "mode": next((name for is_kind, name in KINDS if is_kind(found.st_mode)), "other"),
        "size": found.st_size,
        "access": found.st_atime,
        "modification": found.st_mtime,
        "change": found.st_ctime,
        "uid": found.st_uid,
        "gid": found.st_gid,
        "nlink": found.st_nlink,
        "ino": found.st_ino,
        "dev": found.st_dev,
        "rdev": found.st_rdev,
        "permissions": stat.filemode(found.st_mode)[1:],
        "blocks": found.st_blocks,
        "blksize": found.st_blksize,
    }
    return known if request is None else known.get(request)


def link(old: str, new: str, symlink: bool = False) -> Crossing:
    """Makes a file's second name, or a symbolic link to it."""
    return _tried(os.symlink if symlink else os.link, old, new)


def touch(filepath: str, atime: float | None = None, mtime: float | None = None) -> Crossing:
    """Sets when a file was read and written last, in seconds since 1970: now; written when read, if not said."""
    read = time.time() if atime is None else atime
    return _tried(os.utime, filepath, (read, read if mtime is None else mtime))


def mkdir(dirname: str) -> Crossing:
    """Makes a folder."""
    return _tried(os.mkdir, dirname)


def rmdir(dirname: str) -> Crossing:
    """Removes an empty folder."""
    return _tried(os.rmdir, dirname)


def chdir(path: str) -> Crossing:
    """Makes a folder the current one."""
    return _tried(os.chdir, path)


def currentdir() -> str:
    """The current folder."""
    return os.getcwd()


def dir(path: str) -> Iterator[str]:
    """The names in a folder, with "." and ".."."""
    return iter([".", "..", *os.listdir(path)])
