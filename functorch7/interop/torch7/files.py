"""Loads and saves networks in files, without Torch's objects."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection

from ... import core
from ...core.types import Params, Tree
from ...network import check_variables
from .. import t7
from .entries import network_of
from .node import functional
from .reader import Reader
from .writer import Writer, node_of


def load_model(
    path: str | os.PathLike, *, allow_unknown: bool | Collection[str] = False, entry: str | None = None
) -> tuple[core.Module, Tree, Tree]:
    """(module, params, buffers) of the network in a Torch7 file, a path or a URL for fsspec, ready for `jit`.

    Parameters that share memory in the file are ties of `Shared`. Arrays have the file's type, as far as JAX's x64
    mode permits. Recurrent state and gradients are left out. Functions with which a program has replaced a module's
    methods do not run; a warning names their modules. From a table, such as a checkpoint with options and an
    optimiser's state, the only network is loaded, or the one at `entry` ("protos.rnn"). For unknown classes and errors
    see `load_t7`. Raises TypeError if there is no network, or several and no entry is given.
    Source: torch7/doc/serialization.md, torch.load.
    """
    value = network_of(os.fspath(path), t7.read(path), entry)
    if not isinstance(value, t7.T7Object):
        raise TypeError(f"{os.fspath(path)}: expected a network, the file holds {type(value).__name__}; see load_t7")
    reader = Reader(allow_unknown)
    module, (params, buffers) = functional(reader.read(value))
    if reader.methods:
        found = "; ".join([*reader.methods[:3], "..."][: len(reader.methods)])
        warnings.warn(f"functions in files do not run: these methods are the classes' own: {found}", stacklevel=2)
    return module, params, buffers


def save_model(
    path: str | os.PathLike, module: core.Module, params: Params, buffers: Tree, format: str = "binary"
) -> None:
    """Writes a network to a file that Torch7 can load, "binary" or "ascii"; gradients are zero.

    `path` may be a URL for fsspec; an existing file is replaced when the new one is complete. Parameters that
    `Shared` ties share a storage. Raises TypeError for modules that Torch does not have, ValueError for arrays that do
    not fit the module.
    Source: torch7/doc/serialization.md, torch.save.
    """
    check_variables("save_model", module, params, buffers)
    node = node_of(module, core.Variables(params, buffers))
    t7.write(path, Writer().object(node), format)
