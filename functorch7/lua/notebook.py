"""Notebooks of iTorch, the kernel of Jupyter for Torch7."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from ..interop.packages import package

SUFFIX = ".ipynb"


class Cell(NamedTuple):
    """A cell of code: its name, and whether it ended with an error when the notebook was saved."""

    name: str
    code: str
    fails: bool


def cells_of(path: str | os.PathLike) -> list[Cell]:
    """A notebook's cells of code, of any version of Jupyter's format.

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
    cells = [cell for cell in found.cells if cell.cell_type == "code"]
    return [Cell(f"cell {number}", each.source, _fails(each)) for number, each in enumerate(cells, 1) if each.source]


def _fails(cell: Any) -> bool:
    return any(output.output_type == "error" for output in cell.outputs)
