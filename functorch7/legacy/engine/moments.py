"""What users' objects were like after each of several calls, for the way back: Torch has a clone for every step."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import jax
from jax import lax
from jax.core import Tracer

from ... import core
from ...checks.tables import leaves
from ..tensors.number import only_element
from ..tensors.tensor import Tensor
from .objects import Object, is_object

Result = TypeVar("Result")

Added = list[tuple[Tensor, Tensor]] | None
"""What a way back adds to each gradient of a parameter; None if accGradParameters adds."""

OWN = ("_plans", "_seats", "_moment", "_pending")
"""What does not change from call to call."""


@jax.tree_util.register_static
class Moment:
    """An object after one call of its updateOutput, as long as the way back of this call may still come.

    Fields are noted only when the object is called again before; so one that is called once costs nothing.
    """

    def __init__(self, user: Object):
        self.user = user
        self.fields: list[tuple[dict, dict]] | None = None
        self.is_past = False  # whether its way back has been gone
        self.added: Added = None

    def note(self) -> None:
        """Notes what the object is like."""
        if self.fields is None:
            self.fields = _noted(self.user)

    def returned(self) -> bool:
        """Makes the object as it was then; False if that is not known any more."""
        latest = _latest(self.user)
        self.is_past = True
        if latest is self:
            return True
        if latest is not None:
            latest.fields = _noted(self.user)  # with what its way back has left, such as gradInput
        self.user.__dict__["_moment"] = weakref.ref(self)
        for fields, then in self.fields or ():
            fields.update(then)
        return self.fields is not None


@jax.tree_util.register_static
class Step(Moment):
    """A step of an object that keeps what its steps have left itself, and goes back through them in turn."""

    def returned(self) -> bool:
        if not self.is_past:
            self.user.show_step_due()
        self.is_past = True
        return True


def _latest(user: Object) -> Moment | None:
    found = user.__dict__.get("_moment")
    return None if found is None else found()


def called_at(user: Object, call: Callable[[], Result]) -> tuple[Result, Moment]:
    """The result of a call of an object's method, and the moment after it."""
    if user.keeps_steps or user.goes_by_steps():
        return call(), Step(user)
    latest = _latest(user)
    if latest is not None and not latest.is_past:
        latest.note()
    result = call()
    moment = Moment(user)
    user.__dict__["_moment"] = weakref.ref(moment)
    return result, moment


@contextmanager
def on_copies(user: Object) -> Iterator[None]:
    """A block in which an object's fields hold copies; afterwards they hold what they held, as it was."""
    noted = _noted(user)
    before = [{name: fields[name] for name in then} for fields, then in noted]
    try:
        for fields, then in noted:
            fields.update(then)
        yield
    finally:
        for (fields, _), held in zip(noted, before, strict=True):
            fields.update(held)


def _noted(user: Object) -> list[tuple[dict, dict]]:
    """The fields of an object, and of the modules and criterions among them, with what they hold now.

    Parameters and gradients are as they are: Torch's clones share them.
    """
    kept, memo = {id(t) for pair in user.parameters()[:2] for t in pair}, {}
    return [
        (fields, {name: v if id(v) in kept else _copied(v, memo) for name, v in fields.items() if name not in OWN})
        for fields in _fields_of(user)
    ]


def _fields_of(user: Object) -> Iterator[dict]:
    """The fields of an object, and of the modules and criterions among them."""
    waiting, seen = [user], {id(user)}
    while waiting:
        fields = waiting.pop().__dict__
        for value in leaves({name: value for name, value in fields.items() if name not in OWN}):
            if is_object(value) and id(value) not in seen:
                seen.add(id(value))
                waiting.append(value)
        yield fields


def settle(user: Object) -> None:
    """Leaves in fields the bare values of what a method has put there while it was differentiated."""
    for fields in _fields_of(user):
        fields.update({name: _settled(value, ()) for name, value in fields.items() if name not in OWN})


def _settled(value: Any, around: tuple[int, ...]) -> Any:
    """A value without tangents; in tensors, lists and dicts in place."""
    if isinstance(value, Tensor):
        held = value.storage_
        if isinstance(held._array, Tracer):
            held.array = lax.stop_gradient(held._array)
            return value if value.shape else only_element(held.array)
    elif isinstance(value, Tracer):
        bare = lax.stop_gradient(value)
        return only_element(bare) if core.is_concrete(bare) and not bare.shape else bare
    elif type(value) in (list, tuple, dict) and id(value) not in around:
        pairs = value.items() if type(value) is dict else enumerate(value)
        settled = [(place, _settled(each, (*around, id(value)))) for place, each in pairs]
        if type(value) is tuple:
            return tuple(each for _, each in settled)
        for place, each in settled:
            value[place] = each
    return value


def _copied(value: Any, memo: dict) -> Any:
    """A value with copies of the tensors in it, whose elements are copied when they are written to."""
    if isinstance(value, Tensor):
        return value.__deepcopy__(memo)
    if type(value) in (list, tuple):
        return type(value)(_copied(each, memo) for each in value)
    if type(value) is dict:
        return {name: _copied(each, memo) for name, each in value.items()}
    return value
