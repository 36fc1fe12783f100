"""Arrays and sizes of a description as storages: what is written into them applies from the next call on."""

from __future__ import annotations

from functools import cache

import numpy as np

from ... import core
from ...core import Const
from ...core.types import Value
from ...interop.torch7.table import schema_of
from ..tensors.changes import changed
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor


class OwnElements(Storage):
    """The elements of a description's field; `map.connTable[1][1] = 2` and `view.size[1] = 5` change the layer."""

    __slots__ = ("_owner", "is_written", "told")
    is_plain = False

    def __init__(self, owner: object, told: Const | tuple[int, ...]):
        super().__init__(np.array(told.value) if isinstance(told, Const) else np.array(told, np.int64))
        self._owner, self.told, self.is_written = owner, told, False

    def _note(self) -> None:
        """Notes that the elements are about to change, so that the next call makes a new description."""
        self.is_written = True
        changed(self._owner)

    @property
    def array(self) -> Value:
        """The array, not to be written to."""
        return super().array

    @array.setter
    def array(self, array: Value) -> None:
        self._note()
        Storage.array.fset(self, array)  # type: ignore[attr-defined]

    ready = noted = array

    def writable(self) -> np.ndarray:
        """The elements as a flat NumPy array that may be written to."""
        self._note()
        return super().writable()

    def zero(self) -> None:
        """Fills with zeros."""
        self._note()
        super().zero()

    def memory(self) -> np.ndarray:
        """Raises TypeError: what is written through a pointer would not be seen."""
        raise TypeError("torch.data: expected a tensor of its own, got a layer's; clone it, and assign the clone")


def elements_of(owner: object, field: str, value: Const | tuple[int, ...]) -> Tensor | OwnElements:
    """An object's field, an array as a tensor: the same one until the field is replaced."""
    all_shown = vars(owner).setdefault("_elements", {})
    storage, shown = all_shown.get(field, (None, None))
    if storage is None or storage.told != value:
        storage = shown = OwnElements(owner, value)
        if isinstance(value, Const):
            shown = Tensor.viewing(storage, 0, storage.shape)
        all_shown[field] = storage, shown
    return shown


def take_writes(owner: Value) -> None:
    """Gives the object's description what has been written into such storages."""
    for field, (storage, _) in vars(owner).get("_elements", {}).items():
        if storage.is_written and storage.told == getattr(owner._spec, field):
            written = np.array(storage.array) if isinstance(storage.told, Const) else tuple(storage.totable())
            owner._respecify(owner._spec.replace(**{field: written}))
            storage.told = getattr(owner._spec, field)
        storage.is_written = False


@cache
def has_sizes(spec_class: type[core.Module], field: str) -> bool:
    """Whether a field of a description is a LongStorage in Torch."""
    rule = schema_of(spec_class).rules.get(field)
    return rule is not None and rule.is_sizes
