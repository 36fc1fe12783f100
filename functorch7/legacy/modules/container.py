"""Containers: modules that hold others."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

from ... import core
from ...checks.numbers import position, whole
from ...core.types import Value
from ..objects.described import Described
from .module import Module


class Container(Module, describes=core.Container):
    """A module that holds others in the Python list `modules`; positions count from 1 in its methods.

    Source: nn/doc/containers.md.
    """

    def add(self, module: Module) -> Self:
        """Appends a module; returns the container. Raises TypeError for anything else."""
        self.modules.append(module)
        return self

    def extend(self, *modules: Module | Iterable[Module]) -> Self:
        """Appends several modules, or those of a list; returns the container."""
        given: Any = modules[0] if len(modules) == 1 and isinstance(modules[0], (list, tuple)) else modules
        for module in given:
            self.add(module)
        return self

    def get(self, index: int, *more: int) -> Value:
        """The module at a position from 1, or backwards from -1; further positions look inside. None if there is none.

        Raises: TypeError for anything but a whole number.
        """
        index = whole(self.typename(), "index", index)
        place = index - 1 if index > 0 else index + len(self.modules)
        found = self.modules[place] if index and 0 <= place < len(self.modules) else None
        return found.get(*more) if more and found is not None else found

    def size(self) -> int:
        """The number of modules."""
        return len(self.modules)

    def insert(self, module: Module, index: int | None = None) -> None:
        """Puts a module before the one at `index` (at the end by default). Raises IndexError beyond the end."""
        index = len(self.modules) + 1 if index is None else whole(self.typename(), "index", index)
        if not 1 <= index <= len(self.modules) + 1:
            raise IndexError(f"{self.title()}: index should be contiguous to existing modules, got {index}")
        self.modules.insert(index - 1, module)

    def remove(self, index: int | None = None) -> None:
        """Takes out the module at `index` (the last by default). Raises IndexError if there is none."""
        index = len(self.modules) if index is None else whole(self.typename(), "index", index)
        if not 1 <= index <= len(self.modules):
            raise IndexError(f"{self.title()}: index out of range, got {index} of {len(self.modules)} modules")
        del self.modules[index - 1]

    def applyToModules(self, func: Callable) -> None:
        """Calls func(module) on each module, not on those inside it."""
        for module in list(self.modules):
            func(module)

    def rethrowErrors(self, module: Module, moduleIndex: int, funcName: str, *args: Any) -> Any:
        """Calls a method of the module at an index; errors say "In 2 module of nn.Sequential:"."""
        if self.get(moduleIndex) is not module:
            raise ValueError(f"{self.title()}: mismatch between moduleIndex and self.modules in rethrowErrors")
        try:
            return getattr(module, funcName)(*args)
        except Exception as error:
            error.add_note(f"In {moduleIndex} module of {self.typename()}:")
            raise

    def __getitem__(self, index: int | slice | str) -> Described:
        """PyTorch's `net[0]`: as in the list `modules`, positions count from 0; a slice is a container of these.

        `net["conv1"]` is the module of this name, anywhere inside.
        """
        if isinstance(index, str):
            return super().__getitem__(index)
        if not isinstance(index, slice):
            return self.modules[self._place(index)]
        made = object.__new__(self.outer_class)
        made._take(self._spec.replace(modules=()), [])
        return made.extend(*self.modules[index])

    def __setitem__(self, index: int, module: Module) -> None:
        self.modules[self._place(index)] = module

    def __delitem__(self, index: int | slice) -> None:
        del self.modules[self._place(index)]

    def _place(self, index: int | slice) -> Any:
        return index if isinstance(index, slice) else position(self.typename(), index, len(self.modules))

    def __iter__(self) -> Iterator[Described]:
        return iter(self.modules)

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        return len(self.modules)
