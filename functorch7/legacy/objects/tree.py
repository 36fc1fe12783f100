"""Modules inside modules: lists of them, modes, search and replacement."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Self, SupportsIndex

from ...core.tree import by_position
from ...core.types import Value
from ...interop.torch7.names import KIN
from ..tensors.changes import changed
from .described import Described
from .mode import Mode, ModeField, switch


class ModuleList(list):
    """A container's modules: a Python list that notes its changes and accepts only modules.

    Like a Lua table, it may be filled and emptied in any order: a module after a gap is in the list once the gap is
    filled.
    """

    _seats: Value = ()

    def __init__(self, owner: str, modules: Iterable = ()):
        super().__init__(_checked(owner, module) for module in modules)
        self.owner = owner
        self._ahead: dict[int, Described] = {}

    def get(self, place: int) -> Described | None:
        """The module at a place, also after a gap; None if there is none."""
        return self[place] if 0 <= place < len(self) else self._ahead.get(place)

    def put(self, place: int, module: Described | None) -> None:
        """Puts a module at a place; None leaves a gap there."""
        if module is None:
            self._leave_gap(place)
            return
        if place < len(self):
            self[place] = module
            return
        self._ahead[place] = _checked(self.owner, module)
        while len(self) in self._ahead:
            self.append(self._ahead.pop(len(self)))

    def _leave_gap(self, place: int) -> None:
        self._ahead.pop(place, None)
        if 0 <= place < len(self):
            self._ahead.update(enumerate(self[place + 1 :], place + 1))
            del self[place:]

    def __reduce__(self):
        return ModuleList, (self.owner, list(self))

    def append(self, module: Described) -> None:
        self.insert(len(self), module)

    def extend(self, modules: Iterable) -> None:
        for module in list(modules):  # which may be this very list
            self.append(module)

    def __iadd__(self, modules: Iterable) -> Self:
        self.extend(modules)
        return self

    def insert(self, index: SupportsIndex, module: Described) -> None:
        super().insert(index, _checked(self.owner, module))
        changed(self)

    def __setitem__(self, index: SupportsIndex, value: Value) -> None:
        if isinstance(index, slice):
            super().__setitem__(index, [_checked(self.owner, module) for module in value])
        else:
            super().__setitem__(index, _checked(self.owner, value))
        changed(self)


def _noting_change(name: str) -> None:
    def method(self: ModuleList, *args: Any, **options: Any) -> Any:
        changed(self)
        return getattr(list, name)(self, *args, **options)

    setattr(ModuleList, name, method)


for _name in ("__delitem__", "pop", "remove", "clear", "reverse", "sort"):
    _noting_change(_name)


def _checked(owner: str, module: Any) -> Any:
    if isinstance(module, Tree) and module.takes_an_input:
        return module
    hint = "; call it" if isinstance(module, type) and issubclass(module, Tree) else ""
    raise TypeError(f"{owner}: expected a module, got {module!r}{hint}")


class Tree(Described):
    """The part of Module that deals with the modules inside."""

    modules: Value
    train = ModeField()
    _copies_whole_numbers = False
    """Whether it returns whole numbers in its own type, as Torch copies them into a tensor of that type."""
    takes_an_input = True
    """Whether it can be in a list of modules; a criterion also takes a target."""

    @property
    def in_training(self) -> bool:
        """Whether it is in training mode: `train` as a plain boolean."""
        found = self.__dict__.get("train")
        return type(self).train if found is None else found

    def children(self) -> list[Described]:
        """The modules inside. A layer of a program's may have a field `modules` that is one module, not a list."""
        found = self.__dict__.get("modules")
        return found if isinstance(found, list) else []

    def listed_inside(self) -> list[Described]:
        """The modules inside that Torch lists, including those that are part of this one's description."""
        return self.children()

    def listed(self) -> list:
        """What else determines this module's structure: the list of the modules inside."""
        inside = self.__dict__.get("modules")
        return [inside] if isinstance(inside, ModuleList) else []

    def _parts(self) -> list[Described]:
        return list({id(part): part for part in (*super()._parts(), *self.children())}.values())

    def training(self, isTraining: bool = True) -> Self:
        """Switches to training mode, or, given False, to evaluation mode."""
        mode = bool(isTraining) if isinstance(isTraining, Mode) else isTraining
        return self.evaluate() if mode is False else self._in_mode(mode)

    def evaluate(self, dataset: Value = None, methods: Value = None, batchSize: int | None = None) -> Value:
        """Without arguments, switches to evaluation mode. With a data set, BigDL's [(result, method)] in that mode.

        The data set is an iterable of (input, target); with a batchSize, all inputs and all targets; or a loader of
        `functorch7.data`. The methods are those of `optim`: Top1Accuracy(), Top5Accuracy(), Loss(criterion), MAE().
        Afterwards every module is in the mode that it was in (BigDL leaves it in evaluation mode). Raises TypeError for
        a data set without methods, and what `functorch7.training.evaluate` raises, of which the rest holds, too.
        """
        given = dataset is not None or methods is not None
        return self._measured(dataset, methods, batchSize) if given else self._in_mode(False)

    def _in_mode(self, train: bool) -> Self:
        if not isinstance(train, bool):
            raise ValueError(f"{self.title()}: training mode is expected to be boolean, got {train!r}")
        for module in self.children():
            module.training() if train else module.evaluate()
        if self.in_training != train:
            if hasattr(type(self._spec), "has_memory") and hasattr(self._spec, "has_memory"):
                self.forget()
            switch(self, train)
        return self

    def apply(self, callback: Callable[[Value], Value]) -> Self:
        """Calls callback(module) on this module and on all inside, outer ones first; returns the module."""
        callback(self)
        for module in list(self.listed_inside()):
            module.apply(callback)
        return self

    def replace(self, callback: Callable[[Value], Value]) -> Described:
        """callback(module) for this module and all inside, which are replaced by what it returns."""
        made = callback(self)
        for i, module in enumerate(self.children()):
            new = module.replace(callback)
            if new is not module:
                if not by_position(self._spec) and not hasattr(self._spec, "modules"):
                    raise TypeError(f"{self.title()}: the modules inside are given by its arguments")
                self._put_child(i, new)
        return made

    def _put_child(self, index: int, module: Any) -> None:
        self.children()[index] = module

    def _members(self) -> list[Described]:
        """This module and all inside that have a state of their own, outer ones first."""
        return [self, *(found for module in self.children() for found in module._members())]

    def listModules(self) -> list[Described]:
        """This module and all inside, outer ones first."""
        return [self, *(found for module in self.listed_inside() for found in module.listModules())]

    def findModules(self, typename: str) -> tuple[list, list]:
        """The modules of exactly this type, and for each the container that it is in; cudnn's types are nn's."""
        nodes, containers = ([self], [self]) if self.typename() in (typename, KIN.get(typename)) else ([], [])
        for module in self.listed_inside():
            inner, around = module.findModules(typename)
            nodes += inner
            containers += [self if node is module and c is module else c for node, c in zip(inner, around, strict=True)]
        return nodes, containers
