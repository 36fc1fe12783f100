"""What plans and calls ask of the objects that they are made for: modules and criterions, users' own among them.

These classes are for type checkers, to which those of `objects` are made of them. They only say which fields and
methods there are; what these do stands where they are defined. Plain classes are made sooner than protocols.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self, TypeGuard

from ... import core
from ...core.types import Scalar, Value
from ..tensors.tensor import Tensor
from .registered import Registered, Titled
from .terms import Term


class PullBacks(list):
    """(input, gradOutput, moment) of a user's object's ways back; `scale` is that of the network's `backward`.

    None where its updateGradInput asks for them.
    """

    scale: Scalar | None = None

    def begin(self, scale: Scalar | None) -> None:
        """Drops those of another call of the network."""
        self.clear()
        self.scale = scale


class Passing:
    """An object whose class says whether gradients come to its input."""

    @classmethod
    def _passes_no_gradient(cls) -> bool: ...


class Parametrised:
    """What gives its learnable tensors, as users' classes may in their own way."""

    parameters: Callable[[], tuple[list[Tensor], list[Tensor]]]


class Holder:
    """An object that keeps the state between its calls: saved arrays as tensors under their names, all else apart."""

    _state: dict[str, Any]
    _spec: Any


class Object(Titled, Passing, Parametrised, Holder):
    """A module or criterion, or one that a user has written; `_spec` is None where the description is not known."""

    train: Value
    is_criterion: bool
    output: Value
    gradInput: Value
    is_stand_in: bool
    keeps_steps: bool
    is_described: bool
    _type: str
    _hooks: Sequence[Registered]
    _by_plan: bool
    _copies_whole_numbers: bool

    def goes_by_steps(self) -> bool:
        """Whether each call is a step of a recurrence, which it goes back through in turn."""
        ...

    @property
    def in_training(self) -> bool:
        """Whether it is in training mode."""
        ...

    @property
    def pending_pull_backs(self) -> PullBacks:
        """Ways back whose accGradParameters is still to come."""
        ...

    # The modules inside, with their positions or names in the description; all with a state of their own; what else
    # holds the structure.
    children: Callable[[], Sequence[Self]]
    child_names: Callable[[], list]
    _members: Callable[[], list[Self]]
    listed: Callable[[], list]

    description: Callable[[], core.Module]
    own_description: Callable[[], core.Module]
    described_with: Callable[[list], core.Module]
    as_foreign: Callable[[], core.Module]

    own_parameters: Callable[[], list[str]]
    term_of: Callable[[str], Term]
    call_tensors: Callable[[], list[Tensor]]
    _tensors: Callable[[], dict[str, Tensor]]

    is_foreign: Callable[[], bool]
    has_own_gradient: Callable[[], bool]
    adds_nothing: Callable[[], bool]
    overrides: Callable[[str], bool]
    goes_back_itself: Callable[[], bool]

    updateOutput: Callable[[Value], Value]
    updateGradInput: Callable[[Value, Value], Value]
    accGradParameters: Callable[[Value, Value, float], None]
    accUpdateGradParameters: Callable[[Value, Value, float], None]
    gone_back: Callable[[Value, Value, Scalar | None], tuple[Value, Value]]
    go_through_pending: Callable[..., None]

    _steps: Callable[[], Any]
    begin_sequence: Callable[[bool], None]
    show_step_due: Callable[[], None]


class Whole(Object):
    """A criterion that is computed without asking those inside, which show what it has found."""

    surround: Callable[[], None]


class Attributed(Object):
    """An object with attributes that may change without notice: as they are, and what is compared before each call."""

    attribute_values: Callable[[], list]
    own_attributes: Callable[[], tuple]


def is_object(value: object) -> TypeGuard[Object]:
    """Whether a value is a module or a criterion."""
    return hasattr(type(value), "is_criterion")


def is_whole(module: Object) -> TypeGuard[Whole]:
    """Whether a criterion is computed as a whole."""
    return not module._by_plan


def has_attributes(module: Object) -> TypeGuard[Attributed]:
    """Whether the object's class has attributes that may change without notice."""
    return hasattr(type(module), "own_attributes")
