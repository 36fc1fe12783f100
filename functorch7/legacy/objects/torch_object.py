"""Objects that are not modules: their class has Torch's name, and files contain their fields."""

from __future__ import annotations

from importlib import import_module

from ...interop.t7.values import Fields
from ..tensors.named import Named
from .named_calls import NamedCalls
from .newest import Numbered, newest

ON_DEMAND = ("dl", "optim")
"""Packages with such classes that are not always imported."""


class InFiles(Named, NamedCalls):
    """The base of functorch7's classes whose objects are not modules, and are saved by their fields."""

    _classes: dict[str, type] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        InFiles._classes[cls.typename()] = cls

    @classmethod
    def blank(cls, fields: Fields) -> object:
        """An object that is to take a file's fields."""
        return object.__new__(cls)

    def saved_fields(self) -> Fields:
        """The fields for a file."""
        return self.__dict__

    def take_saved(self) -> None:
        """Completes itself from its fields, when all of them are there."""


class TorchObject(Numbered):
    """The base of classes of `torch.class` without a parent: a table of fields under the name of a class."""

    given_name = "torch.Object"

    def typename(self) -> str:
        """Torch's name of the class."""
        return self.given_name


def plain_class_named(name: str) -> type:
    """The newest of these classes with a name, or None; programs' packages that define some must be imported."""
    package = name.partition(".")[0]
    if package in ON_DEMAND:
        import_module(f"{__name__.partition('.objects')[0]}.{package}")
    return InFiles._classes.get(name) or newest(TorchObject, lambda kind: kind.given_name == name)
