"""Files that are written whole or not at all."""

import contextlib
import errno
import io
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ..checks.errors import describe


def refuse_special(path: str | os.PathLike, folders: bool = True) -> None:
    """Raises OSError for pipes, devices and sockets, since reading may block and they must not be replaced.

    Raises IsADirectoryError for a folder unless `folders`; TypeError unless given a path, since a number would mean an
    open file; FileNotFoundError for an empty text, which would mean the working directory.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"expected the path of a file, got {describe(path)}")
    if not os.fspath(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode) and not folders:
            raise IsADirectoryError(errno.EISDIR, "expected a file, this is a folder", os.fspath(path))
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            kind = "a pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"
            raise OSError(errno.EINVAL, f"expected a file, this is {kind}", os.fspath(path))


@contextlib.contextmanager
def replacing(path: str | os.PathLike, *refusals: type[Exception]) -> Iterator[Path]:
    """A path of the same name to write to, whose file replaces that at `path` when the block succeeds.

    A symbolic link stays, and the file that it leads to is replaced. Permissions are kept. `refusals` are the errors
    by which a library reports that it could not write, for instance because the disk is full.
    Raises: OSError that names `path`, such as FileNotFoundError, if the folder does not exist or cannot be written to,
    if the disk is full, and if `path` is a folder, a device or a pipe.
    """
    refuse_special(path, folders=False)
    target = Path(os.path.realpath(path))
    try:
        mode = _mode_to_keep(target)
        place = tempfile.TemporaryDirectory(prefix=".writing-", dir=target.parent)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    with place as folder:
        draft = Path(folder, Path(path).name)  # libraries choose the format by its ending
        with naming(path, draft, *refusals):
            yield draft
        if mode is not None:
            draft.chmod(mode)
        os.replace(draft, target)


@contextlib.contextmanager
def naming(path: str | os.PathLike, draft: Path, *refusals: type[Exception]) -> Iterator[None]:
    """Turns system errors and refusals in a block that writes a draft into OSErrors that name `path`."""
    try:
        yield
    except OSError as error:
        if error.filename not in (None, str(draft)):  # of another file
            raise
        if error.errno is not None:
            raise OSError(error.errno, error.strerror, os.fspath(path)) from error
        raise _unwritten(path, error) from error  # NumPy's, if it could not write all numbers
    except refusals as error:
        raise _unwritten(path, error) from error


def _unwritten(path: str | os.PathLike, error: Exception) -> OSError:
    said = (str(error) or type(error).__name__).splitlines()[0]
    return OSError(f"{os.fspath(path)}: could not be written: {said}")


@contextlib.contextmanager
def replacing_by_bytes(path: str | os.PathLike) -> Iterator[io.BytesIO]:
    """As `replacing`, but yields memory to write to, whose bytes become the file.

    For pictures: Pillow writes JPEGs into files past Python, and on a full disk leaves half a file without an error.
    """
    written = io.BytesIO()
    written.name = os.fspath(path)  # libraries choose the format by its ending
    yield written
    with replacing(path) as draft:
        draft.write_bytes(written.getvalue())


def _mode_to_keep(target: Path) -> int | None:
    """The permissions of an existing file, or None. Raises PermissionError if it may not be written."""
    if not target.exists():
        return None
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    return stat.S_IMODE(target.stat().st_mode)
