"""Torch's package npy4th: tensors in NumPy's files."""

from __future__ import annotations

import os

import numpy as np

from ..interop.numpy_files import read_array, read_arrays
from ..interop.writing import replacing
from .tensors.read import tensor_of
from .tensors.tensor import Tensor


def loadnpy(filepath: str | os.PathLike) -> Tensor:
    """The tensor in a .npy file. Raises OSError, ValueError for other files, TypeError for types that Torch lacks."""
    return tensor_of("npy4th.loadnpy", read_array(filepath))


def loadnpz(filepath: str | os.PathLike) -> dict[str, Tensor]:
    """The tensors in a .npz file by their names. Raises as `loadnpy` does."""
    return {name: tensor_of("npy4th.loadnpz", array) for name, array in read_arrays(filepath).items()}


def savenpy(filepath: str | os.PathLike, tensor: Tensor, mode: str = "w") -> None:
    """Writes a tensor to a .npy file; the mode "a" adds its slices to the file's. Raises OSError.

    Raises ValueError for another mode, and for slices of other sizes or types than the file's.
    """
    if mode not in ("w", "a"):
        raise ValueError(f"npy4th.savenpy: expected the mode w or a, got {mode!r}")
    array = tensor.numpy()
    if mode == "a" and os.path.exists(filepath):
        there = read_array(filepath)
        if there.dtype != array.dtype or there.shape[1:] != array.shape[1:]:
            wanted, given = f"{there.dtype} {there.shape[1:]}", f"{array.dtype} {array.shape[1:]}"
            raise ValueError(f"npy4th.savenpy: expected slices as in {filepath}, {wanted}, got {given}")
        array = np.concatenate([there, array])
    with replacing(filepath) as draft, open(draft, "wb") as file:
        np.save(file, array)
