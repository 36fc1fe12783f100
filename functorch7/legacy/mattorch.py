"""Torch's package mattorch: tensors in MATLAB's files; dimensions stay in the order of memory, so they are reversed."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np

from ..core.types import Value
from ..losses.tables import map_leaves
from . import matio
from .tensors.tensor import Tensor


def load(path: str | os.PathLike) -> dict[str, Value]:
    """A file's variables by their names: MATLAB's m x n array is an n x m tensor.

    Texts are CharTensors. Raises as `matio.load` does.
    """
    return map_leaves(lambda tensor: Tensor.of(np.ascontiguousarray(tensor.numpy().T)), matio.load(path, texts=False))


def save(path: str | os.PathLike, vars: Tensor | Mapping[str, Tensor]) -> None:
    """Writes a tensor, as the variable x, or a table of them; an m x n tensor becomes MATLAB's n x m array.

    Raises OSError, TypeError for other values.
    """
    found = {"x": vars} if isinstance(vars, Tensor) else vars
    wrong = next((name for name, value in found.items() if not isinstance(value, Tensor)), None)
    if wrong is not None:
        raise TypeError(f"mattorch.save: expected a table of tensors, {wrong} is a {type(found[wrong]).__name__}")
    matio.write(path, found, lambda tensor: tensor.numpy().T if tensor.dim() > 1 else tensor.numpy()[None])
