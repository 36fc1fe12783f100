"""Networks in files: Torch7's format, by path or by URL, whole or not at all."""

from __future__ import annotations

import os
from typing import Any, Self

import numpy as np

from ... import core
from ...core.types import Value
from ...interop import remote
from ..engine.views import place_of
from ..objects.described import Described
from ..objects.files import load_t7, save_t7
from ..tensors.changes import changed
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor
from ..tensors.values import unwrapped

DEFINITION = "definition"
"""The one key of the table in a file that holds a network without its weights."""


def save_value(owner: object, path: str | os.PathLike, value: object, overwrite: bool) -> None:
    """Writes a value to a Torch7 file. Raises FileExistsError if the file exists, unless `overwrite`."""
    _check_free(owner, path, overwrite)
    save_t7(path, value)


def _check_free(owner: Any, path: Any, overwrite: bool) -> None:
    if not overwrite and remote.exists(path):
        raise FileExistsError(f"{owner.title()}: {path} exists; overWrite=True replaces it")


class Saving(Described):
    """Module's methods that save and load it.

    Paths may be URLs for fsspec ("s3://bucket/model.t7"), which the extra `remote` installs. A file is replaced when
    the new one is whole, and stays after an error or if the process is killed. Names of modules are saved; scales
    and regularizers are not. Modules with their own updateOutput cannot be saved: TypeError.
    """

    def save(self, path: str | os.PathLike, overWrite: bool = False) -> Self:
        """Drops outputs (`clearState`), then writes the network to a file; returns it.

        Raises FileExistsError if the file exists, unless overWrite.
        """
        return self.saveModule(path, None, overWrite)

    def saveModule(
        self, path: str | os.PathLike, weightPath: str | os.PathLike | None = None, overWrite: bool = False
    ) -> Self:
        """As `save`; with a weightPath, the learnable tensors go there, and the rest to `path`.

        Raises ValueError if both are the same.
        """
        if weightPath is not None and remote.is_same(path, weightPath):
            raise ValueError(f"{self.title()}: expected two files for definition and weights, got {path} twice")
        for each in (path, weightPath):
            if each is not None:
                _check_free(self, each, overWrite)
        self.clearState()  # type: ignore[attr-defined]
        if weightPath is None:
            save_t7(path, self)
        else:
            save_t7(weightPath, list(_places(self).values()))
            save_t7(path, {DEFINITION: _without_weights(self)})
        return self

    def saveDefinition(self, path: str | os.PathLike, overWrite: bool = False) -> Self:
        """Writes the network without its weights; returns it. Once loaded, it has new initial values."""
        _check_free(self, path, overWrite)
        self.clearState()  # type: ignore[attr-defined]
        save_t7(path, {DEFINITION: _without_weights(self)})
        return self

    def saveTorch(self, path: str | os.PathLike, overWrite: bool = False) -> Self:
        """As `save`: the format is Torch7's."""
        return self.save(path, overWrite)

    @staticmethod
    def load(path: str | os.PathLike, weightPath: str | os.PathLike | None = None) -> Value:
        """The network in a file from `save`, `saveModule` or Torch7, with the weights in another file if given.

        Raises TypeError for a file with something else, T7FormatError for other formats, ValueError for weights that do
        not fit, FileNotFoundError.
        """
        return load(path, weightPath)

    loadModule = loadTorch = load


def load(path: str | os.PathLike, weightPath: str | os.PathLike | None = None) -> Value:
    """The network in a file; see `Module.load`.

    Raises: TypeError for a file with something else.
    """
    found = load_t7(path)
    bare = isinstance(found, dict) and list(found) == [DEFINITION]
    module = found[DEFINITION] if bare else found
    if not isinstance(module, Saving):
        raise TypeError(f"load: {path} holds no network; torch.load returns its contents")
    if bare:
        for tensor in _tensors(module):
            tensor.rebind(Storage.zeros(tensor.shape, tensor.dtype))
    if weightPath is not None:
        _take(module, load_t7(weightPath), weightPath)
    elif bare:
        module.reset()  # type: ignore[attr-defined]
    return module


loadModule = loadTorch = load


def _tensors(module: Any) -> list[Tensor]:
    """All parameters and gradients, each once."""
    found = (tensor for each in module._members() for tensor in each._own_table().values())
    return list({id(tensor): tensor for tensor in found}.values())


def _places(module: Any) -> dict[tuple, Tensor]:
    """The learnable tensors, each place in memory once."""
    return {place_of(tensor): tensor for tensor in module.parameters()[0]}


def _without_weights(module: Any) -> Any:
    """A copy whose parameters and gradients are all views of one zero; shared ones are one tensor."""
    made = module.clone()
    zeros: dict[np.dtype, Storage] = {}
    views: dict[tuple, Tensor] = {}
    for each in made._members():
        for name, tensor in each._own_table().items():
            zero = zeros.setdefault(tensor.dtype, Storage.zeros((1,), tensor.dtype))
            view = Tensor.viewing(zero, 0, tensor.shape, (0,) * tensor.dim())
            each.__dict__[name] = views.setdefault(place_of(tensor), view)
        changed(each)
    return made


def _take(module: Any, weights: Any, path: Any) -> None:
    own = list(_places(module).values())
    given = [np.shape(each) for each in weights] if isinstance(weights, list) else None
    shown = core.title(weights) if hasattr(weights, "title") else core.describe(weights) if given is None else given
    if given != [tensor.shape for tensor in own]:
        raise ValueError(f"{module.title()}: {path} does not hold its weights: expected tensors of shapes "
                         f"{[tensor.shape for tensor in own]}, got {shown}")  # fmt: skip
    for tensor, values in zip(own, weights, strict=True):
        tensor.copy(unwrapped(values))
