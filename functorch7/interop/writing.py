"""Files that are there whole or not at all."""

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
    """Raises OSError for pipes, devices and sockets: reading may wait for ever, and nothing may take their place.

    Folders may be allowed, else they are an IsADirectoryError. Raises TypeError for what is no path; a number would be
    that of an open file. FileNotFoundError for an empty text, which else would be the working directory.
    """
    if not isinstance(path, (str, bytes, os.PathLike)):
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
    """A path to write to, of the same name, whose file takes the place of that at `path` when all went well.

    Where `path` is a symbolic link, this is the place that it leads to, and the link stays. A file's permissions stay,
    too. `refusals` are errors by which a library says that it could not write, on a full disk, say.
    Raises: OSError that names `path`, such as FileNotFoundError, where nothing can be written in the folder, where the
    disk is full, and for what is no file that may be written, but a folder, a device or a pipe.
    """
    refuse_special(path, folders=False)
    target = Path(os.path.realpath(path))
    try:
        mode = _mode_to_keep(target)
        place = tempfile.TemporaryDirectory(prefix=".writing-", dir=target.parent)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    with place as folder:
        draft = Path(folder, Path(path).name)  # which may say the form in which to write
        with naming(path, draft, *refusals):
            yield draft
        if mode is not None:
            draft.chmod(mode)
        os.replace(draft, target)


@contextlib.contextmanager
def naming(path: str | os.PathLike, draft: Path, *refusals: type[Exception]) -> Iterator[None]:
    """Errors of the system, and refusals, out of a block that writes a draft, as OSErrors that name `path`."""
    try:
        yield
    except OSError as error:
        if error.filename not in (None, str(draft)):  # of another file
            raise
        if error.errno is not None:
            raise OSError(error.errno, error.strerror, os.fspath(path)) from error
        raise _unwritten(path, error) from error  # NumPy's, of numbers that did not go into a file
    except refusals as error:
        raise _unwritten(path, error) from error


def _unwritten(path: str | os.PathLike, error: Exception) -> OSError:
    said = (str(error) or type(error).__name__).splitlines()[0]
    return OSError(f"{os.fspath(path)}: could not be written: {said}")


@contextlib.contextmanager
def replacing_by_bytes(path: str | os.PathLike) -> Iterator[io.BytesIO]:
    """As `replacing`, with memory to write to, whose bytes become the file.

    Pictures are written so: into files Pillow writes JPEGs past Python, and where the disk is full, half of one without
    an error.
    """
    written = io.BytesIO()
    written.name = os.fspath(path)  # which may say the form in which to write
    yield written
    with replacing(path) as draft:
        draft.write_bytes(written.getvalue())


def _mode_to_keep(target: Path) -> int | None:
    """The permissions of the file that is there, if there is one. Raises PermissionError if it may not be written."""
    if not target.exists():
        return None
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    return stat.S_IMODE(target.stat().st_mode)
