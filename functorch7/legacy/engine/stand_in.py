"""What a user's methods run on while a program is traced: an object of their class, its tensors traced."""

from __future__ import annotations

from collections.abc import Iterable
from types import FunctionType
from typing import Any, NoReturn

import jax
import numpy as np

from ...core.types import Tree
from ..tensors.kinds import Sizes
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor
from .fields import LEFT, Absent, Cell, Given, Inner, Kind, Taken, Untraceable, tensors_of
from .forms import Static, frozen, is_constant, thawed
from .known_users import OtherwiseThanPlanned, known
from .objects import Object
from .user_classes import stand_in_class, users


def _is_unset() -> NoReturn:
    raise Untraceable("it reads what its last call has left in output or gradInput")


class Unset(Tensor):
    """`output` or `gradInput` before a call has written it: it takes sizes and elements, and shows none."""

    __slots__ = ()

    def __init__(self, dtype: np.dtype | str):
        self._bind(Storage(make=_is_unset, shape=(0,), dtype=dtype))

    def resize(self, *sizes: Sizes) -> Tensor:
        """Takes sizes; the elements are still to come."""
        made = np.broadcast_to(np.False_, ()) if not sizes else Tensor.typed(np.dtype(np.uint8)).resize(*sizes)
        self._bind(Storage(make=_is_unset, shape=made.shape, dtype=self.dtype))
        return self


class StandIn:
    """Comes before a user's class: fields are looked for among those that the program was given."""

    def __getattribute__(self, name: str) -> object:
        fields = object.__getattribute__(self, "__dict__")
        if name in fields:
            return fields[name]
        if name.startswith("__"):
            return object.__getattribute__(self, name)
        return fields["_run"].found(self, name)

    def __setattr__(self, name: str, value: object) -> None:
        fields = object.__getattribute__(self, "__dict__")
        if name in fields["_run"].refused:
            raise Untraceable(f"it sets {name}")
        held = fields.get(name)
        if isinstance(value, (np.ndarray, jax.Array)) and isinstance(held, Tensor):
            value = Tensor.of(value)
        fields[name] = value

    def __delattr__(self, name: str) -> None:
        raise Untraceable(f"it deletes {name}")


class Run:
    """One run of a user's methods on a stand-in, `user`, whose class and fields are of these kinds."""

    def __init__(
        self, kind: type, fields: Iterable[tuple[str, Kind]], dtype: str, params: Tree, given: Tree, *,
        train: bool | None, by_hand: bool,
    ):  # fmt: skip
        self.kind, self.fields, self.dtype, self.by_hand = kind, dict(fields), dtype, by_hand
        self.refused: tuple[str, ...] = ("train", "modules")
        self.given: dict[str, tuple[object, tuple]] = {}  # what was handed out by name, and what it held
        self.params, self.arrays = params, given
        self.user: Object = object.__new__(stand_in_class(self.kind, StandIn, __module__=__name__))
        self.user.__dict__.update(_run=self, train=train, **{name: Unset(self.dtype) for name in LEFT})

    def found(self, user: object, name: str) -> object:
        """What the user's code finds under a name that it has not set itself."""
        kind = self.fields.get(name)
        if kind is not None and not isinstance(kind, Absent):
            value = self._handed_out(name, kind)
            user.__dict__[name] = value
            return value
        for base in users(self.kind):
            found: Any = vars(base).get(name)
            if isinstance(found, (FunctionType, property, staticmethod, classmethod)):
                return found.__get__(user, type(user))
        if any(name in vars(base) for base in _ours(self.kind)):
            raise Untraceable(f"it uses {name} of nn.Module")
        if name in self.fields:
            raise AttributeError(f"{self.kind.__name__!r} object has no attribute {name!r}")
        known(self.kind).names += (name,)
        raise OtherwiseThanPlanned(self.kind)

    def _handed_out(self, name: str, kind: Cell | Given | Inner | Static) -> object:
        if isinstance(kind, Cell):
            value = self._parameter(kind)
        elif isinstance(kind, Given):
            if kind.dtype == np.float64 != np.dtype(self.dtype):
                raise Untraceable(f"it has a DoubleTensor in {name}")
            value = Tensor.of(self.arrays[name])
        elif isinstance(kind, Inner):
            if kind.cells and self.by_hand:
                raise Untraceable(f"its parameters are those of {name}")
            value = kind.copied(self.arrays[name], self.params)
        else:
            return thawed(kind)
        self.given[name] = (value, _held(value))
        return value

    def _parameter(self, cell: Cell) -> Tensor:
        array = self.params[str(cell.number)]
        return Tensor.of(jax.numpy.zeros_like(array) if cell.is_gradient else array)

    def changes(self) -> dict[str, Taken]:
        """What the user's code has left in the fields, but for output and gradInput. Raises Untraceable."""
        found, storages = {}, set()
        for name, value in self.user.__dict__.items():
            if name in (*LEFT, "_run", "train"):
                continue
            given, held = self.given.get(name, (Absent, ()))
            if given is value:
                if not is_same(_held(value), held):
                    kind = self.fields[name]
                    if isinstance(kind, Cell) and kind.is_gradient:
                        continue
                    if not (isinstance(kind, Given) and kind.alone):
                        raise Untraceable(f"it changes {name} in place")
                    found[name] = Taken.of(name, value, True)
            elif not (isinstance(self.fields.get(name), Static) and is_constant(value)):
                found[name] = Taken.of(name, value, False)
            elif frozen(value) != self.fields[name]:
                found[name] = Taken.of(name, value, False)
            if isinstance(value, Tensor) and name in found:
                if id(value.storage_) in storages:
                    raise Untraceable(f"it has set {name} to a view of another field")
                storages.add(id(value.storage_))
        return found

    def held(self) -> dict[str, tuple]:
        """What is in the tensors that are fields."""
        return {name: _held(value) for name, value in self.user.__dict__.items() if type(value) is Tensor}


def _ours(kind: type) -> list[type]:
    theirs = set(users(kind))
    return [base for base in kind.__mro__ if base not in theirs and base is not object]


def _held(value: Tensor | Object) -> tuple:
    """What is in a tensor, or in a module or criterion and all inside it, that its users could change."""
    if isinstance(value, Tensor):
        return value.storage_, value.offset, value.shape, value.strides_, value.storage_.array
    members = value._members()
    return (
        *(part for each in members for part in (each._spec, each.in_training)),
        *(tensor.storage_._array for tensor in tensors_of(value)),
        all(gradient.storage_.is_zero for gradient in value.parameters()[1]),
    )


def is_same(one: tuple, other: tuple) -> bool:
    """Whether what `_held` gave is still there."""
    return len(one) == len(other) and all(
        a is b or (isinstance(a, tuple | int) and a == b) for a, b in zip(one, other, strict=True)
    )
