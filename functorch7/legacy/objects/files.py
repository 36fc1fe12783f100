"""Torch7's files as Torch's own functions gave them: tables, tensors, modules; and back."""

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
    """What a Torch7 file holds, at a path or a URL for fsspec: tables as lists and dicts, tensors and storages, modules
    and criterions as objects, and those of tds as `tds.Hash` and `tds.Vec`.

    Tensors share storages, and tables and objects are one where they were one. Objects of unknown classes raise
    UnknownClassError, which names them all, their places and fields; with `allow_unknown` (True, or the names of
    classes) they are modules that cannot run, or T7Objects outside of networks. Functions stay bytes. Raises
    T7FormatError for anything else than a Torch7 file. Of several objects one after the other it is the first, with a
    warning that says how many bytes follow; with `all` a list of all of them. A class with an updateOutput of the
    user's own has to be defined when the file is loaded; the object gets its fields, and `__init__` does not run.
    Source: torch7/doc/serialization.md, torch.load.
    """
    return from_file(t7.read(path, all=all), allow_unknown)


def save_t7(path: str | os.PathLike, value: object, format: str = "binary") -> None:
    """Writes tensors, tables, modules and criterions to a file that Torch7 loads; "binary" or "ascii".

    `path` may be a URL for fsspec; a file that was there is replaced when the new one is whole. Modules are saved as in
    Torch, with their gradients, or less after `mediumSerial()` and `lightSerial()`; those of users' classes by these
    classes' names, which have to be known where the file is loaded. Raises TypeError for what Torch has not: objects
    of other classes.
    Source: torch7/doc/serialization.md, torch.save; dpnn/README.md, Serial.
    """
    t7.write(path, to_file(value), format)


def from_file(value: object, allow_unknown: bool | Collection[str] = False) -> Content:
    """The value with objects and tensors in place of records and arrays; lists and dicts are changed in place."""
    return Loaded(allow_unknown).value(value)


def to_file(value: object) -> Content:
    """The value with records and arrays in place of objects and tensors."""
    return Saved().value(value)
