"""The parts of a storage that many tensors share, cut out together."""

from typing import Any

import jax

from ... import programs
from ...core.types import Array
from ..tensors.notes import notes_of
from ..tensors.storage import Storage
from ..tensors.strides import cut_out
from .views import View, read

OFTEN = 200
"""Parts that were cut out so often are cut out by one compiled program from then on."""


class Cutter:
    """Cuts the same parts out of one array after another.

    To cut them one by one costs a transfer each; a program for all of them costs its compilation first.
    """

    __slots__ = ("parts", "times", "views")

    def __init__(self, views: tuple[View, ...]):
        self.views, self.times = views, 0
        self.parts = tuple(view[1:] for view in views)

    def of(self, storage: Storage) -> list:
        """The arrays of the parts, which are kept until the storage changes: programs copy what they cut out."""
        return storage.cut(self.parts, self)

    def noted(self, storage: Storage) -> list:
        """The same; cut out of a storage of an accelerator when somebody looks."""
        if storage.place is None:
            return self.of(storage)
        return notes_of(storage.place).note(_read_all, storage.noted, self)

    def __call__(self, array: Array) -> list:
        self.times += 1
        if self.times > OFTEN and jax.dtypes.canonicalize_dtype(array.dtype) == array.dtype:
            return _program(self.views)(array)
        return [cut_out(array, *part) for part in self.parts]


def _read_all(array: Any, cutter: Cutter) -> list:
    return [read([array], view) for view in cutter.views]


@programs.kept
def cutter(views: tuple[View, ...]) -> Cutter:
    """The one for these views, all of one storage."""
    return Cutter(views)


@programs.kept
def _program(views: tuple[View, ...]) -> programs.Compiled:
    return programs.Compiled(jax.jit(lambda array: [read([array], view) for view in views]))
