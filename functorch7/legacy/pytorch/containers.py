"""PyTorch's ways to append to a container."""

from __future__ import annotations

from typing import Self

from ..modules.module import Module
from ..objects.described import Described


class Appending(Described):
    """Container's methods that append."""

    def append(self, module: Module) -> Self:
        """PyTorch's name for `add`."""
        return self.add(module)

    def add_module(self, name: str, module: Module | None) -> None:
        """PyTorch's way to append: the module gets the name, unless that is its position, from 0.

        `net["fc"]` finds it; in `state_dict` names are positions. Raises TypeError for anything but a module and a
        text, KeyError for the name of another module inside.
        """
        if not isinstance(name, str):
            raise TypeError(f"{self.typename()}: the name of a module should be a string, got {name!r}")
        if not isinstance(module, Module):
            raise TypeError(f"{self.typename()}: expected a module {name!r}, got {module!r}")
        if name != str(len(self.modules)):
            if not name or "." in name or name.isdecimal():
                raise KeyError(
                    f"{self.typename()}: expected the name {len(self.modules)}, the next position, or one that is no "
                    f"number, not empty and without '.', got {name!r}"
                )
            if any(name == each.getName() for each in self.modules):
                raise KeyError(f"{self.typename()}: module {name!r} already exists")
            module.setName(name)
        self.add(module)
