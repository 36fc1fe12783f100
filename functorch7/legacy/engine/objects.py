"""What plans and calls ask of the objects that they are made for: modules and criterions, users' own among them.

These classes are for type checkers, to which those of `objects` are made of them; plain ones are made sooner than
protocols.
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
    def _passes_no_gradient(cls) -> bool:
        raise NotImplementedError


class Parametrised:
    """What gives its learnable tensors, as users' classes may in their own way."""

    def parameters(self) -> tuple[list[Tensor], list[Tensor]]:
        """These, and their gradients."""
        raise NotImplementedError


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
    _type: str
    _hooks: Sequence[Registered]
    _by_plan: bool
    _copies_whole_numbers: bool

    @property
    def in_training(self) -> bool:
        """Whether it is in training mode."""
        raise NotImplementedError

    def children(self) -> Sequence[Self]:
        """The modules inside."""
        raise NotImplementedError

    def child_names(self) -> list:
        """Their positions or names in the description."""
        raise NotImplementedError

    def _members(self) -> list[Self]:
        """This module and all inside that have a state of their own."""
        raise NotImplementedError

    def listed(self) -> list:
        """What else holds its structure."""
        raise NotImplementedError

    def description(self) -> core.Module:
        """The description of it and all inside."""
        raise NotImplementedError

    def own_description(self) -> core.Module:
        """The description, without looking inside its modules."""
        raise NotImplementedError

    def described_with(self, inside: list) -> core.Module:
        """The description with these in place of the modules inside."""
        raise NotImplementedError

    def as_foreign(self) -> core.Module:
        """Its place in the description of a network that calls its methods."""
        raise NotImplementedError

    def own_parameters(self) -> list[str]:
        """The names of its own parameters."""
        raise NotImplementedError

    def term_of(self, name: str) -> Term:
        """What the gradient of one of these gets."""
        raise NotImplementedError

    def call_tensors(self) -> list[Tensor]:
        """What a user's methods read."""
        raise NotImplementedError

    def is_foreign(self) -> bool:
        """Whether a user's methods have to be called."""
        raise NotImplementedError

    def has_own_gradient(self) -> bool:
        """Whether the user defines the gradient."""
        raise NotImplementedError

    def overrides(self, name: str) -> bool:
        """Whether a method is the user's."""
        raise NotImplementedError

    def updateOutput(self, input: Value) -> Value:
        """The output."""
        raise NotImplementedError

    def updateGradInput(self, input: Value, gradOutput: Value) -> Value:
        """The gradient of the input."""
        raise NotImplementedError

    def accGradParameters(self, input: Value, gradOutput: Value, scale: float) -> None:
        """Adds to the parameters' gradients."""
        raise NotImplementedError

    def accUpdateGradParameters(self, input: Value, gradOutput: Value, lr: float) -> None:
        """Takes the gradients off the parameters."""
        raise NotImplementedError

    @property
    def pending_pull_backs(self) -> PullBacks:
        """Ways back whose accGradParameters is still to come."""
        raise NotImplementedError

    def gone_back(self, input: Value, gradOutput: Value, scale: Scalar | None) -> tuple[Value, Value]:
        """gradInput by the user's methods, and what these add to the parameters' gradients, if it is known by then."""
        raise NotImplementedError

    def goes_back_itself(self) -> bool:
        """Whether a call of `backward` is more than those of updateGradInput and accGradParameters."""
        raise NotImplementedError

    def go_through_pending(self, scale: Scalar, by: Callable | None = None) -> None:
        """Adds to the parameters' gradients what these calls are to add, or calls another method for each."""
        raise NotImplementedError

    def _tensors(self) -> dict[str, Tensor]:
        raise NotImplementedError

    def _steps(self) -> Any:
        raise NotImplementedError

    keeps_steps: bool
    """Whether it keeps what its steps have left itself, and goes back through them in turn."""

    def begin_sequence(self, goes_on: bool) -> None:
        """What a sequencer around it lets it do before a call."""
        raise NotImplementedError

    def show_step_due(self) -> None:
        """Lets its fields be what the step has left whose way back is due, if it keeps its steps."""
        raise NotImplementedError


class Whole(Object):
    """A criterion that is computed without asking those inside, which show what it has found."""

    def surround(self) -> None:
        """Lets those inside look here."""
        raise NotImplementedError


class Attributed(Object):
    """An object with attributes that may change without notice."""

    def attribute_values(self) -> list:
        """The attributes as they are, names and values."""
        raise NotImplementedError

    def own_attributes(self) -> tuple:
        """What is compared before each call."""
        raise NotImplementedError


def is_object(value: object) -> TypeGuard[Object]:
    """Whether a value is a module or a criterion."""
    return hasattr(type(value), "is_criterion")


def is_whole(module: Object) -> TypeGuard[Whole]:
    """Whether a criterion is computed as a whole."""
    return not module._by_plan


def has_attributes(module: Object) -> TypeGuard[Attributed]:
    """Whether the object's class has attributes that may change without notice."""
    return hasattr(type(module), "own_attributes")
