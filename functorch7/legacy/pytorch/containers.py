"""PyTorch's ways to append to a container."""

from __future__ import annotations

from typing import Self

from ..modules.module import Module
from ..objects.described import Described


class Appending(Described):
    """The part of Container that appends."""

    def append(self, module: Module) -> Self:
        """PyTorch's name of `add`."""
        return self.add(module)

    def add_module(self, name: str, module: Module | None) -> None:
        """PyTorch's way to append: a module that is named so, or, where the name is its position from 0, as it is.

        `net["fc"]` finds it; in `state_dict` names are positions. Raises TypeError for what is no module or no text,
        KeyError for a name that another module inside has.
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
