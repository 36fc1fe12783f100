"""Torch's package matio: tensors in MATLAB's files, by SciPy; `hdf5` reads files of version 7.3."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.types import Value
from ..interop.remote import reading
from ..interop.writing import replacing
from .tensors.read import tensor_of
from .tensors.tensor import Tensor

use_lua_strings = False
"""Whether texts are loaded as such, and not as CharTensors."""


def load(filename: str | os.PathLike, name: str | Sequence[str] | None = None, texts: bool | None = None) -> Value:
    """A file's variables by their names: all, those in a table `name`, or the one `name` (None if it is missing).

    Arrays have MATLAB's sizes, at least two. Structures become tables by their fields' names, arrays of them lists of
    rows, cells lists, column by column. `texts` may be given for `use_lua_strings`.
    Raises: OSError, ValueError for other files, NotImplementedError for those of version 7.3, TypeError for types that
    Torch lacks, such as complex numbers.
    """
    found, strings = _variables(filename), use_lua_strings if texts is None else texts
    if isinstance(name, str):
        return _loaded(found[name], strings) if name in found else None
    return {key: _loaded(value, strings) for key, value in found.items() if name is None or key in name}


def _variables(filename: str | os.PathLike) -> dict[str, Any]:
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    with reading(filename) as found, open(found, "rb") as file:
        try:
            variables = loadmat(file, struct_as_record=True)
        except (OSError, ValueError, TypeError, MatReadError) as error:
            raise ValueError(f"matio.load: {filename} is not a MATLAB file: {error}") from None
    return {name: value for name, value in variables.items() if not name.startswith("__")}


def _loaded(value: Any, strings: bool) -> Value:
    if value.dtype.names is not None:
        rows = [
            [{n: _loaded(each[n], strings) for n in value.dtype.names} for each in row] for row in np.atleast_2d(value)
        ]
        return rows[0][0] if value.size == 1 else rows
    if value.dtype.kind == "O":
        return [_loaded(each, strings) for each in value.reshape(-1, order="F")]
    if value.dtype.kind != "U":
        return tensor_of("matio.load", value)
    text = "".join(value.reshape(-1))
    letters = np.frombuffer(text.encode("utf-8", "surrogateescape"), np.int8)
    return text if strings else tensor_of("matio.load", letters[None])


def save(filename: str | os.PathLike, data: Tensor | Mapping[str, Value]) -> None:
    """Writes a tensor, as the variable x, or a table of tensors, numbers, texts, booleans and more tables.

    Vectors become columns. Raises OSError, TypeError for other values.
    """
    write(filename, {"x": data} if isinstance(data, Tensor) else data, _saved)


def write(filename: str | os.PathLike, data: Mapping[str, Value], convert: Callable[[Value], object]) -> None:
    """Writes variables, each converted by `convert`."""
    from scipy.io import savemat

    variables = {name: convert(value) for name, value in data.items()}
    with replacing(filename) as draft, open(draft, "wb") as file:
        savemat(file, variables, do_compression=True)


def _saved(value: Value) -> Any:
    if isinstance(value, Tensor):
        return value.numpy()[:, None] if value.dim() == 1 else value.numpy()
    if isinstance(value, Mapping):
        return {name: _saved(each) for name, each in value.items()}
    if isinstance(value, (bool, int, float, str)):
        return float(value) if type(value) is int else value
    raise TypeError(
        f"matio.save: expected tensors, numbers, texts, booleans or tables of them, got {type(value).__name__}"
    )
