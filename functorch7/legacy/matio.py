"""Torch's package matio: tensors in MATLAB's files, by SciPy. Those of version 7.3 are HDF5's, which `hdf5` reads."""

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
    """The variables of a file by their names, those in `name`, or the one that it names; None if it is not there.

    Arrays have MATLAB's sizes, two at least. Structures are tables by their fields' names, arrays of them lists of
    rows, cells lists, column by column. `texts` counts in place of `use_lua_strings`.
    Raises: OSError, ValueError for other files, NotImplementedError for those of version 7.3, TypeError for types that
    Torch has not, complex numbers for one.
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
            raise ValueError(f"matio.load: {filename} is not a file of MATLAB's: {error}") from None
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
    """Writes a tensor, as the variable x, or a table of tensors, numbers, texts, booleans and such tables.

    Vectors become columns. Raises OSError, TypeError for other values.
    """
    write(filename, {"x": data} if isinstance(data, Tensor) else data, _saved)


def write(filename: str | os.PathLike, data: Mapping[str, Value], convert: Callable[[Value], object]) -> None:
    """Writes variables, each as `convert` makes it."""
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
