"""Arrays of a description as tensors: what is written into them applies from the next call on, as in Torch."""

from __future__ import annotations

import numpy as np

from ...core import Const
from ...core.types import Value
from ..tensors.changes import changed
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor


class OwnElements(Storage):
    """The elements of a description's field; `map.connTable[1][1] = 2` changes the layer."""

    __slots__ = ("_owner", "is_written", "told")

    def __init__(self, owner: object, told: Const):
        super().__init__(np.array(told.value))
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


def elements_of(owner: object, field: str, value: Const) -> Tensor:
    """The tensor of an object's field: the same one until the field's array is replaced."""
    shown = vars(owner).setdefault("_elements", {})
    found = shown.get(field)
    if found is None or found.storage_.told is not value:
        storage = OwnElements(owner, value)
        found = shown[field] = Tensor.viewing(storage, 0, storage.shape)
    return found


def take_writes(owner: Value) -> None:
    """Gives the object's description what has been written into such tensors."""
    for field, tensor in vars(owner).get("_elements", {}).items():
        storage = tensor.storage_
        if storage.is_written:
            storage.is_written = False
            owner._respecify(owner._spec.replace(**{field: np.array(storage.array)}))
            storage.told = getattr(owner._spec, field)
