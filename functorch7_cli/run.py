"""Running a network once, and what its output looks like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from .command import refuse
from .files import function_in, written_in_lua
from .inputs import check_output, described, input_from, write_output

EXAMPLES = 10
"""How many rows of an output are shown by their greatest entries."""


def run(
    file: str, input: str, output: str | None, size: Any, mean: Any, std: Any, top: int, like: str | None,
    dtype: str | None, classes: Sequence[str] = (), entry: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The shapes of input and output, and what is in the output; files of Lua's are run first for their classes."""
    if output is not None:
        check_output(output)  # before anything is computed
    if classes:
        refuse("with --classes, the file's own classes run", like=like, dtype=dtype)
    opened = written_in_lua(file, classes, entry) if classes else function_in(file, like, dtype, entry)
    with opened as (function, precision):
        given = input_from(input, precision, size, mean, std)
        result = function(given)
        if output is not None:
            write_output(output, result)
        return {
            "file": file,
            "input": jax.tree.map(described, given),
            "output": jax.tree.map(lambda tensor: described(tensor) | _numbers(np.asarray(tensor), top), result),
        }


def _numbers(tensor: np.ndarray, top: int) -> dict[str, Any]:
    """The greatest entries of each row, where there are rows; else least and greatest number, mean and deviation."""
    rows = np.atleast_2d(tensor)
    if rows.ndim == 2 and rows.shape[1] > 1:
        return {"examples": len(rows), "top": [_greatest(row, top) for row in rows[:EXAMPLES]]}
    if not tensor.size:
        return {}
    wide = tensor.astype(np.float64)
    return {name: float(getattr(np, name)(wide)) for name in ("min", "max", "mean", "std")}


def _greatest(row: np.ndarray, top: int) -> list[dict[str, Any]]:
    order = np.argsort(-row.astype(np.float64), kind="stable")  # bytes have no negatives
    return [{"class": int(place) + 1, "value": float(row[place])} for place in order[:top]]
