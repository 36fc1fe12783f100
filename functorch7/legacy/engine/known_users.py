"""What is known of users' classes: which fields their methods read, what they give, and whether they can be traced."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol
from weakref import WeakSet

from ...checks.errors import Signal, is_looking, title
from ...checks.tables import leaves
from ...core.contexts import during
from ...core.types import Value
from ..tensors.lua_values import Carried
from ..tensors.tensor import Tensor
from ..tensors.values import as_tensors
from .objects import Object
from .outside import Code
from .user_classes import kept_in
from .user_code import code_of


@dataclass
class Known:
    """What is known of a user's class."""

    code: Code  # what it tells
    names: tuple[str, ...] = ()  # the fields that its methods read
    looks: bool = False  # whether they check values
    obstacle: str | None = None
    gives_numbers: bool = False  # whether an output was a table of numbers, which is a tensor here
    read_by: WeakSet[type] = field(default_factory=WeakSet)  # classes around, whose `forward` reads objects' fields


def known(kind: type) -> Known:
    """What is known of a class so far: at first, what its code tells."""
    kept, code = kept_in(kind), code_of(kind)
    about = kept.get(Known)
    if about is None or about.code is not code:
        about = kept[Known] = Known(code, obstacle=code.obstacle)
    return about


def output_of(user: Object, kind: type, input: Value) -> Value:
    """What the updateOutput of a user's object of this class gives, as tensors.

    A way back by the class above is not that of an earlier call, which had the parameters of then.
    """
    vars(user).pop("_call", None)
    given = user.updateOutput(input)
    output = as_tensors(given)
    if isinstance(output, Tensor) and isinstance(given, (list, tuple)):
        known(kind).gives_numbers = True
    return output


_done: ContextVar[list] = ContextVar("done", default=[])  # noqa: B039  # the default is never added to


def calls_done() -> list:
    """What users' calls have left before the network was planned anew, for the first who asks."""
    given = _done.get()
    done = given[:]
    given.clear()
    return done


class OtherwiseThanPlanned(Signal):
    """A user's class turns out to be other than the network was planned with, which is to be planned anew."""

    def __init__(self, kind: type, refused: bool = False):
        super().__init__(kind)
        self.kind, self.refused = kind, refused
        self.done: list = []  # what users' calls have left before this turned out

    def go_on(self, run: Callable[[bool], list], keep: bool) -> list:
        """Runs what is planned anew. No call that has happened is repeated, unless others are called now."""
        with during(_done, [] if self.refused else self.done):
            return run(keep)

    def take_back(self) -> None:
        """The class was refused because of an error that is the user's own."""
        if self.refused:
            known(self.kind).obstacle = None


_is_planned: ContextVar[bool] = ContextVar("is_planned", default=False)


def planned() -> AbstractContextManager:
    """A block in which the program of a plan is traced, which reports no checks of values."""
    return during(_is_planned, True)


def ask_for_checks(kind: type) -> None:
    """Has a network planned anew, as one that reports what checks of values find, as a class's methods have such."""
    if _is_planned.get() and not is_looking():
        known(kind).looks = True
        raise OtherwiseThanPlanned(kind)


class Planned(Protocol):
    """A plan, as far as it says which users' objects are traced."""

    spec: Any
    traced: list


def carry_to_users(plan: Planned, input: Value, failed: Exception) -> None:
    """Has users' methods called that were to be traced, where the input has values for them that are no tensors.

    Raises: TypeError for such values where there is nobody who takes them.
    """
    carried = next((leaf for leaf in leaves(input) if isinstance(leaf, Carried)), None)
    if carried is None or not isinstance(failed, TypeError):
        return
    if not plan.traced:
        raise TypeError(f"{title(plan.spec)}: expected a tensor, got {carried!r}")
    kind = type(plan.traced[0].holder)
    known(kind).obstacle = "it is given values that are no tensors"
    raise OtherwiseThanPlanned(kind, True)
