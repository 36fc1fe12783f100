"""A criterion's parts: criterions and modules inside it, and tensors among its arguments."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from ... import core, losses
from ...core.types import Value
from ...network import numbers
from ..objects.described import Described
from ..objects.given import Given, taken_from
from ..tensors.tensor import Tensor
from .members import FIELDS, OfObject, attribute, holds
from .module import Module


class CriterionParts(Module):
    """The part of Criterion that makes the objects inside, and describes their present state."""

    is_criterion = True
    criterion: Any
    criterions: Any
    inputModule: Any
    targetModule: Any
    _by_plan = False
    """Whether it has, or may have, arrays or modules inside, so that it runs as a network does."""
    _arrays: list[str] = []
    _holding: tuple[str, ...] = ()
    """The description's fields that hold criterions and modules."""
    _stands_alone = False
    """Whether its description contains neither arrays nor descriptions of other objects."""

    def _take_children(self, spec: core.Module, given: Given) -> None:
        """Makes the objects inside that were not given."""
        values = {field.name: getattr(spec, field.name) for field in fields(spec)}  # type: ignore[arg-type]
        self.__dict__["_holding"] = tuple(name for name, value in values.items() if name in FIELDS or holds(value))
        for name in self._holding:
            if attribute(name) not in self.__dict__:
                value = values[name]
                made = [_object(each, given) for each in value] if isinstance(value, tuple) else _object(value, given)
                self.__dict__[attribute(name)] = made

    def _take(self, spec: core.Module, given: Given) -> None:
        """Becomes the object of a description, with fresh arrays; those among its arguments become tensors.

        The tensor of an argument that stays is the same: what has been written to it counts.
        """
        before, had = self.__dict__.get("_spec"), {name: self.__dict__.pop(name) for name in self._arrays}
        super()._take(spec, given)
        self.__dict__["_arrays"] = self._array_fields()
        for name in self._arrays:
            value = getattr(spec, name)
            stays = name in had and getattr(before, name) == value
            self.__dict__[name] = had[name] if stays else self._made(np.array(value))
        modules = isinstance(spec, (losses.LearnedCriterion, losses.ModuleCriterion))
        self.__dict__["_by_plan"] = modules or bool(self.own_parameters() or spec.init_buffers())
        self.__dict__["_stands_alone"] = not (self._arrays or self._holding or self._parts_described())

    def _hold(self, given: Mapping[str, Any]) -> None:
        """Keeps the given tensors themselves for its arrays if they are of its type, as in Torch: writing to them
        counts.
        """
        for name in self._arrays:
            tensor, made = given.get(name), self.__dict__[name]
            if isinstance(tensor, Tensor) and (tensor.dtype, tensor.shape) == (made.dtype, made.shape):
                self.__dict__[name] = tensor

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if isinstance(value, Tensor):
            self._hold({name: value})

    def __delattr__(self, name: str) -> None:
        if name in self._arrays:  # Lua's nil takes the default, which is none
            setattr(self, name, None)
        else:
            super().__delattr__(name)

    def _array_fields(self) -> list[str]:
        return [name for name, value in vars(self._spec).items() if isinstance(value, core.Const)]

    def children(self) -> list[Described]:
        """The criterions and modules inside."""
        if not self._holding:
            return []
        found: list[Any] = []
        for name in self._holding:
            inside = self.__dict__[attribute(name)]
            found += inside if isinstance(inside, list) else [inside]
        return [each for each in found if isinstance(each, Module)]

    def child_names(self) -> list:
        """Their positions (from 0) or names in the description."""
        return [] if self._spec is None else list(core.tree.child_names(self.own_description()))

    def members(self) -> list:
        """The criterions inside."""
        return [each for each in self.children() if each.is_criterion]

    def description(self) -> Value:
        """The immutable description with the tensors' present values and everything inside."""
        return OfObject(self) if self._spec is None or self._is_users() else self.own_description()

    def own_description(self) -> Value:
        """The description, regardless of a user's methods."""
        if self._stands_alone:
            return self._spec
        inside = [each.description() for each in self._parts_described()]
        made_of = [self._spec, *(self.__dict__[name].array for name in self._arrays), *inside]
        weights = list(self.__dict__.get("weights", ())) if self._holding else []
        before, were, made = self.__dict__.get("_described_before", ((), [], None))
        if len(made_of) != len(before) or weights != were or not all(map(operator.is_, made_of, before)):
            made = numbers.tuned(self.described_with(inside), made)
            self.__dict__["_described_before"] = (made_of, weights, made)
        return made

    def _parts_described(self) -> list[Any]:
        """The objects whose descriptions are parts of this one's."""
        return self.children()

    def described_with(self, inside: list) -> Value:
        """The description with these in place of the modules inside."""
        rest = iter(inside)
        return self._described(lambda _: next(rest))

    def _described(self, of: Callable[[Any], Any]) -> Any:
        """The description, in which `of` describes the criterions and modules inside."""
        if not self._arrays and not self._holding:
            return self._spec
        changes: dict[str, Any] = {name: core.Const(self.__dict__[name]) for name in self._arrays}

        def described(each: Any) -> Any:
            return of(each) if isinstance(each, Module) else each

        for name in self._holding:
            inside = self.__dict__[attribute(name)]
            changes[name] = tuple(map(described, inside)) if isinstance(inside, list) else described(inside)
        return self._spec.replace(**changes)

    def attribute_values(self) -> list[Value]:
        """Itself, which is inspected, as tensors change without notice."""
        return [self]

    def own_attributes(self) -> tuple:
        """What a plan compares before each call, as tensors among the arguments are constants of its program."""
        own = self._described(lambda inside: OfObject(inside) if inside._spec is None else inside._spec)
        return (own, *map(id, self.children()))


def _object(value: Any, given: Given) -> Any:
    return taken_from(given, value) if isinstance(value, core.Module) else value
