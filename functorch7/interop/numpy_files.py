"""NumPy's files: one array (.npy), or several arrays by name (.npz)."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.types import Value
from .remote import reading


def read_array(path: str | os.PathLike) -> np.ndarray:
    """The array in a .npy file. Raises: OSError; ValueError, naming the file, if it is damaged or of another format."""

    def whole(found: Any) -> np.ndarray:
        if not isinstance(found, np.ndarray):
            raise ValueError("it has several")
        return found

    return _read(path, "array as NumPy saves it", whole)


def read_arrays(path: str | os.PathLike) -> dict[str, np.ndarray]:
    """The arrays in a .npz file, by name. Raises: OSError; ValueError, naming the file, as `read_array`."""

    def all_of(found: Any) -> dict[str, np.ndarray]:
        if isinstance(found, np.ndarray):
            raise ValueError("it has one alone")
        with found:
            return {name: found[name] for name in found.files}

    return _read(path, "arrays as NumPy saves them", all_of)


def _read(path: str | os.PathLike, what: str, use: Callable[[Value], Value]) -> Value:
    """use(the loaded file); pickled objects are refused, since reading them would run code."""
    with reading(path) as found, open(found, "rb") as file:
        try:
            return use(np.load(file, allow_pickle=False))
        except OSError:
            raise
        except Exception as error:  # zipfile's, zlib's, and NumPy's own
            raise ValueError(f"{os.fspath(path)}: no {what}: {error}") from error
