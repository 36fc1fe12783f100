"""Notebooks of iTorch, the kernel of Jupyter for Torch7."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from ..interop.packages import package

SUFFIX = ".ipynb"


def cells_of(path: str | os.PathLike) -> Iterator[tuple[str, str]]:
    """The name and the code of each of a notebook's cells, of any version of Jupyter's format.

    Raises: ImportError without nbformat; ValueError for a file that is no notebook, or one in Python.
    """
    nbformat = package("nbformat", "functorch7[lua]", "a notebook")
    try:
        found: Any = nbformat.read(path, as_version=4)
    except (nbformat.ValidationError, ValueError, AttributeError) as error:
        raise ValueError(f"{os.fspath(path)} is not a notebook") from error
    kernel = found.metadata.get("kernelspec", {})
    language = found.metadata.get("language_info", kernel).get("name", "lua")
    if language.startswith("python") or kernel.get("language") == "python":
        raise ValueError(f"{os.fspath(path)} is a notebook in Python: expected one of iTorch, in Lua")
    code = (cell.source for cell in found.cells if cell.cell_type == "code")
    yield from ((f"cell {number}", each) for number, each in enumerate(code, 1) if each.strip())
