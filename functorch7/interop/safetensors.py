"""Parameters and buffers in safetensors files, under the names that `state_dict` gives them ("0.weight")."""

import json
import os
import struct
from collections.abc import Callable, Mapping
from pathlib import Path

import jax.numpy as jnp
import numpy as np

from ..core import Module, Variables
from ..core.types import Params, Tree, Value
from ..network import check_variables, from_state_dict, load_state_dict, state_dict
from .packages import package
from .remote import reading, replacing


def save(
    path: str | os.PathLike, module: Module, params: Params, buffers: Tree, metadata: Mapping[str, str] | None = None
) -> None:  # fmt: skip
    """Writes the arrays (without recurrent state) in their dtypes, with optional texts, to a path or a URL.

    An existing file is replaced only when the new one is complete.
    Raises: ImportError without safetensors; TypeError for metadata other than texts; ValueError for arrays that are not
    the module's; OSError.
    """
    check_variables("safetensors.save", module, params, buffers)
    save_file = package("safetensors.numpy").save_file
    wrong = [name for name, text in (metadata or {}).items() if not isinstance(name, str) or not isinstance(text, str)]
    if wrong:
        raise TypeError(f"safetensors: expected texts as metadata, got others at {', '.join(map(repr, wrong))}")
    named = state_dict(module, Variables(params, buffers))
    # The format has no strides: save_file would write a transposed array's elements in the order of its memory.
    arrays = {name: np.asarray(array, order="C") for name, array in named.items()}
    with replacing(path, package("safetensors").SafetensorError) as draft:
        save_file(arrays, draft, None if metadata is None else dict(metadata))


def load(path: str | os.PathLike, module: Module, variables: Variables | None = None) -> Variables:
    """The variables of `module` from a file, in its dtypes, or in those of `variables` if given.

    Raises: ImportError without safetensors; FileNotFoundError; ValueError for a file that is damaged or of another
    format, and one that lists everything that does not fit the module.
    """
    arrays = read(path, lambda file, found: {name: _array(file, found, name) for name in file.keys()})
    try:
        if variables is None:
            return from_state_dict(module, arrays)
        return load_state_dict(module, variables, arrays)
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None


EIGHT_BITS = {"F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2"}
"""Types that the library writes but does not read, since NumPy itself lacks them."""


def _array(file: Value, found: Path, name: str) -> np.ndarray:
    """An array of an open file."""
    kind = EIGHT_BITS.get(file.get_slice(name).get_dtype())
    return file.get_tensor(name) if kind is None else _of_eight_bits(found, name).view(jnp.dtype(kind))


def _of_eight_bits(found: Path, name: str) -> np.ndarray:
    """An array's bytes, found by the header of the file."""
    with open(found, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        about = json.loads(file.read(length))[name]
        first, last = about["data_offsets"]
        file.seek(8 + length + first)
        return np.frombuffer(file.read(last - first), np.uint8).reshape(about["shape"])


def read_metadata(path: str | os.PathLike) -> dict[str, str]:
    """The texts saved with the arrays. Raises: as `load` for a file of another format."""
    return read(path, lambda file, _: file.metadata() or {})


def read(path: str | os.PathLike, use: Callable[[Value, Path], Value]) -> Value:
    """The result of use(the library's open file, its local path).

    Raises: ImportError without safetensors; ValueError as `load`.
    """
    library = package("safetensors")
    try:
        with reading(path) as found, library.safe_open(found, "np") as file:
            return use(file, found)
    except library.SafetensorError as error:
        raise ValueError(f"{os.fspath(path)}: no whole safetensors file: {error}") from error
    except AttributeError as error:  # NumPy's, in which the library looks for a type
        raise ValueError(f"{os.fspath(path)}: has arrays of a type that cannot be read: {error}") from error
