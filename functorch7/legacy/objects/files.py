"""Reads and writes Torch7's files as Torch's own functions do: tables, tensors, modules."""

from __future__ import annotations

import os
from collections.abc import Collection

from ...interop import t7
from ...interop.t7.values import Content
from .loaded import Loaded
from .saved import Saved


def load_t7(
    path: str | os.PathLike, *, allow_unknown: bool | Collection[str] = False, all: bool = False
) -> Content:  # fmt: skip
    """The contents of a Torch7 file, at a path or a URL for fsspec: tables as lists and dicts, tensors and storages,
    modules and criterions as objects, and tables of tds as `tds.Hash` and `tds.Vec`.

    What was one tensor, table, object or storage in several places is one again. Objects of unknown classes raise
    UnknownClassError, which lists them with their places and fields; with `allow_unknown` (True, or the names of
    classes) they become modules that cannot run, or T7Objects outside networks. Functions stay bytes. Raises
    T7FormatError for a file that is not Torch7's. If several objects follow each other, the result is the first, with a
    warning that says how many bytes follow; with `all` it is a list of all. A user's class with its own updateOutput
    must be defined when the file is loaded; the object gets its fields, and `__init__` does not run.
    Source: torch7/doc/serialization.md, torch.load.
    """
    return from_file(t7.read(path, all=all), allow_unknown)


def save_t7(path: str | os.PathLike, value: object, format: str = "binary") -> None:
    """Writes tensors, tables, modules and criterions to a file that Torch7 loads; "binary" or "ascii".

    `path` may be a URL for fsspec; an existing file is replaced when the new one is complete. Modules are saved as in
    Torch, with their gradients, or with less after `mediumSerial()` and `lightSerial()`; modules of users' classes are
    saved under the class's name, which must be defined where the file is loaded. Raises TypeError for objects that
    Torch does not have.
    Source: torch7/doc/serialization.md, torch.save; dpnn/README.md, Serial.
    """
    t7.write(path, to_file(value), format)


def from_file(value: object, allow_unknown: bool | Collection[str] = False) -> Content:
    """The value with objects and tensors in place of records and arrays; lists and dicts are changed in place."""
    return Loaded(allow_unknown).value(value)


def to_file(value: object) -> Content:
    """The value with records and arrays in place of objects and tensors."""
    return Saved().value(value)
