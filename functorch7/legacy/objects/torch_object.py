"""Objects that are no modules: their class has Torch's name, and files have their fields."""

from __future__ import annotations

from .newest import Numbered, newest


class TorchObject(Numbered):
    """What classes of `torch.class` without a parent are: a table of fields under the name of a class."""

    given_name = "torch.Object"

    def typename(self) -> str:
        """Torch's name of the class."""
        return self.given_name


def plain_class_named(name: str) -> type:
    """The newest of these classes that has a name, or None."""
    return newest(TorchObject, lambda kind: kind.given_name == name)
