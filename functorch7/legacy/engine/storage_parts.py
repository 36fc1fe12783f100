"""The parts of a storage that many tensors share: cut out together, and joined."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ... import programs
from ...core import is_concrete
from ...core.types import Array
from ..tensors.devices import place_of, precision
from ..tensors.notes import notes_of
from ..tensors.storage import Storage
from ..tensors.strides import cut_out, strided
from .views import View, read

OFTEN = 200
"""Parts that were cut out so often are cut out by one compiled program from then on."""


class Cutter:
    """Cuts the same parts out of one array after another.

    What one network asks for is shown as it lies: programs take NumPy's arrays. What several ask for is cut out: one by
    one, which costs a transfer each, or by a program for all of them, which costs its compilation first. On an
    accelerator it is a program from the beginning.
    """

    __slots__ = ("parts", "times", "views")

    def __init__(self, views: tuple[View, ...]):
        self.views, self.times = views, 0
        self.parts = tuple(view[1:] for view in views)

    def of(self, storage: Storage) -> list:
        """The arrays of the parts; those that were cut out are kept until the storage changes."""
        return storage.cut(self.parts, self._shown, self._cut_out)

    def _shown(self, array: Array) -> list:
        if not is_concrete(array):
            return _read_all(array, self)
        flat = np.asarray(array).reshape(-1)
        return [strided(flat[offset:], shape, stride) for offset, shape, stride in self.parts]

    def noted(self, storage: Storage) -> list:
        """The same; cut out of a storage of an accelerator when somebody looks."""
        if storage.place is None or storage.is_traced():
            return self.of(storage)
        return notes_of(storage.place).note(_read_all, storage.noted, self)

    def _cut_out(self, array: Array) -> list:
        if not is_concrete(array):
            return _read_all(array, self)
        self.times += 1
        if self.times > OFTEN or place_of(array) is not None:
            with precision(array.dtype):
                return _program(self.views)(array)
        return [cut_out(array, *part) for part in self.parts]


class Joined:
    """The elements of a storage as arrays of its parts, which are joined when somebody asks for the whole.

    To join them costs as much as all else that adds to large gradients.
    """

    __slots__ = ("arrays", "views")

    def __init__(self, arrays: list, views: tuple[View, ...]):
        self.arrays, self.views = arrays, views

    def __call__(self) -> Array:
        with precision(self.arrays[0].dtype):
            return _joining(self.views)(self.arrays)


def given_up_in_parts(storage: Storage, cutter: Cutter, once: bool) -> tuple[list, list]:
    """As `given_up` of the storage, of each of its parts: in the first list, those that are not to be written over."""
    none: list = [None] * len(cutter.views)
    joined = storage._make
    if isinstance(joined, Joined) and joined.views == cutter.views:
        return (none, joined.arrays) if once and storage._owned else (joined.arrays, none)
    return none if storage.is_zero else cutter.of(storage), none


def hold_in_parts(storage: Storage, cutter: Cutter, arrays: list) -> None:
    """Lets a storage hold the parts, which nobody else has seen, as its elements."""
    joined = Joined(arrays, cutter.views)
    if storage.is_plain:
        storage._array, storage._make, storage._owned, storage._parts = None, joined, True, None
    else:
        storage.array = joined()


def _read_all(array: Any, cutter: Cutter) -> list:
    return [read([array], view) for view in cutter.views]


@programs.kept
def cutter(views: tuple[View, ...]) -> Cutter:
    """The one for these views, all of one storage."""
    return Cutter(views)


@programs.kept
def _program(views: tuple[View, ...]) -> programs.Compiled:
    return programs.Compiled(jax.jit(lambda array: [read([array], view) for view in views]))


@programs.kept
def _joining(views: tuple[View, ...]) -> programs.Compiled:
    order = sorted(range(len(views)), key=lambda number: views[number].offset)
    return programs.Compiled(jax.jit(lambda arrays: jnp.concatenate([arrays[i].reshape(-1) for i in order])))
