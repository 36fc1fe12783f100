"""Files by path or URL: "model.t7", "s3://bucket/model.t7", "memory://model.t7", whatever fsspec knows."""

import contextlib
import os
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import writing
from .packages import package


def is_url(path: str | os.PathLike) -> bool:
    """Whether a path is a URL, for fsspec."""
    return isinstance(path, str) and "://" in path


def is_same(one: str | os.PathLike, other: str | os.PathLike) -> bool:
    """Whether two paths or URLs name the same file, which need not exist yet."""
    if is_url(one) or is_url(other):
        return one == other
    return os.path.realpath(one) == os.path.realpath(other)


def exists(path: str | os.PathLike) -> bool:
    """Whether there is a file. Raises ImportError for a URL without fsspec."""
    if not is_url(path):
        return Path(path).exists()
    system, name = _opened(path)
    return system.exists(name)


@contextlib.contextmanager
def reading(path: str | os.PathLike) -> Iterator[Path]:
    """A local file with the contents of a path or URL.

    Raises: ImportError for a URL without fsspec; FileNotFoundError; OSError for folders, pipes and devices.
    """
    if not is_url(path):
        writing.refuse_special(path, folders=False)
        yield Path(path)
        return
    system, name = _opened(path)
    # A memory map of the copy outlives the folder; on Windows the folder cannot be removed then.
    with tempfile.TemporaryDirectory(prefix="functorch7-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder, "copy")
        system.get_file(name, str(copy))
        yield copy


@contextlib.contextmanager
def replacing(path: str | os.PathLike, *refusals: type[Exception]) -> Iterator[Path]:
    """A local path to write to; the file replaces that at a path or URL when the block succeeds.

    On other file systems of fsspec it is written beside it under another name, then moved. `refusals` and errors are
    those of `writing.replacing`.
    Raises: ImportError for a URL without fsspec.
    """
    system, name = _opened(path) if is_url(path) else (None, path)
    if system is None or isinstance(system, package("fsspec.implementations.local").LocalFileSystem):
        with writing.replacing(name, *refusals) as draft:
            yield draft
        return
    with tempfile.TemporaryDirectory(prefix="functorch7-") as folder:
        draft = Path(folder, "draft")
        with writing.naming(path, draft, *refusals):
            yield draft
        part = f"{name}.{secrets.token_hex(4)}.part"
        try:
            system.put_file(str(draft), part)
            system.mv(part, name)
        finally:
            if system.exists(part):
                system.rm(part)


def _opened(url: object) -> tuple[Any, str]:
    return package("fsspec.core", "functorch7[remote]").url_to_fs(url)
