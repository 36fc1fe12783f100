"""Objects that are no modules: their class has Torch's name, and files have their fields."""

from __future__ import annotations

from ...interop.t7.values import Fields
from ..tensors.named import Named
from .named_calls import NamedCalls
from .newest import Numbered, newest


class InFiles(Named, NamedCalls):
    """The base of functorch7's own classes whose objects are no modules, but are in files by their fields."""

    _classes: dict[str, type] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        InFiles._classes[cls.typename()] = cls

    @classmethod
    def blank(cls, fields: Fields) -> object:
        """An object that is to take a file's fields."""
        return object.__new__(cls)

    def saved_fields(self) -> Fields:
        """The fields as a file has them."""
        return self.__dict__

    def take_saved(self) -> None:
        """Becomes what its fields say, when all that a file has of it is there."""


class TorchObject(Numbered):
    """What classes of `torch.class` without a parent are: a table of fields under the name of a class."""

    given_name = "torch.Object"

    def typename(self) -> str:
        """Torch's name of the class."""
        return self.given_name


def plain_class_named(name: str) -> type:
    """The newest of these classes that has a name, or None; the packages that define them have to be imported."""
    return InFiles._classes.get(name) or newest(TorchObject, lambda kind: kind.given_name == name)
