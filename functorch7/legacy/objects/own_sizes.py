"""Sizes that a layer has as a LongStorage, as in Torch: what is written there the layer has from then on."""

from __future__ import annotations

from functools import cache

import numpy as np

from ... import core
from ...interop.torch7.table import schema_of
from ..tensors.storage import Storage


class OwnSizes(Storage):
    """The sizes of one layer; `view.size[1] = 5` changes the layer."""

    __slots__ = ("_name", "_owner")

    def __init__(self, owner: object, name: str, sizes: tuple[int, ...]):
        super().__init__(np.array(sizes, np.int64))
        self._owner, self._name = owner, name

    def _told(self) -> OwnSizes:
        setattr(self._owner, self._name, tuple(self.totable()))
        return self

    def __setitem__(self, index: int, value: float) -> None:
        super().__setitem__(index, value)
        self._told()

    def fill(self, value: float) -> OwnSizes:
        """Sets every size."""
        super().fill(value)
        return self._told()

    def copy(self, source: Storage) -> OwnSizes:
        """Copies the sizes of a storage of as many."""
        super().copy(source)
        return self._told()

    def resize(self, size: int) -> OwnSizes:
        """Gives it another number of sizes, of which the layer hears when they are set: new ones are 0."""
        super().resize(size)
        return self


def sizes_of(owner: object, name: str, sizes: tuple[int, ...]) -> OwnSizes:
    """An object's sizes, the same storage as long as they do not change otherwise."""
    found = vars(owner).get("_sizes")
    if found is None or found != sizes:
        found = vars(owner)["_sizes"] = OwnSizes(owner, name, sizes)
    return found


@cache
def has_sizes(spec_class: type[core.Module], field: str) -> bool:
    """Whether a field of a description is a LongStorage in Torch."""
    rule = schema_of(spec_class).rules.get(field)
    return rule is not None and rule.is_sizes
