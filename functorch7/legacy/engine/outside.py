"""What users' code reads beside its arguments and its object's fields, as it is before each call.

These are variables of its module and of functions around it, defaults of functions, constants of its class, and the
fields of objects that hold settings. A program that is traced has their values as constants; so they are looked at
before each call, as attributes are. Which ones they are is read off the code (`user_code.py`).
"""

from __future__ import annotations

import operator
import pickle
import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from types import CellType, MappingProxyType
from typing import Any, NamedTuple, NoReturn

import jax
import numpy as np

from ...core.contexts import during
from ...core.types import Value
from ...interop.torch7.schema import grad_name
from ..tensors.random import drawing_is_refused
from ..tensors.tensor import Tensor
from .code_names import CODE
from .forms import SCALARS, Static, frozen, has_traced, itself, lasts, not_learned
from .objects import Attributed, Object, has_attributes, is_object
from .registered import Titled

GENERATORS = (random.Random, np.random.Generator, np.random.RandomState)


class Run:
    """A run of a user's `forward`, whose code sees tensors without values, and stand-ins for its modules."""

    who: str

    def call_made(self, module: Object, args: tuple, kwargs: dict[str, Value]) -> Value:
        """The output of a module that is none of these, but made of some, or without arrays."""
        raise NotImplementedError

    def refuse(self, module: Titled) -> NoReturn:
        """Raises TypeError: what is in a module that is not registered would be a constant."""
        raise TypeError(
            f"{self.who} calls {module.title()}, which is none of its modules: what is in it would be a constant; "
            "assign it to an attribute, as in self.layer = layer"
        )


_running: ContextVar[Run | None] = ContextVar("running", default=None)


def running(run: Run | None) -> AbstractContextManager[object]:
    """Around a run of a user's `forward`; None around what it calls."""
    return during(_running, run)


def current_run() -> Run | None:
    """The run of a user's `forward` whose code it is that calls."""
    return _running.get()


class Variable(NamedTuple):
    """A place outside of the code: a name in a mapping, a cell, or a part of a function, partial or method."""

    space: Any
    name: str

    def value(self) -> Value:
        """What is there now; None where nothing is."""
        return self.reader()()

    def reader(self) -> Callable[[], Value]:
        """What gives the value as it is."""
        if isinstance(self.space, (dict, MappingProxyType)):
            return partial(self.space.get, self.name)
        if isinstance(self.space, CellType):
            return partial(_contents, self.space)
        return partial(getattr, self.space, self.name)


def _contents(cell: CellType) -> Value:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _settings(value: Any, names: frozenset[str]) -> Static:
    """What counts of a variable; of a module or criterion how it is set, and those of its tensors that are named."""
    if not is_object(value):
        return itself(value) if isinstance(value, CODE) else frozen(value, names)
    members = value._members()
    tensors = [(n, _constant(each, n, t)) for each in members for n, t in each._tensors().items() if n in names]
    how = [(each.own_attributes() if has_attributes(each) else each._spec, each.in_training) for each in members]
    return Static(type(value), (value, *how, *tensors))


def _constant(module: Object, name: str, tensor: Tensor) -> Static:
    """A tensor of a module outside. Raises TypeError for a parameter that is learned."""
    learned = name in module.own_parameters() and module.__dict__.get(grad_name(name)) is not None
    if learned and getattr(tensor, "requires_grad", True):
        raise not_learned(f"the {name} of {module.title()}", tensor)
    return frozen(tensor)


Noted = tuple[tuple[str, Static], ...]
"""Values by name, as parts of a program's key."""


FIXED = SCALARS.union(CODE)


def never_changes(value: object) -> bool:
    """Whether a value is as it is for ever."""
    return type(value) in FIXED or isinstance(value, jax.Array) or lasts(value)


class Watched:
    """What programs depend on that changes without notice."""

    last: tuple[list, tuple, bool] = [], (), False  # the values, what they were noted as, and whether they stay so

    def values(self) -> list:
        """The values as they are."""
        raise NotImplementedError

    def frozen(self, values: list) -> tuple:
        """What they are for a program's key."""
        raise NotImplementedError

    def noted(self) -> tuple:
        """What the values are now for a program's key, found anew where they may have changed."""
        values, (then, noted, stay) = self.values(), self.last
        are_same = len(values) == len(then) and all(map(operator.is_, then, values))
        if not (are_same and stay):
            noted = self.frozen(values)
            self.last = values, noted, stay if are_same else all(map(never_changes, values))
        return noted


class Attributes(Watched):
    """The attributes of a module."""

    def __init__(self, module: Attributed):
        self.values, self._module = module.attribute_values, module  # type: ignore[method-assign]

    def frozen(self, values: list) -> tuple:
        return self._module.own_attributes()


@dataclass(eq=False)
class Code(Watched):
    """What the code of a user's class, or a hook, names outside of its arguments, and of its object's fields."""

    variables: tuple[Variable, ...] = ()
    generators: tuple[Any, ...] = ()  # Python's and NumPy's, of random numbers
    names: frozenset[str] = frozenset()  # of attributes, of whatever object
    reads: tuple[str, ...] = ()  # names that it reads of first arguments, which methods' objects are
    sets: frozenset[str] = frozenset()  # names that it sets, of anything
    obstacle: str | None = None  # why its calls may do more than compute
    written: dict[int, Static] = field(default_factory=dict)  # of variables that `forward` changes itself

    def __post_init__(self) -> None:
        self._readers = [each.reader() for each in self.variables]
        self._code = [(reader, value) for reader in self._readers if isinstance(value := reader(), CODE)]

    def stands(self) -> bool:
        """Whether the functions and methods are those that were read."""
        return all(now() is then for now, then in self._code)

    def values(self) -> list:
        return [now() for now in self._readers]

    def frozen(self, values: list) -> Noted:
        """The variables; where code writes, what was there when it was read."""
        then, noted, _ = self.last
        are_known = [
            now is was and never_changes(now) for was, now in zip(then or [self] * len(values), values, strict=True)
        ]
        return tuple(noted[i] if known else self._noted(i, values[i]) for i, known in enumerate(are_known))

    def _noted(self, number: int, value: Value) -> tuple[str, Static]:
        name = self.variables[number].name
        try:
            return name, self.written.get(number) or _settings(value, self.names)
        except TypeError as error:
            error.add_note(f"It is in {name!r}, which a forward or a hook reads.")
            raise

    @contextmanager
    def watched(self, who: str, attributes: tuple[tuple[str, Static], ...], is_hook: bool = False) -> Iterator[None]:
        """Around a run of `who` has the code, with these attributes: in a program it runs once, and not at every call.

        Raises TypeError where numbers were drawn, or tensors put into variables, but by hooks, which have seen values,
        too. Other variables that it writes to, such as logs, do not count from then on.
        """
        generators = [*self.generators, *(value for _, (_, value) in attributes if isinstance(value, GENERATORS))]
        before, states = self.noted(), [pickle.dumps(generator) for generator in generators]
        yield
        if any(pickle.dumps(generator) != state for generator, state in zip(generators, states, strict=True)):
            raise drawing_is_refused(who)
        for i, (then, now) in enumerate(zip(before, self.noted(), strict=True)):
            if then == now:
                continue
            if has_traced(now[1]) and not is_hook:
                raise TypeError(
                    f"{who} puts a tensor into {then[0]!r}, which would happen only when it is traced, and without "
                    "values; return it, or look at it by a hook"
                )
            self.written[i], self.last = then[1], Watched.last
