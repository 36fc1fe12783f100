"""Files that are there whole or not at all."""

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path


def refuse_special(path: str | os.PathLike, folders: bool = True) -> None:
    """Raises OSError for pipes, devices and sockets: reading may wait for ever, and nothing may take their place.

    Folders may be allowed, else they are an IsADirectoryError.
    """
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode) and not folders:
            raise IsADirectoryError(errno.EISDIR, "expected a file, this is a folder", os.fspath(path))
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            kind = "a pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"
            raise OSError(errno.EINVAL, f"expected a file, this is {kind}", os.fspath(path))


@contextlib.contextmanager
def replacing(path: str | os.PathLike) -> Iterator[Path]:
    """A path to write to, in the same folder, that takes the place of `path` when all went well.

    Raises: OSError that names `path`, such as FileNotFoundError, where nothing can be written in its folder, and for
    what is no file but a folder, a device or a pipe.
    """
    target = Path(path)
    refuse_special(target, folders=False)
    try:
        place = tempfile.TemporaryDirectory(prefix=".writing-", dir=target.parent)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from None
    with place as folder:
        draft = Path(folder, target.name)
        yield draft
        os.replace(draft, target)
