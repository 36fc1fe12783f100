"""The mode of objects of Lua's classes."""

from __future__ import annotations

from .. import layers
from ..legacy.objects.mode import ModeField
from ..legacy.tensors.changes import changed
from .kinds import Crossing

WITH_MODE = (layers.BatchNormalization, layers.Dropout, layers.SpatialDropout, layers.RReLU)
"""Layers that Torch makes with `train`, and those below them."""


class UnsetMode(ModeField):
    """`train` of objects that train, as Torch's do, before anything has set it: then it is nil.

    Layers that behave otherwise in training begin with true.
    """

    def __get__(self, module: Crossing, kind: type) -> Crossing:
        return True if module is None else vars(module).get("train", has_mode_from_the_start(kind))

    def __set__(self, module: Crossing, value: Crossing) -> None:
        if "train" not in vars(module):
            vars(module)["train"] = module.in_training
            changed(module)
        super().__set__(module, value)


def has_mode_from_the_start(kind: type) -> bool | None:
    """True for layers whose constructor sets `train` in Torch, otherwise None."""
    return True if issubclass(kind.spec_class or object, WITH_MODE) else None
