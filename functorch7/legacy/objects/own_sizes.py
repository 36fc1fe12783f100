"""A layer's sizes as a LongStorage, as in Torch: writing into it changes the layer."""

from __future__ import annotations

from functools import cache

import numpy as np

from ... import core
from ...interop.torch7.table import schema_of
from ..tensors.storage import Storage


class OwnSizes(Storage):
    """The sizes of one layer; `view.size[1] = 5` changes the layer."""

    __slots__ = ("_name", "_owner", "told")

    def __init__(self, owner: object, name: str, sizes: tuple[int, ...]):
        super().__init__(np.array(sizes, np.int64))
        self._owner, self._name = owner, name
        self.told = sizes  # what the layer has; after a resize it is not yet what is here

    def _tell(self) -> OwnSizes:
        self.told = tuple(self.totable())
        setattr(self._owner, self._name, self.told)
        return self

    def __setitem__(self, index: int, value: float) -> None:
        super().__setitem__(index, value)
        if value == 0 or all(self.totable()):  # else sizes that a resize has added are still to be set
            self._tell()

    def fill(self, value: float) -> OwnSizes:
        """Sets every size."""
        super().fill(value)
        return self._tell()

    def copy(self, source: Storage) -> OwnSizes:
        """Copies the sizes of a storage of as many."""
        super().copy(source)
        return self._tell()


def sizes_of(owner: object, name: str, sizes: tuple[int, ...]) -> OwnSizes:
    """An object's sizes: the same storage until the layer's sizes change otherwise."""
    found = vars(owner).get("_sizes")
    if found is None or found.told != sizes:
        found = vars(owner)["_sizes"] = OwnSizes(owner, name, sizes)
    return found


@cache
def has_sizes(spec_class: type[core.Module], field: str) -> bool:
    """Whether a field of a description is a LongStorage in Torch."""
    rule = schema_of(spec_class).rules.get(field)
    return rule is not None and rule.is_sizes
