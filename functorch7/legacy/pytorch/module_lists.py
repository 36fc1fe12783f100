"""PyTorch's tables of modules: registered, and called one by one by the `forward` around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

import numpy as np

from ..modules.module import Module
from ..objects.described import Described
from .custom import Custom
from .traced import describing, tree_text


class ModuleList(Custom):
    """A list of modules, named "0", "1", ...; positions count from 0, and slices are lists of the same modules.

    Raises: TypeError for anything but modules; IndexError out of range; NotImplementedError when called.
    Source: PyTorch, the Modules note.
    """

    def __init__(self, modules: Iterable[Described] | None = None):
        super().__init__()
        self.extend([] if modules is None else modules)

    def _renumber(self, modules: Iterable[Any]) -> None:
        modules = list(modules)
        for name in self.child_names():
            delattr(self, name)
        for i, module in enumerate(modules):
            self.add_module(str(i), module)

    def __len__(self) -> int:
        return len(self.child_names())

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Described]:
        return iter(self.children())

    def _name(self, index: int) -> str:
        if not isinstance(index, (int, np.integer)):
            raise TypeError(f"nn.ModuleList: expected a position, counted from 0, got {index!r}")
        if not -len(self) <= index < len(self):
            raise IndexError(f"nn.ModuleList: index {index} is out of range of {len(self)} modules, counted from 0")
        return str(index % len(self))

    def __getitem__(self, index: int | slice) -> Described:
        if isinstance(index, slice):
            return ModuleList(self.children()[index])
        return getattr(self, self._name(index))

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._name(index), _checked(self, module))

    def __delitem__(self, index: int | slice) -> None:
        modules = self.children()
        del modules[index if isinstance(index, slice) else int(self._name(index))]
        self._renumber(modules)

    def __repr__(self) -> str:
        """Equal neighbours are printed once: (0-2): 3 x Name(...)."""
        lines: dict[str, str] = {}
        for text, group in groupby(enumerate(map(repr, self)), key=lambda pair: pair[1]):
            first, *more = (position for position, _ in group)
            lines[f"{first}-{more[-1]}" if more else str(first)] = f"{len(more) + 1} x {text}" if more else text
        return tree_text(type(self).__name__, self.extra_repr(), lines)

    def append(self, module: Described) -> ModuleList:
        """Adds a module at the end."""
        self.add_module(str(len(self)), _checked(self, module))
        return self

    def extend(self, modules: Iterable[Described]) -> ModuleList:
        """Adds modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"nn.ModuleList: extend expected modules in a list, got {type(modules).__name__}")
        for module in modules:
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> None:
        """Puts a module before the one at a position."""
        modules = self.children()
        modules.insert(index, _checked(self, module))
        self._renumber(modules)

    def pop(self, index: int = -1) -> Described:
        """Takes a module out and gives it."""
        module = self[index]
        del self[index]
        return module

    def __add__(self, modules: Iterable[Described]) -> ModuleList:
        return ModuleList([*self, *modules])

    def __iadd__(self, modules: Iterable[Described]) -> ModuleList:
        return self.extend(modules)


class ModuleDict(Custom):
    """Modules by name, in the order of insertion.

    Raises: TypeError for anything but modules; KeyError for a name with a dot, or of an attribute that is there;
    NotImplementedError when called. Source: PyTorch, the Modules note.
    """

    def __init__(self, modules: Mapping[str, Module] | None = None):
        super().__init__()
        self.update({} if modules is None else modules)

    def __getitem__(self, name: str) -> Described:
        self._check(name)
        return getattr(self, name)

    def __setitem__(self, name: str, module: Module) -> None:
        if name in self:
            setattr(self, name, _checked(self, module))
        else:
            self.add_module(name, _checked(self, module))

    def __delitem__(self, name: str) -> None:
        self._check(name)
        delattr(self, name)

    def _check(self, name: str) -> None:
        if name not in self:
            raise KeyError(f"nn.ModuleDict: expected one of {self.child_names()}, got {name!r}")

    def __contains__(self, name: object) -> bool:
        return name in self.child_names()

    def __len__(self) -> int:
        return len(self.child_names())

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self.child_names())

    def keys(self) -> list[str]:
        """The names."""
        return self.child_names()

    def values(self) -> list[Described]:
        """The modules."""
        return self.children()

    def items(self) -> list[tuple[str, Described]]:
        """(name, module), in order."""
        return list(zip(self.child_names(), self.children(), strict=True))

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Adds modules, in place of those that have the names."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"nn.ModuleDict: update expected a dict or pairs, got {type(modules).__name__}")
        for name, module in dict(modules).items():
            self[name] = module

    def pop(self, name: str) -> Described:
        """Takes a module out and gives it."""
        module = self[name]
        del self[name]
        return module

    def clear(self) -> None:
        """Takes all modules out."""
        for name in self.child_names():
            delattr(self, name)


def _checked(table: Custom, module: Any) -> Any:
    """The module. Raises TypeError for None, which is no module in a table, though one in an attribute."""
    if module is None:
        raise TypeError(f"{table.typename()}: expected a module, got None")
    return module


for _kind in (ModuleList, ModuleDict):
    _kind.described_by = describing(_kind)
