"""The fields of a user's object as a traced program knows them: its constants, what it is given, and what it leaves."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax
import numpy as np

from ...checks.errors import Signal
from ...core.types import Tree, Value
from ..tensors.changes import Watcher, watch
from ..tensors.number import only_element
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor
from ..tensors.values import unwrapped
from .forms import Form, Static, frozen, is_constant
from .objects import Object, is_object
from .outside import FIXED, Code, Watched
from .user_classes import users

LEFT = ("output", "gradInput")
"""What every call leaves: found out when it is asked for, as of other modules."""

KEPT = "_lua"
"""The attribute in which an object has its KeptElsewhere."""


class KeptElsewhere:
    """What an object has in place of fields that are not its attributes."""

    names: set[str | float]

    def drop(self, name: str) -> None:
        """Forgets a field."""
        raise NotImplementedError

    def contents(self) -> dict[str | float, object]:
        """These fields."""
        raise NotImplementedError


class Untraceable(Signal):
    """What a user's object has, or does, cannot be traced; the message says what."""


class Given(NamedTuple):
    """A tensor, which a program gets as an array; `alone`: nobody else that the program knows shows its elements."""

    dtype: np.dtype
    alone: bool


class Cell(NamedTuple):
    """A parameter (its number among them), or the gradient of one."""

    number: int
    is_gradient: bool = False


class Absent(NamedTuple):
    """A field that is not there."""


class Inner:
    """A module or criterion in a field: equal by value, so that objects with equal ones share programs.

    `cells` are those of its tensors that are parameters of the user's object: their places, and numbers among these.
    """

    def __init__(self, object: Object, numbers: dict[int, int]):
        self.object = object
        tensors = tensors_of(object)
        self.cells = tuple((i, numbers[id(t)]) for i, t in enumerate(tensors) if id(t) in numbers)
        self._key = (type(object), object.description(), self.cells, tuple(_looks(object)))
        self._set = [(each, each._spec, each.in_training) for each in object._members()]

    def stands(self) -> bool:
        """Whether it is set as it was, and all inside it; of other changes plans are told."""
        return all(each._spec is spec and each.in_training == train for each, spec, train in self._set)

    def arrays(self) -> list:
        """The elements of its tensors; None for those that are parameters of the user's object."""
        theirs = dict(self.cells)
        return [None if i in theirs else tensor.array for i, tensor in enumerate(tensors_of(self.object))]

    def copied(self, arrays: list, params: Tree) -> Object:
        """A copy of the object with these elements; its gradients are zeros."""
        made, numbers = copy.deepcopy(self.object), dict(self.cells)
        for i, (tensor, array) in enumerate(zip(tensors_of(made), arrays, strict=True)):
            tensor.rebind(Storage(params[str(numbers[i])] if i in numbers else array), 0, tensor.shape)
        return made

    def bare(self) -> Inner:
        """Its copy without elements, which a program keeps."""
        made = object.__new__(Inner)
        made.object, made.cells, made._key = copy.deepcopy(self.object), self.cells, self._key
        for each in made.object._members():
            for tensor in each._tensors().values():
                tensor.rebind(Storage.zeros(tensor.shape, tensor.dtype))
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Inner) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


def _looks(object: Object) -> Iterator[tuple]:
    """What a module or criterion and all inside it look like, beside the description."""
    for each in object._members():
        if each.is_foreign() or each._spec is None or each._hooks or not _is_pure(each):
            raise Untraceable(f"it has {each.title()} in a field")
        tensors = each._tensors()
        yield bool(each.in_training), each._type, tuple((name, t.dtype.name, t.shape) for name, t in tensors.items())


def _is_pure(each: Object) -> bool:
    """Whether calls of an object give nothing but their result, and look at no values."""
    traits = each._spec.traits
    stateful = traits.transient or traits.is_step or each._spec.init_buffers()
    return traits.traceable and not (stateful or traits.draws(True) or traits.draws(False) or traits.checks_values)


def tensors_of(object: Object) -> list[Tensor]:
    """The tensors of a module and of all inside it, but for gradients."""
    gradients = set(map(id, object.parameters()[1]))
    found = [tensor for each in object._members() for tensor in each._tensors().values()]
    return [tensor for tensor in found if id(tensor) not in gradients]


Kind = Given | Cell | Absent | Inner | Static
"""What a field is to a program."""


# Before a call -----------------------------------------------------------------------------------------------------


