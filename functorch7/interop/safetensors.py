"""Parameters and buffers in safetensors files, under the names that `state_dict` gives them ("0.weight")."""

import os
from collections.abc import Callable, Mapping

import numpy as np

from ..core import Module, Variables
from ..core.types import Tree, Value
from ..network import check_variables, from_state_dict, load_state_dict, state_dict
from .packages import package
from .remote import reading, replacing


def save(
    path: str | os.PathLike, module: Module, params: Tree, buffers: Tree, metadata: Mapping[str, str] | None = None
) -> None:  # fmt: skip
    """Writes the arrays (no recurrent state), in their dtypes, and texts of one's own beside them; a path or a URL.

    A file that was there before is replaced when the new one is whole, and stays if anything goes wrong.
    Raises: ImportError without safetensors; TypeError for metadata that is no text; ValueError for arrays that are not
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
    """The variables of `module` in a file, in its dtypes, or, if `variables` are given, in theirs.

    Raises: ImportError without safetensors; FileNotFoundError; ValueError for a file that is damaged or no safetensors
    file, and one that lists everything that does not fit the module.
    """
    arrays = read(path, lambda file: {name: file.get_tensor(name) for name in file.keys()})
    try:
        if variables is None:
            return from_state_dict(module, arrays)
        return load_state_dict(module, variables, arrays)
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None


def read_metadata(path: str | os.PathLike) -> dict[str, str]:
    """The texts that were saved beside the arrays. Raises: as `load`, for what is no such file."""
    return read(path, lambda file: file.metadata() or {})


def read(path: str | os.PathLike, use: Callable[[Value], Value]) -> Value:
    """What `use` makes of the library's open file. Raises: ImportError without safetensors; ValueError as `load`."""
    library = package("safetensors")
    try:
        with reading(path) as found, library.safe_open(found, "np") as file:
            return use(file)
    except library.SafetensorError as error:
        raise ValueError(f"{os.fspath(path)}: no whole safetensors file: {error}") from error
