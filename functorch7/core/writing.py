"""Files that are there whole or not at all."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def replacing(path: str | os.PathLike) -> Iterator[Path]:
    """A path to write to, in the same folder, that takes the place of `path` when all went well."""
    target = Path(path)
    with tempfile.TemporaryDirectory(prefix=".writing-", dir=target.parent) as folder:
        draft = Path(folder, target.name)
        yield draft
        os.replace(draft, target)
