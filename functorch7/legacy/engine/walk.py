"""From a tree of mutable objects to one description, with the places of its arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from ... import core
from ...core.tree import Path, join
from ...interop.torch7.schema import grad_name
from ...layers import Concat, ConcatTable, DataParallelTable, MapTable, Sequential
from ...losses.base import Criterion, without_arrays
from ...network import numbers
from ...recurrent import AbstractRecurrent, RecurrentAttention, Repeater, Sequencer
from ...recurrent.sequencer import StartsAnew
from ..tensors.changes import Watcher, watch
from ..tensors.tensor import Tensor
from ..tensors.type_names import dtype_of
from ..tensors.zeros import of_zeros
from .fields import Fields, Untraceable
from .foreign import Place, given_by, in_mode
from .objects import Object, is_whole
from .slots import Slot, state_slots
from .traced_user import description, fields_of

REPEATING = (MapTable, RecurrentAttention, Repeater, Sequencer)
"""What runs a module inside several times in one call."""

HANDING_ON = (Concat, ConcatTable, DataParallelTable, Sequential)
"""Whose `backward` calls that of the modules inside; others' call their updateGradInput and accGradParameters."""


class Walk:
    """The way through a network's objects, from its root: what was found of them, and the network's description.

    `watcher` hears of their changes from then on.
    """

    def __init__(self, root: Object, watcher: Watcher, as_foreign: bool):
        self._watcher = watcher
        self.members: list[Object] = []
        self.places: list[Path] = []
        self.foreign: list[Object] = []
        self.obstacles: dict[int, str] = {}  # why objects among them are called, and not traced
        self.traced: list[Fields] = []  # of users' objects that are
        self.users: list[tuple[Object, list[Tensor]]] = []  # what their own `parameters` gave
        self.numbers: list[tuple[Object, str]] = []  # what calls are given beside the buffers
        self.tensors: tuple[list[Tensor], list[Tensor]] = ([], [])  # parameters, and gradients
        self.called_tensors: tuple[list[Tensor], list[Tensor]] = ([], [])  # of users' modules with own gradients
        self.holders: list[tuple[Object, str] | None] = []  # whose parameters they are
        self.sequencers: list[tuple[Any, list[Slot]]] = []  # objects that count their steps
        self.beginning: list[tuple[Any, list[Object]]] = []  # these, and users' objects inside that forget themselves
        self._occurrences: Counter | None = None
        visit = self._visit_foreign if as_foreign else self._visit
        self.spec, self.params, self.slots = visit(root, bool(root.in_training), ())

    def _visit(
        self, module: Object, mode: bool, path: Path, cell: Object | None = None
    ) -> tuple[core.Module, Any, Any]:
        """(description, tree of parameter numbers, tree of slots) of an object and all inside it.

        `cell` is what uses the arrays alone of the object, and of those inside.
        """
        self._seat(module, path)
        first_user = len(self.foreign)
        if "_spec" in module.__dict__:  # which classes in PyTorch's style derive
            module.__dict__["_spec"] = numbers.compared(module._spec)
        spec = module.own_description()
        if isinstance(spec, Criterion) and is_whole(module):
            module.surround()
            return spec, *without_arrays(spec)
        names = module.child_names()
        uncalled = spec.traits.uncalled  # of which the arrays alone are used, whatever their mode
        inner = [
            self._visit_inside(child, bool(child.in_training), (*path, name), module)
            if name in uncalled
            else self._visit_inside(child, bool(module.in_training), (*path, name), cell)
            for child, name in zip(module.children(), names, strict=True)
        ]
        spec = module.described_with([s for s, _, _ in inner])
        if isinstance(spec, AbstractRecurrent) and uncalled:
            _check_parts(module, spec)
        if module._copies_whole_numbers:
            spec = spec.replace()
            spec._set(own_dtype=dtype_of(module._type).name)
        if isinstance(spec, AbstractRecurrent) and hasattr(spec, "rho"):
            spec = spec.replace(rho=1)  # how many steps are kept is not the program's affair
        own = {name: self._cell(module, name) for name in module.own_parameters()}
        params = join(spec, own, [p for _, p, _ in inner])
        slots = join(spec, {name: Slot(module, name) for name in spec.init_buffers()}, [s for _, _, s in inner])
        if hasattr(spec, "has_memory"):
            if not self._is_repeated(path):
                # What is forgotten between calls is this side's affair, what within a call the description's.
                spec = _remembering(spec)
            self.sequencers.append((module, state_slots(spec, slots)))
            own = [user for user in self.foreign[first_user:] if user.overrides("forget") or user.is_described]
            self.beginning.append((module, own))
        first = len(self.numbers)
        self.numbers += [(module, name) for name in numbers.numbers_of(spec)]
        spec = numbers.bare(spec, first)
        return in_mode(spec, module, mode), params, slots

    def _visit_inside(self, child: Object, mode: bool, path: Path, cell: Object | None) -> tuple[core.Module, Any, Any]:
        """The same of an object inside another. Raises TypeError where a user's methods of it would never run."""
        if cell is None:
            return (self._visit_user if child.is_foreign() else self._visit)(child, mode, path)
        if child.is_foreign():
            raise TypeError(
                f"{cell.title()}: uses the arrays of {child.title()} alone, whose own methods would never run; "
                "what has no gradWeight (gradBias) is not learned"
            )
        return self._visit(child, mode, path, cell)

    def _is_repeated(self, path: Path) -> bool:
        """Whether what is at a place runs several times in a call, because a module around it repeats it."""
        return any(isinstance(module._spec, REPEATING) for module in self._around(path))

    def _is_reached(self, path: Path) -> bool:
        """Whether the network's `backward` calls that of what is at a place."""
        return all(isinstance(module._spec, HANDING_ON) for module in self._around(path))

    def _around(self, path: Path) -> Iterator[Object]:
        """The modules around a place."""
        return (self.members[self.places.index(path[:depth])] for depth in range(len(path)))

    def _visit_user(self, module: Object, mode: bool, path: Path) -> tuple[core.Module, Any, Any]:
        """The same of a user's object: traced if that is possible."""
        try:
            if self._is_repeated(path) or module.is_criterion or self._occurs_again(module):
                raise Untraceable("it is called several times in a call")
            if module._type != self.members[0]._type:
                raise Untraceable("its type is not the network's")
            if module.goes_back_itself() and self._is_reached(path):
                raise Untraceable("it has a backward of its own")
            fields = fields_of(module, [*self._around(path)], self._watcher)
        except Untraceable as obstacle:
            self.obstacles[id(module)] = str(obstacle)
            return self._visit_foreign(module, mode, path)
        self._seat(module, path)
        self.traced.append(fields)
        return in_mode(description(fields), module, mode), self._cells_of(module), {"fields": fields}

    def _occurs_again(self, module: Object) -> bool:
        """Whether an object is at several places of the network."""
        if self._occurrences is None:
            self._occurrences = Counter(map(id, self.members[0]._members()))
        return self._occurrences[id(module)] > 1

    def _visit_foreign(self, module: Object, mode: bool, path: Path) -> tuple[core.Module, Any, Any]:
        self._seat(module, path)
        self.foreign.append(module)
        if module.is_criterion:
            return module.as_foreign(), {}, {}
        by_hand = module.has_own_gradient()
        place = Place(len(self.foreign) - 1, type(module), by_hand, self._is_reached(path))
        if not by_hand:
            return place, self._cells_of(module), {}
        self._take_tensors(module, self.called_tensors)
        return place, {}, {}

    def _take_tensors(self, module: Object, into: tuple[list[Tensor], list[Tensor]]) -> None:
        """Adds what a user's `parameters` gives."""
        self.users.append((module, given_by(module)))
        for mine, theirs in zip(into, module.parameters()[:2], strict=True):
            mine.extend(theirs)

    def _cells_of(self, module: Object) -> dict[str, int]:
        """The parameters that a user's `parameters` gives, by their numbers among them."""
        first = len(self.tensors[0])
        self._take_tensors(module, self.tensors)
        holders = {id(t): (each, name) for each in module._members() for name, t in each._tensors().items()}
        self.holders += [holders.get(id(tensor)) for tensor in self.tensors[0][first:]]
        return {str(i): first + i for i in range(len(self.tensors[0]) - first)}

    def _seat(self, module: Object, path: Path) -> None:
        self.members.append(module)
        self.places.append(path)
        watch(self._watcher, module, *module.listed())

    def _cell(self, module: Object, name: str) -> int:
        tensor, gradient = module.__dict__[name], module.__dict__.get(grad_name(name))
        if gradient is None:  # the user has frozen the parameter, or made none: nobody sees this one
            gradient = of_zeros(tensor.shape, tensor.dtype)
        self.tensors[0].append(tensor)
        self.tensors[1].append(gradient)
        self.holders.append((module, name))
        return len(self.tensors[0]) - 1


def _remembering(spec: Any) -> core.Module:
    """A sequencer's description that starts from the state it is given, and gives its last one."""
    return spec.replace(mode="both") if isinstance(spec, StartsAnew) else spec.remember("both")


def _check_parts(cell: Object, spec: core.Module) -> None:
    """Raises TypeError for parts of a cell, of which it uses the arrays alone, that have become other layers."""
    for part, own in zip(cell.children(), spec.child_modules(), strict=True):
        if part._spec is not None and (given := part.description()) != own:
            expected, found = map(core.title, _first_difference(own, given))
            raise TypeError(
                f"{cell.title()}: expected {expected} to stay, which is computed with the whole step, got {found}"
            )


def _first_difference(one: core.Module, other: core.Module) -> tuple[core.Module, core.Module]:
    """The innermost modules that differ, of the first that do."""
    for pair in zip(one.child_modules(), other.child_modules(), strict=False):
        if pair[0] != pair[1]:
            return _first_difference(*pair)
    return one, other
