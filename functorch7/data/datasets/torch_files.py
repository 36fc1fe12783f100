"""Torch's files of data."""

import os

from ...core.types import Value
from ...interop import t7


def load(path: str | os.PathLike) -> Value:
    """The value in a Torch file, written as ASCII or as binary: tables are lists and dicts, tensors arrays.

    Raises: ValueError naming the file if it is none, or damaged. Source: dataload, utils.lua.
    """
    try:
        return t7.read(path)
    except t7.T7FormatError as error:
        raise ValueError(f"{path}: no Torch file, or a damaged one: {error}") from error