class Fields(Watched):
    """An object's fields of these names: what they are, which programs depend on, and where calls read and leave them.

    Raises Untraceable at first.
    """

    name = "fields"  # of the buffer
    emitted_kind = tensor = None

    def __init__(self, user: Object, code: Code, names: tuple[str, ...], watcher: Watcher):
        self.holder = user
        self._cells = {id(t): Cell(i, g) for g in (False, True) for i, t in enumerate(user.parameters()[:2][g])}
        self.fields: dict[str, Kind] = {}
        self._storages: set[int] = set()
        for name in names:
            self.fields[name] = self._kind(value_of(user, name))
        for name in likely(user, code):
            if name not in self.fields:
                with contextlib.suppress(Untraceable):
                    self.fields[name] = self._kind(value_of(user, name))
        for kind in self.fields.values():
            if isinstance(kind, Inner):
                watch(watcher, *kind.object._members())
        if left := self._tables_left():
            raise Untraceable(f"it has a table of its own in {left}")
        self._values = self.values()
        self.key = tuple((name, k.bare() if isinstance(k, Inner) else k) for name, k in self.fields.items())

    def values(self) -> list:
        user, own = self.holder, self.holder.__dict__
        if KEPT in own:
            return [*(value_of(user, name) for name in self.fields), self._tables_left()]
        return [*[own[name] if name in own else value_of(user, name) for name in self.fields], ""]

    def frozen(self, values: list) -> tuple:
        """The kinds of the fields, and why they cannot be traced, if so."""
        self._storages.clear()
        fields = zip(self.fields.items(), self._values, values, strict=False)
        try:
            kinds = [
                pair if now is was and type(now) in FIXED else (pair[0], self._kind(now, pair[1]))
                for pair, was, now in fields
            ]
        except Untraceable as obstacle:
            return (str(obstacle),)
        return (*kinds, values[-1])

    def _tables_left(self) -> str:
        kept = self.holder.__dict__.get(KEPT)
        return "" if kept is None else " and ".join(sorted(kept.names.intersection(LEFT)))

    def _kind(self, value: Any, then: Kind | None = None) -> Kind:
        """What a field is, which was `then`."""
        if isinstance(value, Tensor):
            if id(value) in self._cells:
                return self._cells[id(value)]
            alone = value._is_whole() and id(value.storage_) not in self._storages
            self._storages.add(id(value.storage_))
            return Given(value.dtype, alone)
        if value is Absent:
            return Absent()
        if is_object(value):
            if isinstance(then, Inner) and then.object is value and then.stands():
                return then
            return Inner(value, {place: cell.number for place, cell in self._cells.items() if not cell.is_gradient})
        if is_constant(value):
            return frozen(value)
        kind = "table or function of Lua's" if isinstance(value, KeptElsewhere) else type(value).__name__
        raise Untraceable(f"it has a {kind} in a field")

    def read(self) -> dict[str, Value]:
        """What a call is given of them."""
        found: dict[str, Value] = {}
        for name, kind in self.fields.items():
            if isinstance(kind, Given):
                found[name] = self.holder.__dict__[name].array
            elif isinstance(kind, Inner):
                found[name] = kind.arrays()
        return found

    def write(self, value: dict[str, Taken]) -> None:
        """Puts into the object what a call has left."""
        for name, taken in value.items():
            taken.put(self.holder, name)


def value_of(user: object, name: str) -> object:
    """What a user's object holds under a name: its own, or a constant of its class."""
    fields = user.__dict__
    kept = fields.get(KEPT)
    if kept is not None and name in kept.names:
        return kept
    if name in fields:
        return fields[name]
    for base in users(type(user)):
        if name in vars(base):
            return vars(base)[name]
    return Absent


def likely(user: object, code: Code) -> list[str]:
    """Which fields the methods will ask for, as far as their code tells, of those that it does not set itself."""
    named = [name for name in code.reads if name not in code.sets and name not in (*LEFT, "train")]
    return [name for name in named if _may_be_given(value_of(user, name))]


def _may_be_given(value: object) -> bool:
    return isinstance(value, Tensor) or is_object(value) or is_constant(value)


# After a call -------------------------------------------------------------------------------------------------------


@jax.tree_util.register_dataclass
@dataclass
class Taken:
    """A value that a field has got in a program: its arrays, and what they are in it."""

    arrays: list
    form: Form = field(metadata={"static": True})
    are_numbers: tuple[bool, ...] = field(metadata={"static": True})  # as what has no dimensions is in Torch
    in_place: bool = field(metadata={"static": True})  # whether a tensor that was there has got other elements

    @classmethod
    def of(cls, name: str, value: Value, in_place: bool) -> Taken:
        """Raises Untraceable for what is no tensor, number or constant, nor a table of them."""
        for leaf in jax.tree.leaves(value):
            is_number = isinstance(leaf, jax.Array) and not leaf.shape
            if not (isinstance(leaf, Tensor) or is_number or is_constant(leaf)):
                raise Untraceable(f"it sets {name} to a {type(leaf).__name__}")
        form, arrays = Form.of(value)
        are_numbers = tuple(not each.shape for each in arrays)
        return cls(unwrapped(arrays), form, are_numbers, in_place)

    def put(self, user: object, name: str) -> None:
        """Gives the field of an object this value."""
        held: Any = user.__dict__.get(name)
        if self.in_place:
            array = self.arrays[0]
            array = array if array.dtype == held.dtype else np.asarray(array).astype(held.dtype)
            if array.shape != held.shape:
                held.resize(*array.shape)
            held.array = array
        else:
            pairs = zip(self.arrays, self.are_numbers, strict=True)
            user.__dict__[name] = self.form.filled(only_element(a) if is_number else a for a, is_number in pairs)
            kept = user.__dict__.get(KEPT)
            if kept is not None and name in kept.names:
                kept.drop(name)
