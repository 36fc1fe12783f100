"""Files that are there whole or not at all."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def replacing(path: str | os.PathLike) -> Iterator[Path]:
    """A path to write to, in the same folder, that takes the place of `path` when all went well.

    Raises: OSError that names `path`, such as FileNotFoundError, where nothing can be written in its folder.
    """
    target = Path(path)
    try:
        place = tempfile.TemporaryDirectory(prefix=".writing-", dir=target.parent)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from None
    with place as folder:
        draft = Path(folder, target.name)
        yield draft
        os.replace(draft, target)
